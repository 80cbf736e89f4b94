package stream_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A token is good for an hour and a watch for ever, so each request needs the
// token of its own moment. This is the real client of package kubeconfig, over
// loopback: the file is read when the server refuses what was read before.
func TestFailureB30TokensAreReadForEachRequest(t *testing.T) {
	for name, broken := range map[string]string{"": "", " that is empty for a while": "\n", " that is half written": "a b"} {
		t.Run("a file"+name, func(t *testing.T) {
			dir := t.TempDir()
			token := filepath.Join(dir, "token")
			write := func(content string) {
				require.NoError(t, os.WriteFile(token, []byte(content), 0o600))
			}
			write("T1\n")
			as := func(request replay.Request, token string) replay.Request {
				request.Header = map[string]string{"Authorization": "Bearer " + token}
				return request
			}
			steps := []replay.Step{replay.Respond(200), replay.Write(ev("ADDED", "a", "11"))}
			answers := replay.Script{on(as(list, "T1"), replay.JSON(200, replay.ListBody("10"))...)}
			if broken != "" {
				answers = append(answers, on(as(watch("10"), "T1"), replay.Respond(200),
					replay.Do(func() { write(broken) }), end))
			}
			r := newRigOn(t, replay.Options{TCP: true, TLS: true}, func(r *rig) replay.Script {
				answers = append(answers,
					on(as(watch("10"), "T1"), append(steps, replay.Do(func() { write("T2\n") }), end)...),
					on(as(watch("11"), "T1"), refused(401, "Unauthorized")...),
					on(as(watch("11"), "T2"), stream200(ev("ADDED", "b", "12"), r.stop()...)...),
				)
				return answers
			})
			config, err := kubeconfig.Load(kubeconfig.Options{Path: withTokenFile(t, r.srv, dir, token)})
			require.NoError(t, err)
			defer config.Client.CloseIdleConnections()
			r.w.Client, r.w.Server = config.Client, config.Server
			r.played("SYNCED 10", "ADDED a 11", "ADDED b 12")
			pauses := r.gaps()
			assert.Less(t, pauses[len(pauses)-1], time.Second, "the second try comes at once")
		})
	}
	bubble(t, "refused without end, it is asked seldom, and not for ever", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			s := replay.Script{listOf("10"), watchOf("10", ev("ADDED", "a", "11"), end)}
			for range 9 {
				s = append(s, on(watch("11"), refused(401, "Unauthorized")...))
			}
			return s
		})
		assert.Equal(t, []string{"SYNCED 10", "ADDED a 11"}, r.all())
		assert.ErrorIs(t, r.err, status.ErrUnauthorized)
		assert.Equal(t, "11", r.w.State().ResourceVersion)
	})
	bubble(t, "nor is it asked a second time when it never worked", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return replay.Script{on(list, refused(401, "Unauthorized")...)} })
		require.Empty(t, r.all())
		assert.ErrorIs(t, r.err, status.ErrUnauthorized)
	})
	bubble(t, "an open stream outlives the token it began with", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", ev("ADDED", "a", "11"), append([]replay.Step{replay.Pause(2 * time.Hour), replay.Write(ev("ADDED", "b", "12"))}, r.stop()...)...),
			}
		}, func(w *stream.Watcher) { w.IdleTimeout = 3 * time.Hour })
		r.played("SYNCED 10", "ADDED a 11", "ADDED b 12")
	})
}

// withTokenFile writes the server's kubeconfig, with a user whose token is in
// a file, and returns its name.
func withTokenFile(t *testing.T, srv *replay.Server, dir, token string) string {
	t.Helper()
	var config map[string]any
	require.NoError(t, json.Unmarshal(srv.Kubeconfig(), &config))
	config["users"] = []any{map[string]any{"name": "replay", "user": map[string]any{"tokenFile": token}}}
	text, err := json.Marshal(config)
	require.NoError(t, err)
	path := filepath.Join(dir, "config")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}
