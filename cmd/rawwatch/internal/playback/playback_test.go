package playback

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testdata = "../../../../testdata/"

// file and text open a recording, as often as they are asked to.
func file(name string) func(*testing.T) *replay.Reader {
	return func(t *testing.T) *replay.Reader {
		whole, err := os.ReadFile(testdata + name)
		require.NoError(t, err)
		return text(string(whole))(t)
	}
}

func text(whole string) func(*testing.T) *replay.Reader {
	return func(t *testing.T) *replay.Reader {
		r, err := replay.NewReader(strings.NewReader(whole))
		require.NoError(t, err)
		return r
	}
}

const maxFrame = 16 << 20

// events are what a recording delivers.
func events(t *testing.T, again func(*testing.T) *replay.Reader, speed float64) (all []string) {
	t.Helper()
	recording, err := Look(again(t), maxFrame)
	require.NoError(t, err)
	for ev, err := range recording.Play(t.Context(), again(t), Options{Speed: speed, MaxFrame: maxFrame}) {
		require.NoError(t, err)
		text := fmt.Sprintf("%s %s %s", ev.Type, ev.Name, ev.ResourceVersion)
		if ev.Inferred {
			text += " inferred"
		}
		all = append(all, text)
	}
	return all
}

func TestARecordingShowsTheEventsOfItsWatch(t *testing.T) {
	for _, tt := range []struct {
		file string
		want []string
	}{
		{"replay/list-watch-cut.rwr", []string{"ADDED a 8", "ADDED b 9", "SYNCED  10", "MODIFIED a 11", "DELETED b 31"}},
		{"replay/expired-relist.rwr", []string{"ADDED a 8", "ADDED b 9", "SYNCED  10", "GAP  10", "DELETED b 9 inferred", "SYNCED  40"}},
		{"replay/faults.rwr", []string{"ADDED a 11", "ADDED b 12", "ADDED c 13", "ADDED d 14", "ADDED e 15"}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			assert.Equal(t, tt.want, events(t, file(tt.file), 0))
		})
	}
}

func TestPausesAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		events(t, file("replay/list-watch-cut.rwr"), 2)
		assert.Equal(t, "32s", time.Since(began).Round(time.Second).String())
	})
}

// recording writes a recording. A line that begins with a slash is a request, of the next exchange;
// 200 (or another status) its answer, "eof" its end, and { an event or a body.
func recording(lines ...string) string {
	all, c := `{"rwr":1}`+"\n", 0
	for _, line := range lines {
		record := ""
		switch {
		case strings.HasPrefix(line, "/"):
			c++
			record = fmt.Sprintf(`"t":"req","method":"GET","url":"/api/v1/namespaces/t/configmaps%s"`, line[1:])
		case strings.HasPrefix(line, `{"type"`):
			record = `"t":"ev","ev":` + strings.TrimSpace(line)
		case strings.HasPrefix(line, "{"):
			record = `"t":"body","json":` + line
		case strings.HasPrefix(line, `"`):
			record = line
		case line == "eof":
			record = `"t":"end","why":"eof"`
		default:
			record = `"t":"res","status":` + line
		}
		all += fmt.Sprintf(`{"c":%d,%s}`+"\n", c, record)
	}
	return all
}

