package e2e

import (
	"bytes"
	"flag"
	"fmt"
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

	"example.com/rawwatch/decode"
	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"example.com/rawwatch/test/cluster"
	"example.com/rawwatch/test/proxy"
)

// keep writes the recordings that TestRecordings makes into the project, in
// the place of those that are there: make recordings.
var keep = flag.Bool("recordings", false, "replace the recordings in testdata/replay by new ones")

const kept = "../../testdata/replay/"

// A session is something between a watch and a real server that is worth a
// recording. Its objects are those of package replay: ConfigMaps of namespace t.
type session struct {
	file    string
	options []option
	plain   bool // HTTP/1.1, where a frame that is torn on the wire is torn for its reader
	play    func(t *testing.T, p *proxy.Proxy, c *cluster.Cluster, w *writer, s *shooting)
}

var sessions = []session{
	{file: "real-torn-frame.rwr", plain: true, play: tornFrame},
	{file: "real-expired-relist.rwr", play: expiredRelist},
	{file: "real-streaming-list.rwr", options: []option{start(stream.StartStream)}, play: streamingList},
}

// shooting is a watch that is being recorded.
type shooting struct {
	*consumer
	film *film
	hold chan struct{} // unless nil, the loop waits for it with a in hand
}

// film is a recording in memory, to be looked at while it grows.
type film struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (f *film) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.text.Write(p)
}

func (f *film) bytes() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.Clone(f.text.Bytes())
}

// shoot starts a recorded watch of namespace t.
func shoot(t *testing.T, name string, client *http.Client, server *url.URL, how session) *shooting {
	s := &shooting{film: new(film)}
	if how.file == "real-expired-relist.rwr" {
		s.hold = make(chan struct{})
	}
	client.Transport = &replay.Recorder{Base: client.Transport, To: s.film, Tool: "rawwatch " + stream.Version}
	w := &stream.Watcher{Client: client, Server: server, Backoff: fast,
		Target: stream.Target{Version: "v1", Resource: "configmaps", Namespace: "t"}}
	for _, set := range how.options {
		set(w)
	}
	s.consumer = consume(t, name, w, nil, func(ev stream.Event) {
		if s.hold != nil && ev.Type == stream.Modified && ev.Name == "a" {
			<-s.hold
		}
	})
	return s
}

// An event comes in several TLS records, and the connection goes with the
// last of them.
func tornFrame(t *testing.T, p *proxy.Proxy, _ *cluster.Cluster, w *writer, s *shooting) {
	awaitSynced(t, s)
	w.patch = func(int) cluster.Manifest {
		return cluster.Manifest{"data": cluster.Manifest{"k": strings.Repeat("long ", 1400)}}
	}
	p.CutAfter(6000)
	w.edit("a")
	settle(t, w.ledger, s)
	w.delete("b")
}

// While the client is away b goes, c changes and d comes, and the server
// forgets it all. So the watch is told 410, and the list has to tell the rest.
func expiredRelist(t *testing.T, p *proxy.Proxy, c *cluster.Cluster, w *writer, s *shooting) {
	awaitSynced(t, s)
	w.edit("a")
	await(t, s, "the event to keep in hand", has("MODIFIED", "a"))
	p.Cut()
	w.delete("b")
	w.edit("c")
	w.create("d")
	restart(t, c)
	close(s.hold)
	settle(t, w.ledger, s)
	w.edit("d")
}

// What exists comes as events, a bookmark ends it, and what happens follows.
func streamingList(t *testing.T, _ *proxy.Proxy, _ *cluster.Cluster, w *writer, s *shooting) {
	awaitSynced(t, s)
	w.edit("a")
	w.delete("b")
	w.create("d")
}

// The recordings that tests and documentation use are those of a real server,
// and it still behaves as they say. What is served of a recording is, to a
// client that records it, the same again.
func TestRecordings(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t, cluster.Options{})
	admin := c.Client(t, c.Admin)
	admin.Create(t, cluster.Namespaces, cluster.Manifest{"apiVersion": "v1", "kind": "Namespace", "metadata": cluster.Manifest{"name": "t"}})
	for _, how := range sessions {
		t.Run(how.file, func(t *testing.T) {
			p := proxy.Start(t, c.Address())
			w := newWriter(t, c.Server, configMaps("t"))
			w.create("a", "b", "c")
			via := c.Via(p.Address())
			client := connect(t, via, c.Admin)
			if how.plain {
				// TLS makes its records larger and larger; on a new connection the
				// event needs several.
				transport := &http.Transport{TLSClientConfig: via.TLS(t, c.AdminByCertificate()), DisableKeepAlives: true}
				t.Cleanup(transport.CloseIdleConnections)
				client = &http.Client{Transport: transport}
			}
			s := shoot(t, "recorded", client, via.URL, how)
			how.play(t, p, c, w, s)
			verify(t, w.ledger, s)
			for _, name := range []string{"a", "b", "c", "d"} { // the next session begins anew
				if w.ledger.UID(w.key(name)) != "" {
					w.delete(name)
				}
			}
			recording := s.film.bytes()
			assert.NotContains(t, string(recording), c.Admin.Token)
			problems, err := replay.Lint(bytes.NewReader(recording))
			require.NoError(t, err)
			assert.Empty(t, problems)

			if *keep {
				require.NoError(t, os.WriteFile(kept+how.file, recording, 0o644))
			}
			before, err := os.ReadFile(kept + how.file)
			require.NoError(t, err)
			assert.Equal(t, outline(t, before), outline(t, recording), "the server does something else now; make -C test recordings keeps it")

			file := filepath.Join(t.TempDir(), how.file)
			require.NoError(t, os.WriteFile(file, recording, 0o600))
			servedAgain(t, file, recording, s.seen(), how)
		})
	}
}

