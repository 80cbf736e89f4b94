package discovery

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/status"
)

func TestTypesOfARealServerAreFoundByEveryName(t *testing.T) {
	for _, tt := range []struct {
		typ        string
		want       string // group/version resource kind
		namespaced bool
	}{
		{"pods", "v1 pods Pod", true},
		{"pod", "v1 pods Pod", true},
		{"po", "v1 pods Pod", true},
		{"Pod", "v1 pods Pod", true},
		{"PODS", "v1 pods Pod", true},
		{"pods.v1", "v1 pods Pod", true},
		{"pods.v1.", "v1 pods Pod", true},
		{"endpoints", "v1 endpoints Endpoints", true},
		{"nodes", "v1 nodes Node", false},
		{"ns", "v1 namespaces Namespace", false},
		{"deploy", "apps/v1 deployments Deployment", true},
		{"deployment", "apps/v1 deployments Deployment", true},
		{"deployments.apps", "apps/v1 deployments Deployment", true},
		{"deploy.apps", "apps/v1 deployments Deployment", true},
		{"deployments.v1", "apps/v1 deployments Deployment", true},
		{"deployments.v1.apps", "apps/v1 deployments Deployment", true},
		{"Deployment.v1.apps", "apps/v1 deployments Deployment", true},
		{"crd", "apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition", false},
		{"events", "v1 events Event", true},
		{"events.events.k8s.io", "events.k8s.io/v1 events Event", true},
	} {
		t.Run(tt.typ, func(t *testing.T) {
			c, _ := client(t, recorded(t))
			r, err := c.Resolve(t.Context(), tt.typ)
			require.NoError(t, err)
			assert.Equal(t, tt.want, r.GroupVersion()+" "+r.Name+" "+r.Kind)
			assert.Equal(t, tt.namespaced, r.Namespaced)
		})
	}
}

func TestTypesOfAPlainServerAreFoundByEveryName(t *testing.T) {
	for _, tt := range []struct{ typ, want string }{
		{"pods", "v1 pods"},
		{"po", "v1 pods"},
		{"deployment", "apps/v1 deployments"}, // by its kind: old servers name no singular
		{"deploy", "apps/v1 deployments"},
		{"widgets", "demo.example.com/v1 widgets"}, // the preferred version, though not the first
		{"widgets.v1beta1", "demo.example.com/v1beta1 widgets"},
		{"wd.v1beta1.demo.example.com", "demo.example.com/v1beta1 widgets"},
		{"gadgets", "demo.example.com/v1beta1 gadgets"}, // only the other version has it
	} {
		t.Run(tt.typ, func(t *testing.T) {
			c, _ := client(t, plainly(t))
			r, err := c.Resolve(t.Context(), tt.typ)
			require.NoError(t, err)
			assert.Equal(t, tt.want, r.GroupVersion()+" "+r.Name)
		})
	}
}

func TestNoMoreIsAskedThanNeeded(t *testing.T) {
	for _, tt := range []struct {
		name, typ string
		answers   map[string]string
		want      []string
	}{
		{"a core type takes one request", "pods", recorded(t), []string{"/api"}},
		{"another takes two", "deploy", recorded(t), []string{"/api", "/apis"}},
		{"a plain server is asked only for groups that can hold the type", "deployments.v1.apps", plainly(t),
			[]string{"/api", "/api/v1", "/apis", "/apis/apps/v1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, server := client(t, tt.answers)
			_, err := c.Resolve(t.Context(), tt.typ)
			require.NoError(t, err)
			assert.Equal(t, tt.want, server.asked)
		})
	}
}

func TestAnAnswerServesEveryTypeUntilItIsForgotten(t *testing.T) {
	c, server := client(t, recorded(t))
	for range 2 {
		for _, typ := range []string{"pods", "deploy", "jobs.batch"} {
			_, err := c.Resolve(t.Context(), typ)
			require.NoError(t, err)
		}
		assert.Equal(t, []string{"/api", "/apis"}, server.asked)
		server.asked = nil
		c.Forget()
	}
}

