package stream

import (
	"errors"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// next, without a server: every state against every kind of outcome.

var errBroken = errors.New("connection reset")

// outcomes are the ways a request can go, by name.
func outcomes(verb Verb) map[string]outcome {
	answer := func(code int, reason string) error {
		return status.FromEvent(fmt.Appendf(nil, `{"kind":"Status","code":%d,"reason":%q}`, code, reason), nil)
	}
	all := map[string]error{
		"410":            answer(410, "Expired"),
		"storage read":   answer(500, "StorageReadError"),
		"429":            answer(429, "TooManyRequests"),
		"403":            answer(403, "Forbidden"),
		"400":            answer(400, "BadRequest"),
		"500":            answer(500, ""),
		"503":            answer(503, ""),
		"refused":        syscall.ECONNREFUSED,
		"broken":         errBroken,
		"no headers":     &status.End{Kind: status.EndNoHeaders},
		"idle":           &status.End{Kind: status.EndIdle},
		"bad frame":      &status.End{Kind: status.EndBadFrame},
		"frame size":     &status.End{Kind: status.EndFrameSize},
		"not a stream":   &status.End{Kind: status.EndListBody},
		"clean end":      io.EOF,
		"torn":           io.ErrUnexpectedEOF,
		"missing 404":    answer(404, ""),
		"nothing at all": errors.New("?"),
	}
	m := make(map[string]outcome)
	for name, err := range all {
		o := outcome{verb: verb, err: err, timeout: 300 * time.Second, age: time.Millisecond}
		switch name {
		case "clean end", "torn", "bad frame", "frame size", "not a stream", "idle":
			o.answered = true
		}
		m[name] = o
	}
	return m
}

func TestNextNeverGetsStuck(t *testing.T) {
	states := map[string]struct {
		state state
		verb  Verb
	}{
		"first page": {listing{}, List},
		"later page": {listing{token: "t", page: 3, version: "9"}, List},
		"full list":  {listing{full: true, lost: 2}, List},
		"locating":   {locating{}, List},
		"watching":   {watching{}, Watch},
	}
	for stateName, s := range states {
		for name, o := range outcomes(s.verb) {
			for _, worked := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, worked %v", stateName, name, worked), func(t *testing.T) {
					m := machine{state: s.state, contact: worked, listed: worked, watched: worked}
					now := time.Unix(0, 0)
					for i := range 40 {
						o.now = now
						before := m.state
						var st step
						m, st = next(m, o)
						if st.stop != nil {
							return
						}
						require.NotNil(t, m.state)
						if st.gap != nil {
							assert.Equal(t, watching{}, before, "only a watch can lose history")
							assert.Equal(t, listing{}, m.state, "a gap is followed by a list")
							m.state = before // and the same happens again
						}
						if i > 0 {
							assert.NotEqual(t, status.DelayNone, st.verdict.Delay, "a second failure without any pause")
						}
						now = now.Add(time.Second)
					}
				})
			}
		}
	}
}

