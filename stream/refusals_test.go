package stream_test

import (
	"testing"
	"time"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a server says no to, and for how long it is believed.

func TestRefusalsStop(t *testing.T) {
	for name, tt := range map[string]struct {
		answer []replay.Step
		want   error
	}{
		"401":        {refused(401, "Unauthorized"), status.ErrUnauthorized},
		"403":        {refused(403, "Forbidden"), status.ErrForbidden},
		"404":        {replay.JSON(404, "404 page not found\n", "Content-Type: text/plain"), status.ErrNotFound},
		"405":        {refused(405, "MethodNotAllowed"), status.ErrMethodNotAllowed},
		"400":        {refused(400, "BadRequest"), nil},
		"422":        {refused(422, "Invalid"), nil},
		"a redirect": {replay.JSON(302, "", "Location: https://evil.test/?token=s3cret"), status.ErrRedirect},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script { return replay.Script{on(list, tt.answer...)} })
			require.Empty(t, r.all())
			var failure *stream.Error
			require.ErrorAs(t, r.err, &failure)
			assert.Equal(t, stream.List, failure.Verb)
			assert.Equal(t, target, failure.Target)
			if tt.want != nil {
				assert.ErrorIs(t, r.err, tt.want)
			}
			text := r.err.Error()
			assert.Contains(t, text, "list configmaps in namespace t at replay.test")
			assert.NotContains(t, text, "s3cret")
			assert.NotContains(t, text, "\n")
		})
	}
	bubble(t, "403 on the watch alone names the watch", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), on(watch("10"), refused(403, "Forbidden")...)}
		})
		assert.Equal(t, []string{"SYNCED 10"}, r.all())
		assert.ErrorContains(t, r.err, "watch configmaps in namespace t")
	})
	bubble(t, "a caller's own version that the server cannot read stops after three", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			bad := on(watch("abc"), refused(500, "")...)
			return replay.Script{bad, bad, bad}
		}, func(w *stream.Watcher) { w.Start, w.ResourceVersion = stream.StartExact, "abc" })
		require.Empty(t, r.all())
		assert.ErrorIs(t, r.err, status.ErrInvalidResourceVersion)
	})
	bubble(t, "a body that is no list stops", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			object := on(list, replay.JSON(200, item("a", "3"))...)
			return replay.Script{object, object, object}
		})
		require.Empty(t, r.all())
		assert.ErrorIs(t, r.err, status.ErrNotStream)
	})
	bubble(t, "denied after it had worked: two minutes of patience", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			missing := on(watch("11"), replay.JSON(404, "404 page not found\n", "Content-Type: text/plain")...)
			return replay.Script{listOf("10"), watchOf("10", ev("ADDED", "a", "11"), end), missing, missing}
		}, func(w *stream.Watcher) { w.Backoff.Min, w.Backoff.Max = 2*time.Minute, 2*time.Minute })
		assert.Equal(t, []string{"SYNCED 10", "ADDED a 11"}, r.all())
		assert.ErrorIs(t, r.err, status.ErrResourceGone)
		assert.Greater(t, time.Since(r.begun), 2*time.Minute)
	})
}