func TestWhoWinsWhenSeveralGroupsHaveTheName(t *testing.T) {
	core := map[string]string{"/api": recording(t, "discovery-api")}
	with := func(groups ...string) map[string]string {
		answers := maps.Clone(core)
		answers["/apis"] = groupList(groups...)
		return answers
	}
	for _, tt := range []struct {
		name, typ string
		answers   map[string]string
		want      string
	}{
		{"core, before everybody", "services",
			with(crd("serving.knative.dev", "services", "Service", "ksvc")), "services"},
		{"Kubernetes, before others, wherever it stands", "networkpolicies",
			with(crd("crd.projectcalico.org", "networkpolicies", "NetworkPolicy", "x"), crd("networking.k8s.io", "networkpolicies", "NetworkPolicy", "netpol")),
			"networkpolicies.networking.k8s.io"},
		{"a plural, before a short name", "po",
			with(crd("rivers.example.com", "po", "River", "x")), "po.rivers.example.com"},
		{"a singular, before a short name", "widget",
			with(crd("a.example.com", "foos", "Foo", "widget"), crd("b.example.com", "widgets", "Widget", "x")), "widgets.b.example.com"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := client(t, tt.answers)
			r, err := c.Resolve(t.Context(), tt.typ)
			require.NoError(t, err)
			assert.Equal(t, tt.want, r.String())
		})
	}

	t.Run("nobody, among groups that anybody may install", func(t *testing.T) {
		c, _ := client(t, with(crd("a.example.com", "widgets", "Widget", "wd"), crd("b.example.com", "wdgs", "Wdg", "wd")))
		_, err := c.Resolve(t.Context(), "wd")
		var ambiguous *AmbiguousError
		require.ErrorAs(t, err, &ambiguous)
		assert.EqualError(t, err, `type "wd" can be widgets.a.example.com or wdgs.b.example.com: name the group too`)
	})
}

