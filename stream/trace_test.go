package stream_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
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

// Every hook there is, the one that is added next year included.
func TestHooksAreAddedBehindThoseThatAreThere(t *testing.T) {
	var ran []string
	all := func(name string) (trace stream.Trace) {
		hooks := reflect.ValueOf(&trace).Elem()
		for i := range hooks.NumField() {
			hooks.Field(i).Set(reflect.MakeFunc(hooks.Field(i).Type(), func([]reflect.Value) []reflect.Value {
				ran = append(ran, name)
				return nil
			}))
		}
		return trace
	}
	both, first, second := all("first"), all("first"), stream.Trace{}
	both.Add(all("second"))
	first.Add(stream.Trace{})
	second.Add(all("second"))
	for _, tt := range []struct {
		trace stream.Trace
		want  []string
	}{{both, []string{"first", "second"}}, {first, []string{"first"}}, {second, []string{"second"}}} {
		hooks := reflect.ValueOf(tt.trace)
		for i := range hooks.NumField() {
			var in []reflect.Value
			for k := range hooks.Field(i).Type().NumIn() {
				in = append(in, reflect.Zero(hooks.Field(i).Type().In(k)))
			}
			ran = nil
			hooks.Field(i).Call(in)
			assert.Equal(t, tt.want, ran, hooks.Type().Field(i).Name)
		}
	}
	none := stream.Trace{}
	none.Add(stream.Trace{})
	assert.Equal(t, stream.Trace{}, none, "a hook that is nil is not called")
}
