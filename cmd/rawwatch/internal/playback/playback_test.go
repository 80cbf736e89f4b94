package playback

import (
	"fmt"
	"os"
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
