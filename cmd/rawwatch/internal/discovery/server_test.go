package discovery

import (
	"bufio"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeServer answers by path; what it has no answer for is a 404 in plain
// text, as an API server sends it. It notes what it was asked.
type fakeServer struct {
	t       *testing.T
	answers map[string]string // path to raw response, or to a JSON body

	mu    sync.Mutex
	asked []string
}

func (s *fakeServer) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path)
	s.mu.Unlock()
	answer, ok := s.answers[r.URL.Path]
	switch {
	case !ok:
		answer = "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\n404 page not found\n"
	case !strings.HasPrefix(answer, "HTTP/"):
		answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + answer
	}
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), r)
	assert.NoError(s.t, err)
	return resp, err
}

// client is a Client of a server with these answers.
func client(t *testing.T, answers map[string]string) (*Client, *fakeServer) {
	s := &fakeServer{t: t, answers: answers}
	server, err := url.Parse("https://api.test:6443")
	require.NoError(t, err)
	return &Client{HTTP: &http.Client{Transport: s}, Server: server}, s
}

// recording is what a real server sent.
func recording(t *testing.T, name string) string {
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "testdata", "recordings", name+".http"))
	require.NoError(t, err)
	return string(b)
}

// recorded are the answers of a real server, 1.37, in the aggregated form.
func recorded(t *testing.T) map[string]string {
	return map[string]string{"/api": recording(t, "discovery-api"), "/apis": recording(t, "discovery-apis")}
}

// plainly is what a server says in the plain form, down to one custom
// resource: core from a recording, and two groups.
func plainly(t *testing.T) map[string]string {
	return map[string]string{
		"/api":    recording(t, "discovery-api-legacy"),
		"/api/v1": recording(t, "discovery-api-v1-legacy"),
		"/apis": `{"kind":"APIGroupList","apiVersion":"v1","groups":[
			{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}},
			{"name":"demo.example.com","versions":[
				{"groupVersion":"demo.example.com/v1beta1","version":"v1beta1"},
				{"groupVersion":"demo.example.com/v1","version":"v1"}],
			 "preferredVersion":{"groupVersion":"demo.example.com/v1","version":"v1"}}]}`,
		"/apis/apps/v1": `{"kind":"APIResourceList","groupVersion":"apps/v1","resources":[
			{"name":"deployments","singularName":"","namespaced":true,"kind":"Deployment","verbs":["get","list","watch"],"shortNames":["deploy"]},
			{"name":"deployments/scale","singularName":"","namespaced":true,"kind":"Scale","verbs":["get"]}]}`,
		"/apis/demo.example.com/v1": `{"kind":"APIResourceList","groupVersion":"demo.example.com/v1","resources":[
			{"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":["list","watch"],"shortNames":["wd"]}]}`,
		"/apis/demo.example.com/v1beta1": `{"kind":"APIResourceList","groupVersion":"demo.example.com/v1beta1","resources":[
			{"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":["list","watch"],"shortNames":["wd"]},
			{"name":"gadgets","singularName":"gadget","namespaced":false,"kind":"Gadget","verbs":["list","watch"]}]}`,
	}
}

// aggregated is the head of an answer in the aggregated form, with the
// parameters in another order than a real server's.
const aggregated = "HTTP/1.1 200 OK\r\nContent-Type: application/json; as=APIGroupDiscoveryList; v=v2; g=apidiscovery.k8s.io\r\n\r\n"

// crd is one group of an aggregated answer, with one type in it.
func crd(group, plural, kind, shortName string) string {
	return `{"metadata":{"name":"` + group + `"},"versions":[{"version":"v1","freshness":"Current","resources":[` +
		`{"resource":"` + plural + `","singularResource":"` + strings.ToLower(kind) + `","responseKind":{"kind":"` + kind + `"},` +
		`"scope":"Namespaced","verbs":["list","watch"],"shortNames":["` + shortName + `"]}]}]}`
}

// groupList is an aggregated answer.
func groupList(groups ...string) string {
	return aggregated + `{"kind":"APIGroupDiscoveryList","items":[` + strings.Join(groups, ",") + `]}`
}

// slowBody never ends.
type slowBody struct{ stop <-chan struct{} }

func (b slowBody) Read([]byte) (int, error) { <-b.stop; return 0, io.ErrUnexpectedEOF }
func (b slowBody) Close() error             { return nil }
