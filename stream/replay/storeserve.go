package replay

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// NewServer serves the store. It is closed by t's cleanup.
func (s *Store) NewServer(t TB, options Options) *Server {
	t.Helper()
	return startServer(t, nil, func(r *http.Request) (iter.Seq[Step], error) { return s.answer(r), nil }, options)
}

// ServeHTTP implements http.Handler.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	stage := &handlerStage{w: w, rc: http.NewResponseController(w)}
	defer stage.close()
	play(r.Context(), s.answer(r), stage)
}

// storeError is a Status as the real server writes it: keys in its order, and
// those left out that it leaves out.
type storeError struct {
	code            int
	reason, message string
	retryAfter      int
	cause           string
	token           string // metadata.continue
}

func (e *storeError) body() string {
	meta, reason, details := "{}", "", ""
	if e.token != "" {
		meta = `{"continue":` + quote(e.token) + `}`
	}
	if e.reason != "" {
		reason = `"reason":` + quote(e.reason) + `,`
	}
	if e.cause != "" || e.retryAfter > 0 {
		var parts []string
		if e.cause != "" {
			parts = append(parts, fmt.Sprintf(`"causes":[{"reason":%s,"message":"Too large resource version"}]`, quote(e.cause)))
		}
		if e.retryAfter > 0 {
			parts = append(parts, fmt.Sprintf(`"retryAfterSeconds":%d`, e.retryAfter))
		}
		details = `"details":{` + strings.Join(parts, ",") + `},`
	}
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":%s,"status":"Failure","message":%s,%s%s"code":%d}`,
		meta, quote(e.message), reason, details, e.code)
}

func (e *storeError) answer() iter.Seq[Step] {
	var header []string
	if e.retryAfter > 0 {
		header = []string{"Retry-After: " + strconv.Itoa(e.retryAfter)}
	}
	return slices.Values(JSON(e.code, e.body()+"\n", header...))
}

// tooLarge is what a server says after waiting three seconds for an RV that it
// does not have.
func (s *Store) tooLarge(rv uint64) *storeError {
	return &storeError{code: 504, reason: "Timeout", cause: "ResourceVersionTooLarge", retryAfter: 1,
		message: fmt.Sprintf("Timeout: Too large resource version: %d, current: %d", rv, s.rv)}
}

const tooLargeWait = 3 * time.Second

// answer decides what a request gets.
func (s *Store) answer(r *http.Request) iter.Seq[Step] {
	s.init()
	if s.Intercept != nil {
		if steps := s.Intercept(r); steps != nil {
			return slices.Values(steps)
		}
	}
	if r.Method != http.MethodGet {
		return (&storeError{code: 405, reason: "MethodNotAllowed", message: "this server is read-only"}).answer()
	}
	if steps := s.discovery(r); steps != nil {
		return slices.Values(steps)
	}
	resource, ns, name := s.route(r.URL.Path)
	if resource == nil {
		return slices.Values(JSON(404, "404 page not found\n", "Content-Type: text/plain; charset=utf-8"))
	}
	q := r.URL.Query()
	if name != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		o := s.objects[objectKey{resource.Plural, ns, name}]
		if o == nil {
			return (&storeError{code: 404, reason: "NotFound", message: fmt.Sprintf("%s %q not found", resource.Plural, name)}).answer()
		}
		return slices.Values(JSON(200, newView(r, resource).object(o, o.rv)+"\n"))
	}
	sel, err := newSelector(q.Get("labelSelector"), q.Get("fieldSelector"))
	if err != nil {
		return (&storeError{code: 400, reason: "BadRequest", message: err.Error()}).answer()
	}
	sel = append(sel, func(o *object) bool {
		return o.plural == resource.Plural && (ns == "" || o.namespace == ns)
	})
	// An empty value is true for the server, unlike a missing key.
	if truth(q.Get("watch")) || q.Has("watch") && q.Get("watch") == "" {
		return s.watch(r, newView(r, resource), sel)
	}
	return s.list(r, newView(r, resource), sel)
}