func TestUnknownTypes(t *testing.T) {
	for _, tt := range []struct {
		name, typ string
		answers   func(*testing.T) map[string]string
		want      string
	}{
		{"a slip of the finger", "deploymnets", recorded,
			`the server has no type "deploymnets"; did you mean deployments.apps?`},
		{"a name that is near several", "endpoint", recorded, `endpoints`},
		{"nothing like it", "zzzzzz", recorded, `the server has no type "zzzzzz"`},
		{"right name, wrong group", "pods.apps", recorded, `the server has no type "pods.apps"; did you mean pods`},
		{"right group, wrong version", "deployments.v2.apps", plainly, `did you mean deployments.apps?`},
		{"nothing", "", recorded, `the server has no type ""`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := client(t, tt.answers(t))
			_, err := c.Resolve(t.Context(), tt.typ)
			var unknown *UnknownTypeError
			require.ErrorAs(t, err, &unknown)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestATypeThatCannotBeWatchedSaysWhatCanBeDone(t *testing.T) {
	c, _ := client(t, recorded(t))
	_, err := c.Resolve(t.Context(), "componentstatuses")
	var not *NotWatchableError
	require.ErrorAs(t, err, &not)
	assert.EqualError(t, err, `type "componentstatuses" cannot be watched: the server only allows to get and list it`)

	_, err = c.Resolve(t.Context(), "tokenreviews")
	assert.EqualError(t, err, `type "tokenreviews.authentication.k8s.io" cannot be watched: the server only allows to create it`)
}

func TestOneBrokenGroupDoesNotFailTheRest(t *testing.T) {
	down := "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\n\r\nservice unavailable\n"
	plain := plainly(t)
	plain["/apis/demo.example.com/v1"], plain["/apis/demo.example.com/v1beta1"] = down, down
	aggregated := recorded(t)
	aggregated["/apis"] = groupList(
		`{"metadata":{"name":"demo.example.com"},"versions":[{"version":"v1","freshness":"Stale"}]}`,
		crd("apps", "deployments", "Deployment", "deploy"))

	for name, answers := range map[string]map[string]string{"plain": plain, "aggregated": aggregated} {
		t.Run(name, func(t *testing.T) {
			c, _ := client(t, answers)
			r, err := c.Resolve(t.Context(), "deploy")
			require.NoError(t, err)
			assert.Equal(t, "deployments.apps", r.String())

			_, err = c.Resolve(t.Context(), "widgets")
			assert.ErrorContains(t, err, `type "widgets" was not found, and may be in demo.example.com/v1`)
			_, err = c.Resolve(t.Context(), "widgets.v1.other.io")
			assert.EqualError(t, err, `the server has no type "widgets.v1.other.io"`, "it cannot be in the broken group")
		})
	}
}

func TestAStaleGroupIsStillUsed(t *testing.T) {
	// What the aggregator remembers of a server that is down now.
	answers := recorded(t)
	answers["/apis"] = groupList(strings.Replace(crd("a.example.com", "widgets", "Widget", "wd"), "Current", "Stale", 1))
	c, _ := client(t, answers)
	r, err := c.Resolve(t.Context(), "wd")
	require.NoError(t, err)
	assert.Equal(t, "widgets.a.example.com", r.String())
}

func TestAServerWithoutCoreGroup(t *testing.T) {
	answers := plainly(t)
	delete(answers, "/api")
	c, _ := client(t, answers)
	r, err := c.Resolve(t.Context(), "wd")
	require.NoError(t, err)
	assert.Equal(t, "widgets.demo.example.com", r.String())
}

func TestWhatIsNoAPIServerIsAnError(t *testing.T) {
	html := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><body>Sign in</body></html>"
	for _, tt := range []struct {
		name    string
		answers map[string]string
		want    string
	}{
		{"nothing there", nil, `discovery: GET /apis at api.test:6443: status: 404 Not Found: 404 page not found`},
		{"a page", map[string]string{"/api": html}, `discovery: GET /api at api.test:6443: the answer is no API discovery (is this a Kubernetes API server?)`},
		{"an empty list", map[string]string{"/api": groupList()}, "nothing in it"},
		{"broken JSON for the groups", map[string]string{"/api": recording(t, "discovery-api"), "/apis": aggregated + `{"items":`}, "GET /apis"},
		{"broken JSON for the group names", map[string]string{"/api": recording(t, "discovery-api"), "/apis": `{"groups":`}, "GET /apis"},
		{"broken JSON for the versions", map[string]string{"/api": `[]`}, "GET /api "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := client(t, tt.answers)
			_, err := c.Resolve(t.Context(), "widgets")
			assert.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), "<html")
		})
	}
}

func TestDeniedDiscoveryMatchesTheSentinels(t *testing.T) {
	for path, answers := range map[string]map[string]string{
		"/api":  {"/api": recording(t, "list-403")},
		"/apis": {"/api": recording(t, "discovery-api"), "/apis": recording(t, "list-403")},
	} {
		c, _ := client(t, answers)
		_, err := c.Resolve(t.Context(), "deploy")
		assert.ErrorIs(t, err, status.ErrForbidden)
		var failed *RequestError
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, path, failed.Path)
	}
}

func TestAServerThatReadsOnlyOneClauseOfAcceptIsAskedPlainly(t *testing.T) {
	c, _ := client(t, plainly(t))
	plainServer := c.HTTP.Transport
	c.HTTP.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := plainServer.RoundTrip(r)
		if r.Header.Get("Accept") != "application/json" {
			resp.StatusCode = http.StatusNotAcceptable
		}
		return resp, err
	})
	r, err := c.Resolve(t.Context(), "deploy")
	require.NoError(t, err)
	assert.Equal(t, "deployments.apps", r.String())
}

