package playback

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/rawwatch/stream/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testdata = "../../../../testdata/"

func open(t *testing.T, name string) *replay.Reader {
	t.Helper()
	f, err := os.Open(testdata + name)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	r, err := replay.NewReader(f)
	require.NoError(t, err)
	return r
}

// events are what the tracks of a recording deliver, one track after the other.
func events(t *testing.T, r *replay.Reader, speed float64) (all []string) {
	t.Helper()
	recording, err := Load(r, speed, 16<<20)
	require.NoError(t, err)
	for _, track := range recording.Tracks {
		for ev, err := range track.Watch(t.Context(), Options{}) {
			require.NoError(t, err)
			text := fmt.Sprintf("%s %s %s", ev.Type, ev.Name, ev.ResourceVersion)
			if ev.Inferred {
				text += " inferred"
			}
			all = append(all, text)
		}
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
			assert.Equal(t, tt.want, events(t, open(t, tt.file), 0))
		})
	}
}

func TestPausesAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		events(t, open(t, "replay/list-watch-cut.rwr"), 2)
		assert.Equal(t, "32s", time.Since(began).Round(time.Second).String())
	})
}

// recording writes the lines of a recording: a request "METHOD PATH", then the
// records of its answer.
func recording(t *testing.T, lines ...string) *replay.Reader {
	t.Helper()
	r, err := replay.NewReader(strings.NewReader(text(lines...)))
	require.NoError(t, err)
	return r
}

// text: a line that begins with a slash is a request, of the next exchange;
// 200 (or another status) its answer, "eof" its end, and { an event or a body.
func text(lines ...string) string {
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
				assert.Equal(t, tt.want, events(t, recording(t, tt.lines...), 0))
				assert.Zero(t, time.Since(began), "the client waits for nothing")
			})
		})
	}
}

func TestWhatIsHiddenIsCounted(t *testing.T) {
	r, err := Load(recording(t, "/?watch=true&resourceVersion=5", "200", `"t":"raw","len":40,"hash":"00"`, replay.Event("ADDED", "a", "6"), "eof",
		"/", "200", `"t":"body","len":400,"hash":"00"`, "eof"), 0, 16<<20)
	require.NoError(t, err)
	assert.Equal(t, 2, r.Unread)
	assert.Len(t, r.Tracks, 1)
}

func TestTracksAreByCollectionSelectorAndView(t *testing.T) {
	list := replay.ListBody("10", replay.Item("a", "8"))
	r, err := Load(recording(t, "/", "200", list, "eof", "/?labelSelector=x", "200", list, "eof", "/", "200", list, "eof",
		`"c":9,"t":"req","method":"GET","url":"/apis/apps/v1/deployments","h":{"Accept":"application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"}`,
		`"c":9,"t":"res","status":200`, `"c":9,"t":"body","json":`+list, `"c":9,"t":"end","why":"eof"`), 0, 16<<20)
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
	f.Add([]byte(text("/", "200", replay.ListPage("9", "x", replay.Item("a", "8")), "eof", "/?continue=x", "200", replay.ListBody("9"), "eof")))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := replay.NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		recording, err := Load(r, 0, 1<<20)
		if err != nil {
			return
		}
		for _, track := range recording.Tracks {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			for _, err := range track.Watch(ctx, Options{}) {
				if err != nil {
					break
				}
			}
			require.NoError(t, ctx.Err(), "it never ends")
			cancel()
		}
	})
}