// route finds the resource of a path; nil if there is none.
func (s *Store) route(path string) (resource *Resource, ns, name string) {
	for i := range s.Resources {
		r := &s.Resources[i]
		base := strings.TrimSuffix(r.path(""), r.Plural)
		rest, ok := strings.CutPrefix(path, base)
		if !ok {
			continue
		}
		parts := strings.Split(rest, "/")
		if len(parts) >= 3 && parts[0] == "namespaces" && !r.Cluster {
			ns, parts = parts[1], parts[2:]
		}
		if parts[0] == r.Plural && len(parts) <= 2 {
			if len(parts) == 2 {
				name = parts[1]
			}
			return r, ns, name
		}
		ns = ""
	}
	return nil, "", ""
}

// token is what a continue token says, in the form of kube-apiserver's.
type token struct {
	V     string `json:"v"`
	RV    int64  `json:"rv"` // -1: go on in what is there now
	Start string `json:"start"`
}

func (t token) String() string {
	b, _ := json.Marshal(t) // cannot fail
	return base64.RawURLEncoding.EncodeToString(b)
}

// list answers a LIST.
func (s *Store) list(r *http.Request, v *view, sel selector) iter.Seq[Step] {
	q := r.URL.Query()
	if q.Has("sendInitialEvents") {
		return (&storeError{code: 422, reason: "Invalid", message: "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"}).answer()
	}
	limit, err := strconv.Atoi(cmp.Or(q.Get("limit"), "0"))
	if err != nil {
		return (&storeError{code: 400, reason: "BadRequest", message: err.Error()}).answer()
	}
	asked := q.Get("resourceVersion")
	rv, err := strconv.ParseUint(cmp.Or(asked, "0"), 10, 64)
	if err != nil {
		return (&storeError{code: 400, reason: "BadRequest", message: "invalid resource version: " + asked}).answer()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, start := s.rv, ""
	match := q.Get("resourceVersionMatch")
	switch t := q.Get("continue"); {
	case t != "":
		var tok token
		b, err := base64.RawURLEncoding.DecodeString(t)
		if err != nil || json.Unmarshal(b, &tok) != nil {
			return (&storeError{code: 400, reason: "BadRequest", message: "invalid continue token"}).answer()
		}
		start = tok.Start
		if tok.RV >= 0 {
			at = uint64(tok.RV)
		}
		// The token that comes with the 410 goes on in what is there now, under
		// another resourceVersion: a trap that clients have to stay out of.
		if at < s.oldest || at > s.rv {
			return (&storeError{code: 410, reason: "Expired", token: token{tok.V, -1, tok.Start}.String(),
				message: "The provided continue parameter is too old to display a consistent list result."}).answer()
		}
	case rv > s.rv:
		// Made now, sent later: the message names what was current when it was asked.
		e := s.tooLarge(rv)
		return func(yield func(Step) bool) {
			if yield(Pause(tooLargeWait)) {
				e.answer()(yield)
			}
		}
	case match == "Exact", match == "" && rv > 0 && limit > 0:
		// The second is a rule from before there was Exact: with a limit, an RV
		// alone means it.
		if at = rv; at < s.oldest {
			return (&storeError{code: 410, reason: "Expired", message: "The resourceVersion for the provided list is too old."}).answer()
		}
	case asked == "0":
		limit = 0 // such lists come from the cache, whole
	}

	var all []*object
	for _, o := range s.at(at) {
		if sel.matches(o) && o.key() > start {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b *object) int { return cmp.Compare(a.key(), b.key()) })
	next, remaining := "", 0
	if limit > 0 && len(all) > limit {
		// The server counts what remains only where that costs it nothing.
		if !q.Has("labelSelector") && !q.Has("fieldSelector") {
			remaining = len(all) - limit
		}
		all = all[:limit]
		next = token{"meta.k8s.io/v1", int64(at), all[limit-1].key()}.String()
	}
	return slices.Values([]Step{Respond(200), Write(v.list(at, next, remaining, all)), End()})
}

// key is what lists are ordered by.
func (k objectKey) key() string { return k.namespace + "/" + k.name + "\x00" }
