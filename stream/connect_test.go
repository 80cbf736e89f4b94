package stream_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One connection without the loop: all it sends, and always how it ended.
func TestConnect(t *testing.T) {
	for name, tt := range map[string]struct {
		answer []replay.Step
		want   []string
		check  func(t *testing.T, err error)
	}{
		"clean end": {stream200(ev("ADDED", "a", "11")+ev("ADDED", "a", "11")+bm("12"), end), []string{"ADDED a 11", "ADDED a 11", "BOOKMARK 12"},
			func(t *testing.T, err error) { assert.ErrorIs(t, err, io.EOF) }},
		"cut in mid-line": {stream200(ev("ADDED", "a", "11")+`{"type"`, cut), []string{"ADDED a 11"},
			func(t *testing.T, err error) { assert.ErrorIs(t, err, io.ErrUnexpectedEOF) }},
		"ERROR event": {stream200(gone+ev("ADDED", "a", "11"), end), nil,
			func(t *testing.T, err error) { assert.ErrorIs(t, err, status.ErrExpired) }},
		"refused": {refused(403, "Forbidden"), nil,
			func(t *testing.T, err error) { assert.ErrorIs(t, err, status.ErrForbidden) }},
		"unknown type": {stream200(ev("NEW", "a", "11"), end), nil,
			func(t *testing.T, err error) { assert.ErrorAs(t, err, new(*stream.UnknownEventError)) }},
		"silence": {stream200("", replay.Hold()), nil,
			func(t *testing.T, err error) {
				var kind status.Kinded
				require.ErrorAs(t, err, &kind)
				assert.EqualValues(t, status.EndIdle, kind.FailureKind())
			}},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script { return replay.Script{on(watch("10"), tt.answer...)} })
			var got []string
			var last error
			for ev, err := range r.w.Connect(r.ctx, "10") {
				if err != nil {
					last = err
					continue
				}
				got = append(got, line(ev))
			}
			assert.Equal(t, tt.want, got)
			require.Error(t, last)
			tt.check(t, last)
			assert.Zero(t, r.w.State().Counters, "the Watcher remembers nothing of it")
		})
	}
	bubble(t, "cancel and break", func(t *testing.T) {
		errUser := errors.New("enough")
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{watchOf("10", ev("ADDED", "a", "11"), replay.Hold()), watchOf("10", ev("ADDED", "a", "11"), replay.Hold())}
		})
		ctx, cancel := context.WithTimeoutCause(r.ctx, time.Minute, errUser)
		defer cancel()
		for ev, err := range r.w.Connect(ctx, "10") {
			if err != nil {
				assert.Equal(t, errUser, err)
			} else {
				assert.Equal(t, "ADDED a 11", line(ev))
			}
		}
		for range r.w.Connect(r.ctx, "10") {
			break
		}
	})
}