// table is an event of a Table, whose row has this metadata.
func table(eventType, rv, meta string) string {
	return strings.TrimSpace(replay.EventOf(eventType, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"`+rv+`"},"columnDefinitions":null,"rows":[{"cells":[],`+
		`"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"`+rv+`",`+meta+`}}}]}`))
}

func TestWhatALoadMakesOfALongStory(t *testing.T) {
	const watch = "/?watch=true&resourceVersion="
	item, event := replay.Item, replay.Event
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"pages, of which the first run expired", []string{
			"/", "200", replay.ListPage("9", "x", item("a", "8")), "eof",
			"/?continue=x", "410", replay.StatusBody(410, "Expired"), "eof",
			"/", "200", replay.ListPage("10", "y", item("a", "8")), "eof",
			"/?continue=y", "200", replay.ListBody("10", item("b", "7")), "eof",
		}, []string{"ADDED a 8", "ADDED b 7", "SYNCED  10"}},
		{"pages of one object", []string{
			"/?limit=1", "200", replay.ListPage("10", "x", item("a", "8")), "eof",
			"/?limit=1&continue=x", "200", replay.ListBody("10", item("b", "7")), "eof",
		}, []string{"ADDED a 8", "ADDED b 7", "SYNCED  10"}},
		{"a page of some other list", []string{
			"/", "200", replay.ListPage("10", "x", item("a", "8")), "eof",
			"/?continue=z", "200", replay.ListBody("9", item("z", "1")), "eof",
			"/?continue=x", "200", replay.ListBody("10", item("b", "7")), "eof",
		}, []string{"ADDED a 8", "ADDED b 7", "SYNCED  10"}},
		{"what another verb was answered", []string{
			`"c":9,"t":"req","method":"DELETE","url":"/api/v1/namespaces/t/configmaps"`, `"c":9,"t":"res","status":200`,
			`"c":9,"t":"body","json":` + replay.ListBody("9", item("z", "8")), `"c":9,"t":"end","why":"eof"`,
			"/", "200", replay.ListBody("10", item("a", "8")), "eof",
		}, []string{"ADDED a 8", "SYNCED  10"}},
		{"a list that is cut is none", []string{
			"/", "200", `"t":"body","text":"{\"kind\":\"ConfigMapList\",\"items\":["`, "eof",
			"/", "200", replay.ListBody("10", item("a", "8")), "eof",
		}, []string{"ADDED a 8", "SYNCED  10"}},
		{"many resumes, failures and a probe, at no time", []string{
			"/", "200", replay.ListBody("10", item("a", "8")), "eof",
			watch + "10", "200", event("MODIFIED", "a", "11"), "eof",
			watch + "11", "200", "eof", watch + "11", "503", `{"kind":"Status"}`, "eof", watch + "11", "200", "eof", watch + "11", "200", "eof",
			"/?limit=1", "200", replay.ListBody("11", item("a", "11")), "eof",
			watch + "11", "200", event("MODIFIED", "a", "11"), event("DELETED", "a", "12"), "eof",
		}, []string{"ADDED a 8", "SYNCED  10", "MODIFIED a 11", "DELETED a 12"}},
		{"losses of history, one after the other", []string{
			"/", "200", replay.ListBody("10", item("a", "8")), "eof",
			watch + "10", "410", replay.StatusBody(410, "Expired"), "eof",
			"/", "200", replay.ListBody("20", item("b", "18")), "eof",
			watch + "20", "200", replay.ErrorEvent(410, "Expired"), "eof",
			"/", "200", replay.ListBody("30", item("b", "18")), "eof",
			watch + "30", "200", "eof",
			"/", "200", replay.ListBody("40"), "eof",
		}, []string{"ADDED a 8", "SYNCED  10", "GAP  10", "ADDED b 18", "DELETED a 8 inferred", "SYNCED  20", "GAP  20", "SYNCED  30", "GAP  30", "DELETED b 18 inferred", "SYNCED  40"}},
		{"a streaming list", []string{
			watch + "&sendInitialEvents=true", "200", event("ADDED", "a", "8"), replay.InitialEventsEnd("10"), event("ADDED", "b", "11"), "eof",
		}, []string{"ADDED a 8", "SYNCED  10", "ADDED b 11"}},
		{"a streaming list of Tables", []string{
			`"c":9,"t":"req","url":"/api/v1/pods?watch=true&sendInitialEvents=true","h":{"Accept":"application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}`, `"c":9,"t":"res","status":200`,
			`"c":9,"t":"ev","ev":` + table("ADDED", "8", `"name":"a"`), `"c":9,"t":"ev","ev":` + table("BOOKMARK", "10", `"annotations":{"k8s.io/initial-events-end":"true"}`),
		}, []string{"ADDED a 8", "SYNCED  10"}},
		{"a streaming list that was cut", []string{
			watch + "&sendInitialEvents=true", "200", event("ADDED", "z", "8"), "eof",
			"/", "200", replay.ListBody("10", item("a", "8")), "eof",
		}, []string{"ADDED a 8", "SYNCED  10"}},
		{"from a version", []string{watch + "5", "200", event("ADDED", "a", "6"), "eof"}, []string{"ADDED a 6"}},
		{"from whatever there is", []string{watch + "0", "200", event("ADDED", "a", "6"), event("ADDED", "b", "4"), replay.Bookmark("9"), event("DELETED", "b", "10"), "eof"},
			[]string{"ADDED a 6", "ADDED b 4", "DELETED b 10"}},
		{"torn and foreign bytes", []string{
			watch + "5", "200", `"t":"raw","text":"<html>\n"`, `"t":"raw","b64":"` + base64.StdEncoding.EncodeToString([]byte(strings.Replace(event("ADDED", "a", "6"), `"uid"`, "\"x\":\"\xff\",\"uid\"", 1))) + `"`,
			`"t":"raw","text":"{\"type\":\"ADD"`, "eof",
		}, []string{"ADDED a 6"}},
		{"nothing that is about a collection", []string{"/../../../../../version", "200", "{}", "eof"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				assert.Equal(t, tt.want, events(t, text(recording(tt.lines...)), 0))
				assert.Zero(t, time.Since(began), "the client waits for nothing")
			})
		})
	}
}

