package replay

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
)

// redacted stands where a header or query value was.
const redacted = "redacted"

// lastApplied is the annotation in which kubectl apply keeps the whole object,
// values of Secrets included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// A redactor takes out of what is recorded what must not reach a disk. Values
// are replaced by a keyed hash: equal ones stay equal, so that a recording
// shows whether a Secret was changed, and as the key is random and never
// written down, nobody can try likely values against it.
type redactor struct {
	key [32]byte
}

func newRedactor() *redactor {
	var r redactor
	rand.Read(r.key[:]) // never fails (crypto/rand)
	return &r
}

// scope is what an exchange can carry, by its path.
type scope uint8

const (
	plainScope  scope = iota // no Secret, unless an object says that it is one
	secretScope              // Secrets, under whatever kind the server shows them
	tokenScope               // a TokenRequest's answer
)

// scopeOf looks for secrets as the resource of the path, under any prefix and
// with the deprecated /watch/ form:
//
//	/api/v1[/watch][/namespaces/NS]/secrets[/NAME]
//	/api/v1/namespaces/NS/serviceaccounts/NAME/token
//
// A segment of that name elsewhere (a ConfigMap called secrets) is taken for
// it too: too much redaction costs less than too little.
func scopeOf(path string) scope {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.EqualFold(s, "secrets") {
			return secretScope
		}
		if s == "serviceaccounts" && i == len(segments)-3 && segments[i+2] == "token" {
			return tokenScope
		}
	}
	return plainScope
}

// hash is what stands for b. In an annotation "redacted-…" says what it is.
func (r *redactor) hash(b []byte) []byte {
	m := hmac.New(sha256.New, r.key[:])
	m.Write(b)
	return m.Sum(nil)[:12]
}

func (r *redactor) name(b []byte) string { return redacted + "-" + hex.EncodeToString(r.hash(b)) }

// url is path and query of u, with token-like values replaced.
func (r *redactor) url(u *url.URL) string {
	if u.RawQuery == "" {
		return u.EscapedPath()
	}
	parts := strings.Split(u.RawQuery, "&")
	for i, p := range parts {
		k, _, _ := strings.Cut(p, "=")
		if name, err := url.QueryUnescape(k); err != nil || secretName(name) {
			parts[i] = k + "=" + redacted
		}
	}
	return u.EscapedPath() + "?" + strings.Join(parts, "&")
}

