package stream

import (
	"math/rand/v2"
	"time"
)

// The servers of a fleet, as a model: what a request gets depends on when it
// is sent and on luck, and on no other request. Times count from the beginning
// of the incident. So each watch can be played from its beginning to its end,
// one after the other.

// incident is what happens to the servers.
type incident struct {
	name    string
	servers []server
	// bases are the moments from which it counts how long it takes until all
	// are back.
	bases []time.Duration
	ends  time.Duration // no request after this is looked at
}

// server is away once.
type server struct {
	from, to time.Duration // it is away in [from, to)
	clean    bool          // its streams come to a proper end; else they are cut
	proxied  bool          // while it is away, a proxy in front of it answers 503
	forgets  bool          // it comes back without history from before
}

var incidents = []*incident{
	{
		name:    "outage of 60 s, connections refused",
		servers: []server{{from: 0, to: time.Minute}},
		bases:   []time.Duration{time.Minute}, ends: 4 * time.Minute,
	},
	{
		name:    "outage of 60 s behind a proxy that answers 503",
		servers: []server{{from: 0, to: time.Minute, proxied: true}},
		bases:   []time.Duration{time.Minute}, ends: 4 * time.Minute,
	},
	{
		name: "rolling restart of 3 servers",
		servers: []server{
			{from: 0, to: 30 * time.Second, clean: true, forgets: true},
			{from: 3 * time.Minute, to: 210 * time.Second, clean: true, forgets: true},
			{from: 6 * time.Minute, to: 390 * time.Second, clean: true, forgets: true},
		},
		bases: []time.Duration{0, 3 * time.Minute, 6 * time.Minute}, ends: 9 * time.Minute,
	},
	{
		name:    "history lost by all (410)",
		servers: []server{{from: 0, to: 0, clean: true, forgets: true}},
		bases:   []time.Duration{0}, ends: 3 * time.Minute,
	},
}

// client is one watch, as its servers see it.
type client interface {
	// ask is the next request, sent now.
	ask(now time.Duration) ask
	// told hears how that went, and says how long it waits before the next
	// one; false: it has given up.
	told(a answer) (wait time.Duration, goesOn bool)
}

// ask is a request.
type ask struct {
	list     bool
	needless bool          // of a list: nobody said that the watch before could not go on
	version  time.Duration // of a watch: the moment that its resourceVersion is of
	length   time.Duration // of a watch: its timeoutSeconds; 0 leaves it to the server
}

type ending int

const (
	refused ending = iota
	unavailable
	expired410
	whole   // a list that was read
	timeout // a stream that lived as long as it was asked to
	closed  // a stream that came to a proper end before that
	torn    // a stream that was cut
)

// answer is what became of a request.
type answer struct {
	ending
	sent, opened, ended time.Duration
	version             time.Duration // of the list, or the last bookmark of the stream
}

const (
	networkTime   = 2 * time.Millisecond
	listTime      = 20 * time.Millisecond
	bookmarkEvery = time.Minute // apiserver storage/cacher
	serverLength  = 30 * time.Minute
)

// request is what the servers do.
func (in *incident) request(a ask, now, notices time.Duration, r *rand.Rand) answer {
	s := in.route(now, notices, r)
	got := answer{sent: now, opened: now + networkTime, ended: now + networkTime}
	switch {
	case s.away(now) && s.proxied:
		got.ending = unavailable
	case s.away(now):
		got.ending = refused
	case a.list:
		got.ending, got.ended = whole, now+listTime
		got.version = got.ended
	case s.forgets && now >= s.to && a.version < s.to:
		got.ending = expired410
	default:
		length := a.length
		if length == 0 {
			length = serverLength + randomTime(r, serverLength)
		}
		got.ending, got.ended = timeout, now+length
		if now < s.from && got.ended >= s.from {
			got.ending, got.ended = torn, s.from
			if s.clean {
				got.ending = closed
			}
		}
		// Bookmarks come once a minute, each stream in its own rhythm.
		got.version = max(a.version, got.ended-randomTime(r, bookmarkEvery))
	}
	return got
}

func (s *server) away(now time.Duration) bool { return s.from <= now && now < s.to }

// route is the server that the balancer takes. It goes on sending to one that is
// gone until it notices.
func (in *incident) route(now, notices time.Duration, r *rand.Rand) *server {
	for {
		s := &in.servers[r.IntN(len(in.servers))]
		if !s.away(now) || now < s.from+notices || len(in.servers) == 1 {
			return s
		}
	}
}

func randomTime(r *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(d)))
}

// play plays all watches of a fleet, and counts.
func (in *incident) play(fleet int, begin func(*rand.Rand) client) toll {
	var t toll
	perMilli := make([]int, in.ends/time.Millisecond)
	notices := 5*time.Second + 5*time.Second*time.Duration(2*fleet+1)/(2*fleets)
	for i := range uint64(fleetSize) {
		r := rand.New(rand.NewPCG(uint64(fleet), i))
		c := begin(r)
		bases := in.bases // from which it has not been seen open
		// Each has been watching for a while when it happens.
		now := -randomTime(r, 4*time.Minute) - time.Minute
		for now < in.ends {
			a := c.ask(now)
			got := in.request(a, now, notices, r)
			if now >= 0 {
				perMilli[now/time.Millisecond]++
				if a.list {
					t.lists++
				}
				if got.ending < whole || a.needless {
					t.wasted++
				}
			}
			for len(bases) > 0 && got.ending > whole && got.ended > bases[0] {
				t.back = max(t.back, got.opened-bases[0])
				bases = bases[1:]
			}
			wait, goesOn := c.told(got)
			if !goesOn {
				t.gaveUp++
				break
			}
			now = got.ended + wait
		}
	}
	t.peak = busiest(perMilli)
	return t
}

// busiest is the most requests in any one second, wherever it begins.
func busiest(perMilli []int) (most int) {
	sum := 0
	for at, n := range perMilli {
		sum += n
		if at >= 1000 {
			sum -= perMilli[at-1000]
		}
		most = max(most, sum)
	}
	return most
}