// Of several tracks the events come in the order of the recording.
func TestTracksTakeTurns(t *testing.T) {
	pods := func(c int, query, record string) string {
		return fmt.Sprintf(`{"c":%d,"d":3600,"t":"req","url":"/api/v1/pods?%s"}`+"\n"+`{"c":%d,"t":"res","status":200}`+"\n"+`{"c":%d,%s}`+"\n", c, query, c, c, record)
	}
	event := func(c int, name, rv string) string {
		return fmt.Sprintf(`{"c":%d,"d":3600,"t":"ev","ev":%s}`+"\n", c, strings.TrimSpace(replay.Event("ADDED", name, rv)))
	}
	whole := recording("/?watch=true&resourceVersion=5", "200") +
		pods(2, "limit=500", `"t":"body","json":`+replay.ListBody("10", replay.Item("p", "8"))) + `{"c":2,"t":"end","why":"eof"}` + "\n" +
		event(1, "a", "6") + pods(3, "watch=true&resourceVersion=10", strings.TrimSpace(event(3, "q", "11"))[len(`{"c":3,`):len(strings.TrimSpace(event(3, "q", "11")))-1]) +
		event(1, "b", "7") + event(3, "r", "12")
	for speed, took := range map[float64]time.Duration{0: 0, 60: 6 * time.Minute, 1: 6 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			assert.Equal(t, []string{"ADDED p 8", "SYNCED  10", "ADDED a 6", "ADDED q 11", "ADDED b 7", "ADDED r 12"}, events(t, text(whole), speed))
			assert.Equal(t, took, time.Since(began), "an hour of silence is a part of the recording")
		})
	}
}

// counted counts what is read of a file.
type counted struct {
	io.Reader
	bytes int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes += n
	return n, err
}

// A recording may be larger than the memory: no more is read than is asked for.
func TestOneRecordIsHeldAtATime(t *testing.T) {
	lines := []string{"/?watch=true&resourceVersion=5", "200"}
	for n := range 2_000 {
		lines = append(lines, replay.Event("ADDED", fmt.Sprint("a", n), fmt.Sprint(n+6)))
	}
	whole := recording(lines...)
	r, err := Look(text(whole)(t), maxFrame)
	require.NoError(t, err)
	file := &counted{Reader: strings.NewReader(whole)}
	again, err := replay.NewReader(file)
	require.NoError(t, err)
	shown := 0
	for _, err := range r.Play(t.Context(), again, Options{MaxFrame: maxFrame}) {
		require.NoError(t, err)
		shown++
		require.InDelta(t, len(whole)*shown/2_000, file.bytes, 100_000, "behind %d events", shown)
	}
	assert.Equal(t, 2_000, shown)
}

