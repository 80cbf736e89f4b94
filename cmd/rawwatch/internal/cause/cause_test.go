package cause

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
)

func TestOf(t *testing.T) {
	answer := &status.Error{HTTPStatus: 410, Status: status.Status{Reason: "Expired", Message: "status: too old"}}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"a server's words, wherever they are", fmt.Errorf("stream: gave up: %w", answer), "410 Expired: status: too old"},
		{"what ended a stream", &status.End{Kind: status.EndFrameSize, Err: &decode.FrameSizeError{Offset: 5, Limit: 64}}, "at byte 5: longer than the limit of 64 bytes"},
		{"an end that is only named", &status.End{Kind: status.EndIdle}, "idle"},
		{"the network, without the URL", fmt.Errorf("x: %w", &url.Error{Op: "Get", URL: "https://secret", Err: errors.New("connection refused")}), "connection refused"},
		{"an end without words", &url.Error{Op: "Get", URL: "https://secret", Err: io.EOF}, "the server closed the connection without an answer"},
		{"a watch that is over, without what and where", &stream.Error{Verb: stream.List, Server: "api.test", Err: stream.ErrNoResourceVersion}, "list has no resourceVersion, so it cannot be watched"},
		{"several packages", errors.New("stream: status: x"), "x"},
		{"only in front", errors.New("kubeconfig: a stream: b"), "a stream: b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, Of(tt.err))
		})
	}
}