func TestNext(t *testing.T) {
	expired := outcomes(List)["410"]
	t.Run("a list walks through its pages and keeps the version of the first", func(t *testing.T) {
		m := machine{state: listing{}}
		m, st := next(m, outcome{verb: List, answered: true, header: header("10", "t1")})
		assert.Equal(t, listing{token: "t1", page: 1, version: "10"}, m.state)
		assert.Zero(t, st)
		_, st = next(m, outcome{verb: List, answered: true, header: header("", "")})
		assert.Equal(t, step{stop: ErrNoResourceVersion}, st)
	})
	t.Run("a stream that lived as long as it was asked to breaks a row of empty ones", func(t *testing.T) {
		m := machine{contact: true, listed: true, watched: true}
		for range 20 {
			m.state = watching{}
			m, _ = next(m, outcome{verb: Watch, answered: true, err: io.EOF, timeout: 300 * time.Second, age: 300 * time.Second})
		}
		m.state = watching{}
		_, st := next(m, outcome{verb: Watch, answered: true, err: io.EOF, timeout: 300 * time.Second, age: 120 * time.Second})
		assert.Equal(t, status.RowBrokenStream, st.verdict.Row)
	})
	t.Run("a list that begins again remembers how it has to be asked for", func(t *testing.T) {
		m, _ := next(machine{state: listing{token: "t", lost: 1, full: true, consistent: true}}, expired)
		assert.Equal(t, listing{lost: 2, full: true, consistent: true}, m.state, "a token was lost")
		m, _ = next(machine{state: listing{token: "t", lost: 2, consistent: true}}, outcome{verb: List, answered: true, wentBack: true})
		assert.Equal(t, listing{lost: 2, full: true, consistent: true}, m.state, "the server went back, and its cache cannot know more")
	})
	t.Run("a stream that is refused is no failure of the list in its place", func(t *testing.T) {
		m, st := next(machine{state: streaming{}, stream: true, failures: 2, spread: true}, outcome{verb: Watch, err: &status.Error{HTTPStatus: 422}})
		assert.Equal(t, machine{state: listing{}}, m)
		assert.Zero(t, st.verdict, "and nothing is waited for")
	})
	t.Run("three lost tokens lead to a list in one piece", func(t *testing.T) {
		m := machine{state: listing{token: "t"}}
		for range maxLost {
			m, _ = next(m, expired)
			s := m.state.(listing)
			s.token = "again"
			m.state = s
		}
		assert.Equal(t, maxLost, m.state.(listing).lost)
	})
	t.Run("an old list that was compared too soon is read once more, in full", func(t *testing.T) {
		m := machine{state: listing{token: "t2", page: 1}}
		m, st := next(m, outcome{verb: List, answered: true, header: header("5", ""), wentBack: true})
		assert.Equal(t, listing{full: true}, m.state)
		assert.Zero(t, st)
	})
	t.Run("a stream that lived a second forgives the failures before", func(t *testing.T) {
		m := machine{state: watching{}, contact: true, watched: true}
		o := outcome{verb: Watch, answered: true, err: errBroken, age: time.Millisecond}
		for range 4 {
			m, _ = next(m, o)
		}
		assert.Equal(t, 3, m.failures, "the first one does not back off")
		o.age = 2 * time.Second
		m, st := next(m, o)
		assert.Zero(t, m.failures)
		assert.Equal(t, status.DelaySpread, st.verdict.Delay)
	})
	t.Run("a fleet is sent apart once", func(t *testing.T) {
		m := machine{state: watching{}, contact: true, listed: true, watched: true}
		gone := outcomes(Watch)["410"]
		m, st := next(m, outcome{verb: Watch, answered: true, err: errBroken, age: time.Minute})
		assert.Equal(t, status.DelaySpread, st.verdict.Delay)
		m, st = next(m, gone)
		assert.Equal(t, status.DelayNone, st.verdict.Delay, "the wait before the resume was enough")
		require.NotNil(t, st.gap)
		m.state = watching{} // Synced was acknowledged
		m, _ = next(m, outcome{verb: List, answered: true, header: header("20", "")})
		m, st = next(m, gone)
		assert.Equal(t, status.DelayBackoff, st.verdict.Delay, "a second 410 in a row")
		require.NotNil(t, st.gap)
	})
	t.Run("a stream that lived, or that nobody waited before, is listed after a wait", func(t *testing.T) {
		for _, spread := range []bool{false, true} {
			m := machine{state: watching{}, contact: true, listed: true, watched: true, spread: spread}
			gone := outcomes(Watch)["410"]
			gone.answered, gone.age = true, time.Hour
			if !spread {
				gone.age = time.Millisecond
			}
			_, st := next(m, gone)
			assert.Equal(t, status.DelaySpread, st.verdict.Delay)
		}
	})
	t.Run("but an empty one does not, the tenth time", func(t *testing.T) {
		m := machine{state: watching{}, contact: true, watched: true}
		var st step
		for range 10 {
			m, st = next(m, outcome{verb: Watch, answered: true, err: io.EOF, age: 5 * time.Second, timeout: 300 * time.Second})
		}
		assert.Equal(t, status.RowShortWatch, st.verdict.Row)
		assert.Equal(t, 10, m.empty)
		m, _ = next(m, outcome{verb: Watch, answered: true, err: io.EOF, age: 5 * time.Second, timeout: 300 * time.Second, bookmarks: 1, moved: true})
		assert.Zero(t, m.empty)
	})
}

func header(version, token string) decode.ListHeader {
	return decode.ListHeader{ResourceVersion: version, Continue: token}
}

func TestIsOlder(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"9", "10", true}, {"10", "9", false}, {"10", "10", false}, {"1001", "1200", true},
		{"99999999999999999998", "99999999999999999999", true},
		{"", "10", false}, {"9", "", false}, {"0", "10", false}, {"007", "10", false}, {"a1", "b2", false}, {"1e3", "9999", false},
	} {
		assert.Equal(t, tt.want, isOlder(tt.a, tt.b), "%q before %q", tt.a, tt.b)
	}
}