// The versions of these lists go down, which shows only when they have been
// read: custom resources have theirs behind the items. The Watcher asks for
// the second one twice.
func TestAListMayBeAskedForTwice(t *testing.T) {
	list := func(rv string) string {
		return `{"kind":"ConfigMapList","apiVersion":"v1","items":[` + replay.Item("a", "8") + `],"metadata":{"resourceVersion":"` + rv + `"}}`
	}
	assert.Equal(t, []string{"ADDED a 8", "SYNCED  20", "GAP  20", "MODIFIED a 8", "SYNCED  10", "ADDED b 11"}, events(t, text(recording(
		"/", "200", list("20"), "eof", "/", "200", list("10"), "eof",
		"/?watch=true&resourceVersion=10", "200", replay.Event("ADDED", "b", "11"), "eof")), 0))
}

func TestWhatEndsAPlayback(t *testing.T) {
	whole := text(recording("/", "200", replay.ListBody("10", replay.Item("a", "8"), replay.Item("b", "9")), "eof",
		"/?watch=true&resourceVersion=10", "200", `"d":3600,"t":"ev","ev":`+strings.TrimSpace(replay.Event("ADDED", "c", "11")), "eof"))
	look := func(t *testing.T, whole func(*testing.T) *replay.Reader) *Recording {
		r, err := Look(whole(t), maxFrame)
		require.NoError(t, err)
		return r
	}
	t.Run("a caller who leaves", func(t *testing.T) {
		for range look(t, whole).Play(t.Context(), whole(t), Options{MaxFrame: maxFrame}) {
			break
		}
	})
	t.Run("a context, in a pause", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, io.ErrClosedPipe)
			defer cancel()
			var last error
			for _, last = range look(t, whole).Play(ctx, whole(t), Options{Speed: 1, MaxFrame: maxFrame}) {
			}
			assert.Equal(t, io.ErrClosedPipe, last)
		})
	})
	t.Run("a Watcher that gives up", func(t *testing.T) {
		without := text(recording("/", "200", replay.ListBody("", replay.Item("a", "8")), "eof"))
		var last error
		for _, last = range look(t, without).Play(t.Context(), without(t), Options{MaxFrame: maxFrame}) {
		}
		assert.ErrorIs(t, last, stream.ErrNoResourceVersion)
	})
	t.Run("a file that is another one now", func(t *testing.T) {
		other := text(recording("/?labelSelector=x", "200", replay.ListBody("10"), "eof"))
		var last error
		for _, last = range look(t, whole).Play(t.Context(), other(t), Options{MaxFrame: maxFrame}) {
		}
		assert.ErrorContains(t, last, "has changed")
		watch := text(recording("/?watch=true&resourceVersion=5", "200", replay.Event("ADDED", "c", "11"), "eof"))
		for _, last = range look(t, whole).Play(t.Context(), watch(t), Options{MaxFrame: maxFrame}) {
		}
		assert.ErrorContains(t, last, "no such page")
	})
}

func TestWhereObjectsAreThatWereRecordedAlone(t *testing.T) {
	for kind, want := range map[string]string{
		"Pod": "/api/v1/pods", "PodList": "/api/v1/pods", "Endpoints": "/api/v1/endpoints", "Box": "/api/v1/boxes", "Batch": "/api/v1/batches",
		"NetworkPolicy": "/api/v1/networkpolicies", "Key": "/api/v1/keys",
	} {
		assert.Equal(t, want, Path(kind, "v1"))
	}
	assert.Equal(t, "/apis/apps/v1/deployments", Path("Deployment", "apps/v1"))

	r, err := Look(text(table("ADDED", "8", `"name":"a"`)+"\n"+replay.Event("ADDED", "b", "9"))(t), maxFrame)
	require.NoError(t, err)
	require.Len(t, r.Tracks, 1)
	assert.Equal(t, "ConfigMap", r.Tracks[0].Kind, "a Table has no kind of its own")
	assert.Equal(t, "configmaps", r.Tracks[0].Target.String())
}

