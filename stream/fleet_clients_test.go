package stream

import (
	"io"
	"math/rand/v2"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/status"
)

// ours is a Watcher without a network: what its loop does with the outcome of
// a request (run.go), and no more.
type ours struct {
	settings *settings
	session  *session
	length   time.Duration // of the watch that was asked for
}

func newOurs(r *rand.Rand) client {
	w := &Watcher{Server: fleetServer, Target: Target{Version: "v1", Resource: "pods"}, Rand: r}
	cfg, err := w.resolve()
	if err == nil {
		err = w.session.enter(cfg)
	}
	if err != nil {
		panic(err)
	}
	return &ours{settings: cfg, session: &w.session}
}

var fleetServer = &url.URL{Scheme: "http", Host: "fleet.test"}

// fleetEpoch is when an incident begins.
var fleetEpoch = time.Unix(1_800_000_000, 0)

// versionAt writes a moment as a resourceVersion, and momentOf reads it.
func versionAt(d time.Duration) string { return strconv.FormatInt(int64(d+time.Hour), 10) }

func momentOf(version string) time.Duration {
	n, _ := strconv.ParseInt(version, 10, 64) // "" is before everything
	return time.Duration(n) - time.Hour
}

func (c *ours) ask(now time.Duration) ask {
	s := c.session
	s.attempted = fleetEpoch.Add(now)
	s.moved = false
	if _, ok := s.machine.state.(watching); !ok {
		return ask{list: true, needless: s.position.version != ""}
	}
	c.length = randomTimeout(c.settings.rand, c.settings.watchTimeout)
	return ask{version: momentOf(s.position.version), length: c.length}
}

func (c *ours) told(a answer) (time.Duration, bool) {
	s := c.session
	at := s.machine.state
	o := outcome{
		verb: at.verb(), now: fleetEpoch.Add(a.ended), err: endings[a.ending], age: a.ended - a.sent,
		answered: a.ending >= expired410, timeout: c.length,
	}
	if o.answered {
		o.waited = a.opened - a.sent
	}
	switch {
	case a.ending == whole:
		o.header.ResourceVersion = versionAt(a.version)
		if _, ok := at.(listing); ok {
			s.apply(pending{version: versionAt(a.version), marker: Synced})
		} else {
			o.had = s.position.version
		}
	case a.ending > whole:
		o.bookmarks = int(o.age / bookmarkEvery)
		s.apply(pending{version: versionAt(a.version)})
		o.moved = s.moved
	}
	var st step
	s.machine, st = next(s.machine, o)
	if st.stop != nil {
		return 0, false
	}
	if st.gap != nil {
		s.lose(st.gap)
		s.apply(pending{marker: Gap})
	}
	var wait time.Duration
	if o.err != nil && st.verdict.Row != "" {
		wait = s.pause(st.verdict, c.settings.rand)
	}
	return wait + s.pace(o.now.Add(wait), c.settings.policy.MinDelay), true
}

// endings are what the loop makes of each end.
var endings = map[ending]error{
	refused:     &url.Error{Op: "Get", URL: fleetServer.String(), Err: syscall.ECONNREFUSED},
	unavailable: &status.Error{HTTPStatus: 503, Body: status.BodyHTML},
	expired410:  status.FromEvent([]byte(`{"kind":"Status","reason":"Expired","code":410}`), nil),
	timeout:     &status.End{Kind: status.EndClean, Err: io.EOF},
	closed:      &status.End{Kind: status.EndClean, Err: io.EOF},
	torn:        &status.End{Kind: status.EndTorn, Err: io.ErrUnexpectedEOF},
}

// reflector is the policy of client-go's Reflector with its defaults
// (tools/cache/reflector.go, without streaming lists):
//
//   - a stream that ends after a second or more is watched on at once;
//   - refused connections and 429 are tried again after a backoff;
//   - after everything else, 410 included, it lists, after a backoff;
//   - the backoff is 0.8 s, doubling to 30 s, and up to as much again by
//     chance; it starts over when it was not needed for 2 min;
//   - a watch asks for 5 to 10 min.
type reflector struct {
	rand     *rand.Rand
	lists    bool
	needless bool
	version  time.Duration

	tries int
	last  time.Duration // when the backoff was last asked
}

func (c *reflector) ask(time.Duration) ask {
	if c.lists {
		return ask{list: true, needless: c.needless}
	}
	return ask{version: c.version, length: 5*time.Minute + randomTime(c.rand, 5*time.Minute)}
}

func (c *reflector) told(a answer) (time.Duration, bool) {
	switch {
	case a.ending == whole:
		c.lists, c.version = false, a.version
		return 0, true
	case a.ending > whole:
		c.version = a.version
		if a.ended-a.sent >= time.Second {
			return 0, true
		}
		c.lists, c.needless = true, true
	case a.ending == expired410:
		c.lists, c.needless = true, false
	case a.ending == unavailable:
		c.needless = c.needless || !c.lists
		c.lists = true
	}
	if a.ended-c.last > 2*time.Minute {
		c.tries = 0
	}
	c.last = a.ended
	d := min(backoff.DefaultMin<<min(c.tries, 6), backoff.DefaultMax)
	c.tries++
	return d + backoff.Spread(c.rand, d), true
}

// retryWatcher is the policy of client-go's RetryWatcher
// (tools/watch/retrywatcher.go): at least 1 s from one request to the next, and
// an end at the first 410 event. It starts from a version and asks for no
// length of its own.
type retryWatcher struct {
	begun   bool
	version time.Duration
}

func (c *retryWatcher) ask(now time.Duration) ask {
	if !c.begun {
		c.begun, c.version = true, now
	}
	return ask{version: c.version}
}

func (c *retryWatcher) told(a answer) (time.Duration, bool) {
	if a.ending > whole {
		c.version = a.version
	}
	return max(0, time.Second-(a.ended-a.sent)), a.ending != expired410
}