// servedAgain records the watch of a recording that is served.
func servedAgain(t *testing.T, file string, recording []byte, seen []history.Event, how session) {
	client, server := serveFile(t, file, "--speed", "max")
	s := shoot(t, "recorded again", client, server, how)
	if s.hold != nil {
		close(s.hold)
	}
	want := records(t, recording)
	cluster.Wait(t, patience, "all but the end to be recorded again", func() bool {
		_, over := s.over()
		return over || len(records(t, s.film.bytes())) >= len(want)-1
	})
	await(t, s, "the same events", func(events []history.Event) bool { return len(events) >= len(seen) })
	s.stop()
	assert.Equal(t, seen, s.seen())
	assert.Equal(t, want, records(t, s.film.bytes()))
}

// records are the records of a recording as text, but for what cannot be the
// same when it is served and recorded again:
//
//   - times, and where reads happened to end (d, cut);
//   - timeoutSeconds, which is random in each request;
//   - the credentials of the first client, shown as "redacted": the second one
//     needs none;
//   - Content-Length: an answer that is played is sent in chunks;
//   - who was first to end a watch after an ERROR event, server or client.
func records(t *testing.T, recording []byte) (all []string) {
	each(t, recording, func(r *replay.Record) {
		u, err := url.Parse(r.URL)
		require.NoError(t, err)
		q := u.Query()
		q.Del("timeoutSeconds")
		r.Header.Del("Authorization")
		r.Header.Del("Content-Length")
		all = append(all, fmt.Sprintf("%d %s %s %s?%s %d %q %q %d %s %s", r.Exchange, r.Kind, r.Method, u.Path, q.Encode(),
			r.Status, fmt.Sprint(r.Header), r.Bytes, r.Hidden, r.Why, r.Text))
	})
	return all
}

// outline is what happens in a recording, without what is different each time:
// all of the above, versions, uids and bookmarks. A torn frame is torn
// somewhere.
func outline(t *testing.T, recording []byte) (all []string) {
	each(t, recording, func(r *replay.Record) {
		text := string(r.Kind)
		switch r.Kind {
		case replay.KindRequest:
			u, err := url.Parse(r.URL)
			require.NoError(t, err)
			q := u.Query()
			for _, key := range []string{"timeoutSeconds", "resourceVersion"} {
				if q.Has(key) {
					q.Set(key, "…")
				}
			}
			text += " " + u.Path + "?" + q.Encode()
		case replay.KindResponse:
			text += fmt.Sprint(" ", r.Status)
		case replay.KindEvent:
			var ev decode.Event
			require.NoError(t, decode.ScanEvent(r.Bytes, &ev))
			if string(ev.Type) == "BOOKMARK" && !ev.InitialEventsEnd {
				return
			}
			text += fmt.Sprintf(" %s %s", ev.Type, ev.Name)
		case replay.KindBody:
			items := decode.NewListReader(bytes.NewReader(r.Bytes), 0)
			for item, err := items.Next(); err == nil; item, err = items.Next() {
				text += " " + string(item.Name)
			}
		case replay.KindEnd:
			text += " " + string(r.Why)
		}
		all = append(all, text)
	})
	return all
}

// each calls f with the records of a recording. The end of a watch that failed
// is the same whoever was first.
func each(t *testing.T, recording []byte, f func(*replay.Record)) {
	t.Helper()
	r, err := replay.NewReader(bytes.NewReader(recording))
	require.NoError(t, err)
	failed := map[int]bool{} // exchanges with an ERROR event
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		switch {
		case rec.Kind == replay.KindEvent && bytes.HasPrefix(rec.Bytes, []byte(`{"type":"ERROR"`)):
			failed[rec.Exchange] = true
		case rec.Kind == replay.KindEnd && failed[rec.Exchange]:
			rec.Why = "after an ERROR"
		}
		f(rec)
	}
}