// The server's own words are for the loss that they were said of.
func TestALossHasItsCause(t *testing.T) {
	const watch = "/?watch=true&resourceVersion="
	list := func(rv string) string { return replay.ListBody(rv) }
	whole := text(recording("/", "200", list("10"), "eof", watch+"10", "410", `{"kind":"Status","code":410,"message":"too old"}`, "eof",
		"/", "200", list("20"), "eof", watch+"20", "200", replay.EventOf("ERROR", `{"kind":"Status","code":410,"message":"of an event"}`), "eof",
		"/", "200", list("30"), "eof", watch+"30", "410", `"t":"body","text":"{\"code\":410,"`, "eof", "/", "200", list("40"), "eof"))
	r, err := Look(whole(t), maxFrame)
	require.NoError(t, err)
	var causes []string
	for ev, err := range r.Play(t.Context(), whole(t), Options{MaxFrame: maxFrame}) {
		require.NoError(t, err)
		if answer, ok := errors.AsType[*status.Error](ev.Cause); ok {
			causes = append(causes, answer.Message)
		}
	}
	assert.Equal(t, []string{"too old", "of an event", "the recorded client listed again"}, causes)
}

func TestWhatIsHiddenIsCounted(t *testing.T) {
	r, err := Look(text(recording("/?watch=true&resourceVersion=5", "200", `"t":"raw","len":40,"hash":"00"`, replay.Event("ADDED", "a", "6"), "eof",
		"/", "200", `"t":"body","len":400,"hash":"00"`, "eof"))(t), maxFrame)
	require.NoError(t, err)
	assert.Equal(t, 2, r.Unread)
	assert.Len(t, r.Tracks, 1)
}

func TestTracksAreByCollectionSelectorAndView(t *testing.T) {
	list := replay.ListBody("10", replay.Item("a", "8"))
	r, err := Look(text(recording("/", "200", list, "eof", "/?labelSelector=x", "200", list, "eof", "/", "200", list, "eof",
		`"c":9,"t":"req","method":"GET","url":"/apis/apps/v1/deployments","h":{"Accept":"application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"}`,
		`"c":9,"t":"res","status":200`, `"c":9,"t":"body","json":`+list, `"c":9,"t":"end","why":"eof"`))(t), maxFrame)
	require.NoError(t, err)
	var got []string
	for _, track := range r.Tracks {
		got = append(got, fmt.Sprintf("%s %q %d", track.Target, track.Target.LabelSelector, track.View))
	}
	assert.Equal(t, []string{`configmaps in namespace t "" 0`, `configmaps in namespace t "x" 0`, `deployments.apps "" 1`}, got)
}

func FuzzAnyRecordingComesToAnEnd(f *testing.F) {
	for _, name := range []string{"replay/list-watch-cut.rwr", "replay/expired-relist.rwr", "replay/faults.rwr", "recordings/watchlist-configmaps-gzip.http"} {
		b, err := os.ReadFile(testdata + name)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte(recording("/", "200", replay.ListPage("9", "x", replay.Item("a", "8")), "eof", "/?continue=x", "200", replay.ListBody("9"), "eof")))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := replay.NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		recording, err := Look(r, 1<<20)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		for _, err := range recording.Play(ctx, text(string(data))(t), Options{MaxFrame: 1 << 20}) {
			if err != nil {
				break
			}
		}
		require.NoError(t, ctx.Err(), "it never ends")
	})
}