func TestRequestsSayWhoTheyAreAndKeepThePathPrefix(t *testing.T) {
	c, server := client(t, map[string]string{"/k8s/prod/api": recording(t, "discovery-api")})
	c.Server = c.Server.JoinPath("k8s", "prod")
	c.UserAgent = "rawwatch/test"
	next := c.HTTP.Transport
	c.HTTP.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		assert.Equal(t, "rawwatch/test", r.Header.Get("User-Agent"))
		assert.True(t, strings.HasPrefix(r.Header.Get("Accept"), "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"))
		return next.RoundTrip(r)
	})
	_, err := c.Resolve(t.Context(), "pods")
	require.NoError(t, err)
	assert.Equal(t, []string{"/k8s/prod/api"}, server.asked)
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	c, server := client(t, map[string]string{
		"/api": "HTTP/1.1 302 Found\r\nLocation: https://login.example.com/?next=secret\r\n\r\n",
	})
	_, err := c.Resolve(t.Context(), "pods")
	assert.ErrorIs(t, err, status.ErrRedirect)
	assert.NotContains(t, err.Error(), "secret")
	assert.Equal(t, []string{"/api"}, server.asked)
}

func TestACancelledContextIsTheError(t *testing.T) {
	gone := errors.New("the person has left")

	t.Run("before the answer", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		c, _ := client(t, nil)
		c.HTTP.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			cancel(gone)
			return nil, r.Context().Err()
		})
		_, err := c.Resolve(ctx, "pods")
		assert.ErrorIs(t, err, gone)
	})
	t.Run("while the body comes", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		c, _ := client(t, nil)
		c.HTTP.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			cancel(gone)
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: slowBody{ctx.Done()}, Request: r}, nil
		})
		_, err := c.Resolve(ctx, "pods")
		assert.ErrorIs(t, err, gone)
	})
}

func TestATransportErrorKeepsItsKindAndSaysThePathOnce(t *testing.T) {
	refused := errors.New("connection refused")
	c, _ := client(t, nil)
	c.HTTP.Transport = roundTripper(func(*http.Request) (*http.Response, error) { return nil, refused })
	_, err := c.Resolve(t.Context(), "pods")
	assert.ErrorIs(t, err, refused)
	assert.EqualError(t, err, "discovery: GET /api at api.test:6443: connection refused")
}

func TestPlainGroupsAreAskedAFewAtATime(t *testing.T) {
	answers := plainly(t)
	names := []string{}
	for i := range 40 {
		names = append(names, `{"name":"g`+string(rune('a'+i%26))+`.example.com","versions":[{"version":"v`+strings.Repeat("1", 1+i/26)+`"}]}`)
	}
	answers["/apis"] = `{"groups":[` + strings.Join(names, ",") + `]}`
	c, server := client(t, answers)

	type count struct{ now, most int }
	running := make(chan count, 1)
	running <- count{}
	next := c.HTTP.Transport
	c.HTTP.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		n := <-running
		running <- count{n.now + 1, max(n.most, n.now+1)}
		defer func() { n := <-running; n.now--; running <- n }()
		return next.RoundTrip(r)
	})
	_, err := c.Resolve(t.Context(), "nosuchtype")
	require.Error(t, err)
	assert.Len(t, server.asked, 43, "/api, /api/v1, /apis and each group")
	assert.LessOrEqual(t, (<-running).most, askAtOnce)
	assert.True(t, slices.Contains(server.asked, "/apis/ga.example.com/v1"))
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func FuzzResolve(f *testing.F) {
	f.Add("pods", `{"versions":["v1"],"groups":[{"name":"apps","versions":[{"version":"v1"}]}],"resources":[{"name":"pods","verbs":["list","watch"]}]}`, false)
	f.Add("po.v1.", `{"items":[{"metadata":{"name":"a"},"versions":[{"version":"v1","resources":[{"resource":"pods","shortNames":["po"]}]}]}]}`, true)
	f.Add("", `{"items":[{}]}`, true)
	f.Fuzz(func(t *testing.T, typ, body string, isAggregated bool) {
		// Every path answers the same, which is more than enough confusion.
		c, _ := client(t, nil)
		c.HTTP.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			resp := &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}
			if isAggregated {
				resp.Header.Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
			}
			return resp, nil
		})
		r, err := c.Resolve(t.Context(), typ)
		if err == nil {
			assert.True(t, r.Watchable())
			return
		}
		assert.NotEmpty(t, err.Error())
	})
}
