package stream_test

import (
	"strings"
	"testing"

	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
)

// What Trace sees, and the caller does not.

func TestUnknownEventsAreSkippedAndToldOf(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", ev("ADDED", "a", "11")+ev("RENAMED", "a", "12")+ev("added", "x", "13")+ev("ADDED", "b", "14"), cut),
				watchOf("14", "", r.stop()...),
			}
		})
		var types []string
		r.w.Trace.UnknownEvent = func(typ string, line []byte) { types = append(types, typ+" "+string(line[:9])) }
		r.played("SYNCED 10", "ADDED a 11", "ADDED b 14")
		assert.Equal(t, []string{`RENAMED {"type":"`, `added {"type":"`}, types)
	})
}

func TestTraceSeesEveryLine(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		all := ev("ADDED", "a", "11") + ev("ADDED", "a", "11") + ev("NEW", "a", "12") + bm("13") + gone + "garbage\n"
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"), watchOf("10", strings.TrimSuffix(all, "garbage\n"), end),
				listOf("20"), watchOf("20", "garbage\n", end), watchOf("20", "", r.stop()...),
			}
		})
		var seen strings.Builder
		r.w.Trace.Line = func(line []byte) { seen.Write(line); seen.WriteByte('\n') }
		r.played("SYNCED 10", "ADDED a 11", "GAP 13", "DELETED a 11 inferred", "SYNCED 20")
		assert.Equal(t, all, seen.String())
	})
}
