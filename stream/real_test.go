package stream_test

import (
	"testing"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Recordings of a real server, met again. They were made with the same loop,
// and the script takes no other requests than the recorded ones: a version
// that is resumed from wrongly, a list too many or too few fails here.
func TestRecordedServers(t *testing.T) {
	for _, c := range []struct {
		file string
		set  func(*stream.Watcher)
		want []string
	}{
		{"real-torn-frame.rwr", nil, []string{"ADDED a", "ADDED b", "ADDED c", "SYNCED", "MODIFIED a", "DELETED b"}},
		{"real-expired-relist.rwr", nil, []string{"ADDED a", "ADDED b", "ADDED c", "SYNCED", "MODIFIED a",
			"GAP", "MODIFIED c", "ADDED d", "DELETED b inferred", "SYNCED", "MODIFIED d"}},
		{"real-streaming-list.rwr", func(w *stream.Watcher) { w.Start = stream.StartStream },
			[]string{"ADDED a", "ADDED b", "ADDED c", "SYNCED", "MODIFIED a", "DELETED b", "ADDED d"}},
	} {
		for name, speed := range map[string]float64{"at once": 0, "as recorded": 1} {
			bubble(t, c.file+", "+name, func(t *testing.T) {
				script, err := replay.Load("../testdata/replay/"+c.file, speed)
				require.NoError(t, err)
				r := newRig(t, func(*rig) replay.Script { return script })
				if c.set != nil {
					c.set(r.w)
				}
				var got []string
				for ev, err := range r.w.Watch(r.ctx) {
					if !assert.NoError(t, err) {
						break
					}
					ev.ResourceVersion = "" // another one whenever the recording is made anew
					if got = append(got, line(ev)); len(got) == len(c.want) {
						break
					}
				}
				assert.Equal(t, c.want, got)
			})
		}
	}
}