// header is h with secret values replaced; h itself stays as it is.
func (r *redactor) header(h http.Header) http.Header {
	out := h.Clone()
	for k := range out {
		if secretHeader(k) {
			out[k] = []string{redacted}
		}
	}
	// Where a redirect leads is of use; its user info, path and query may be a
	// one-time credential.
	if location := out.Get("Location"); location != "" {
		out.Set("Location", redacted)
		if u, err := url.Parse(location); err == nil {
			out.Set("Location", (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/" + redacted}).String())
		}
	}
	return out
}

// secretName reports whether a query key or header looks like one whose value
// is a credential.
func secretName(name string) bool {
	name = strings.ToLower(name)
	for _, s := range []string{"token", "password", "passwd", "secret", "credential", "signature", "authorization", "apikey", "api-key", "api_key"} {
		if strings.Contains(name, s) {
			return true
		}
	}
	return name == "code" || name == "sig" || name == "key"
}

// secretHeader reports whether the values of a header field are not to be shown.
func secretHeader(name string) bool {
	lower := strings.ToLower(name)
	return secretName(lower) || strings.Contains(lower, "cookie") ||
		strings.HasPrefix(lower, "impersonate-") || strings.HasPrefix(lower, "x-remote-")
}

// edit is a piece of a JSON text and what takes its place.
type edit struct {
	span
	with string
}

// event is json for an event line that is known to be one, with an object of
// the given kind.
func (r *redactor) event(b, kind []byte, s scope) []byte {
	if s == plainScope && (isSingle(kind) && !namesSecret(b) || harmless(b)) {
		return b
	}
	return r.walk(b, s)
}

// json returns b, a whole JSON text, with the values of Secrets replaced and
// every other byte as it is. ok is false if b is not JSON, so that nobody
// knows what is in it.
func (r *redactor) json(b []byte, s scope) (out []byte, ok bool) {
	if !isJSON(b) {
		return nil, false
	}
	if s == plainScope && harmless(b) {
		return b, true
	}
	return r.walk(b, s), true
}

// walk goes through a text that is known to be JSON.
func (r *redactor) walk(b []byte, s scope) []byte {
	var edits []edit
	r.object(b, 0, s, &edits)
	if len(edits) == 0 {
		return b
	}
	var out []byte
	last := 0
	for _, e := range edits {
		out = append(out, b[last:e.start]...)
		out = append(out, e.with...)
		last = e.end
	}
	return append(out, b[last:]...)
}

// isSingle reports whether an object of this kind is one object and no Secret,
// by what its server says it is.
func isSingle(kind []byte) bool {
	switch k := string(kind); {
	case k == "", k == "Table", strings.HasSuffix(k, "List"):
		return false // a bare one, or one that holds others
	case hasSecrets(k) != plainScope:
		return false
	}
	return true
}

// namesSecret reports whether a kind with secrets, or an escape that may be
// part of one, is anywhere in b. Of what a watch brings, nothing else of an
// object that is no Secret itself can be one. This is run on every event, so it
// looks for words that begin with a rare letter, and only then at what is
// around them: nearly every pod has imagePullSecrets or a secretName.
func namesSecret(b []byte) bool {
	return hasWord(b, "Secret", `"`) || hasWord(b, "Request", `"Token`) || escapesLetters(b)
}

// mayHoldSecret is namesSecret for a piece of a text, which nobody can take
// apart. It looks for less than harmless does, or half a Pod could never be
// recorded: there is a token in each.
func mayHoldSecret(b []byte) bool {
	return bytes.Contains(b, []byte("Secret")) || bytes.Contains(b, []byte("TokenRequest")) || escapesLetters(b)
}

// hasWord reports whether word is in b with before in front of it.
func hasWord(b []byte, word, before string) bool {
	for at := 0; ; at += len(word) {
		i := bytes.Index(b[at:], []byte(word))
		if i < 0 {
			return false
		}
		if at += i; bytes.HasSuffix(b[:at], []byte(before)) {
			return true
		}
	}
}

// escapesLetters reports whether a letter that needs no escape has one: \u0053
// is an S. Servers escape < > & in that way, and these are no part of a kind.
func escapesLetters(b []byte) bool {
	for {
		i := bytes.Index(b, []byte(`\u00`))
		if i < 0 {
			return false
		}
		if b = b[i+4:]; len(b) > 0 && b[0] >= '4' && b[0] <= '7' {
			return true
		}
	}
}

// hasSecrets is the scope of an object of this kind.
func hasSecrets(kind string) scope {
	kind = strings.TrimSpace(kind)
	switch {
	case strings.EqualFold(kind, "Secret"), strings.EqualFold(kind, "SecretList"):
		return secretScope
	case strings.EqualFold(kind, "TokenRequest"):
		return tokenScope
	}
	return plainScope
}

// harmless reports whether a look at the bytes shows that no kind in b is one
// with secrets, however it is spelled. Most of what is recorded is that, and
// need not be taken apart.
func harmless(b []byte) bool {
	for _, s := range []string{"ecret", "ECRET", "oken", "OKEN"} {
		if bytes.Contains(b, []byte(s)) {
			return false
		}
	}
	return !escapesLetters(b)
}

// object looks for Secrets in b, which stands at offset base: it may be one,
// an event or a list or a Table that holds some, or something else.
func (r *redactor) object(b []byte, base int, s scope, edits *[]edit) {
	if own := hasSecrets(lookupString(b, "kind")); own != plainScope {
		s = own
	}
	for key, at := range members(b) {
		v, vbase := at.of(b), base+at.start
		switch {
		case equalAny(key, "object"): // of an event, of a Table's row
			r.object(v, vbase, s, edits)
		case equalAny(key, "items", "rows"):
			for e := range elements(v) {
				r.object(e.of(v), vbase+e.start, s, edits)
			}
		case s == secretScope && equalAny(key, "data", "stringData"):
			r.data(v, vbase, edits)
		case s == secretScope && equalAny(key, "metadata"):
			r.metadata(v, vbase, edits)
		case s == tokenScope && equalAny(key, "status"):
			for k, t := range members(v) {
				if equalAny(k, "token") {
					r.replace(t, v, vbase, edits)
				}
			}
		}
	}
}

// equalAny compares without regard to case, as careless decoders do.
func equalAny(key string, names ...string) bool {
	for _, n := range names {
		if strings.EqualFold(key, n) {
			return true
		}
	}
	return false
}

// data replaces the values in b by base64 of their hash.
func (r *redactor) data(b []byte, base int, edits *[]edit) {
	if t := bytes.TrimSpace(b); len(t) > 0 && t[0] != '{' {
		if string(t) != "null" {
			r.replace(span{0, len(b)}, b, base, edits)
		}
		return
	}
	for _, at := range members(b) {
		r.replace(at, b, base, edits)
	}
}

// replace puts a hash in the place of one value; null stays.
func (r *redactor) replace(at span, b []byte, base int, edits *[]edit) {
	v := bytes.TrimSpace(at.of(b))
	if string(v) == "null" {
		return
	}
	if v[0] == '"' {
		v = []byte(unquote(v)) // the same text in other escapes is the same value
	}
	with := `"` + base64.StdEncoding.EncodeToString(r.hash(v)) + `"`
	start := at.start + skipSpace(at.of(b), 0)
	end := skipValue(b, start)
	*edits = append(*edits, edit{span{base + start, base + end}, with})
}

// metadata replaces what the last-applied annotation says.
func (r *redactor) metadata(b []byte, base int, edits *[]edit) {
	for key, at := range members(b) {
		if !equalAny(key, "annotations") {
			continue
		}
		a := at.of(b)
		for name, v := range members(a) {
			if name != lastApplied {
				continue
			}
			start := v.start + skipSpace(v.of(a), 0)
			end := skipValue(a, start)
			text := a[start:end]
			if text[0] == '"' {
				text = []byte(unquote(text))
			}
			clean, ok := r.json(text, secretScope)
			if !ok {
				clean = []byte(r.name(text))
			}
			base := base + at.start
			*edits = append(*edits, edit{span{base + start, base + end}, quote(string(clean))})
		}
	}
}
