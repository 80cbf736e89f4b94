package e2e

import (
	"slices"
	"testing"
	"time"

	"example.com/rawwatch/test/cluster"
)

// soakFault is what may go wrong, while objects are changed.
type soakFault struct {
	name    string
	happens func(*soak)
}

// soakFaults happen once in each round, in any order.
var soakFaults = []soakFault{
	{"API server stopped (SIGTERM) and started", func(s *soak) { s.down((*cluster.Cluster).Terminate) }},
	{"API server killed (SIGKILL) and started", func(s *soak) { s.down((*cluster.Cluster).Kill) }},
	{"history compacted, unseen by half of the clients", (*soak).expire},
	{"connections cut", func(s *soak) { s.one().proxy.Cut() }},
	{"connections cut in the middle of a frame", func(s *soak) { s.one().proxy.CutAfter(s.rand.Int64N(3000)) }},
	{"connections reset", func(s *soak) { s.one().proxy.Reset() }},
	{"network stalled", func(s *soak) { s.stall(s.one()) }},
	{"connections frozen", func(s *soak) { s.one().proxy.Freeze() }},
	{"connections refused", (*soak).refuse},
	{"client killed (SIGKILL) and resumed", func(s *soak) { s.crash(s.one()) }},
	{"all clients killed (SIGKILL) and resumed", func(s *soak) { s.crash(s.clients...) }},
	{"client ended (SIGINT) and resumed", (*soak).leave},
}

func (s *soak) one() *soakClient { return s.clients[s.rand.IntN(len(s.clients))] }

// while lets the writers do something for up to d.
func (s *soak) while(d time.Duration) { time.Sleep(time.Duration(s.rand.Int64N(int64(d)))) }

// down: the API server is away for a while, in which other things go wrong.
func (s *soak) down(stop func(*cluster.Cluster, testing.TB)) {
	stop(s.cluster, s.T)
	s.while(2 * time.Second)
	switch s.rand.IntN(3) {
	case 0:
		s.crash(s.one())
		s.faults["client killed and resumed while the API server was down"]++
	case 1:
		s.one().proxy.Freeze()
		s.faults["connections frozen while the API server was down"]++
	}
	s.cluster.Restart(s.T)
}

// expire: half of the clients miss changes that no server remembers.
func (s *soak) expire() {
	cut := slices.Clone(s.clients)
	s.rand.Shuffle(len(cut), func(i, j int) { cut[i], cut[j] = cut[j], cut[i] })
	cut = cut[:len(cut)/2]
	for _, c := range cut {
		c.proxy.Refuse()
		c.proxy.Cut()
	}
	s.await("the changes that are missed", func() bool { return s.done.Load() >= s.given })
	s.cluster.Compact(s.T)
	s.cluster.Kill(s.T)
	s.cluster.Restart(s.T)
	for _, c := range cut {
		c.proxy.Accept(s.T)
	}
}

func (s *soak) stall(c *soakClient) {
	c.proxy.Stall()
	s.while(2 * silence)
	c.proxy.Flow()
}

func (s *soak) refuse() {
	c := s.one()
	c.proxy.Refuse()
	c.proxy.Cut()
	s.while(3 * time.Second)
	c.proxy.Accept(s.T)
}

// crash kills clients and lets each go on from its checkpoint.
func (s *soak) crash(clients ...*soakClient) {
	s.while(2 * time.Second)
	for _, c := range clients {
		c.kill()
	}
	s.while(2 * time.Second)
	for _, c := range clients {
		c.resume()
	}
}

func (s *soak) leave() {
	c := s.one()
	c.finish()
	s.while(2 * time.Second)
	c.resume()
}

// backUp copies the storage at a moment when nothing is being changed: what
// there is then, the ledgers know.
func (s *soak) backUp() {
	s.quiet.Lock()
	defer s.quiet.Unlock()
	if s.backup != nil {
		s.backup.Remove(s.T)
	}
	s.backup = &soakBackup{Snapshot: s.cluster.Snapshot(s.T)}
	for _, l := range s.ledgers {
		s.backup.at = append(s.backup.at, l.Now())
	}
}

// restore goes back to the backup, and changes nothing until all clients have
// noticed. They could not otherwise: a server whose versions have come past
// those that were lost looks as if it had never been away. Some clients are
// killed before, and see it when they resume.
func (s *soak) restore() {
	s.quiet.Lock()
	defer s.quiet.Unlock()
	var dead []*soakClient
	for _, c := range s.clients {
		if s.rand.IntN(3) == 0 {
			c.kill()
			dead = append(dead, c)
		}
	}
	s.cluster.Restore(s.T, s.backup.Snapshot)
	for i, l := range s.ledgers {
		l.Restore(s.backup.at[i])
	}
	for _, c := range dead {
		c.resume()
	}
	for _, c := range s.clients {
		s.noticed(c)
	}
}

// noticed waits until a client knows what exists. It does not look again until
// there is more to see.
func (s *soak) noticed(c *soakClient) {
	last := -1
	cluster.Wait(s, patience, "what was restored to be noticed by "+c.name, func() bool {
		if how, over := c.over(); over {
			s.Fatalf("%s has ended by itself: %s", c.name, how)
		}
		n := c.printed()
		if n == last {
			return false
		}
		last = n
		return c.ledger.Unsettled(nil, c.seen()) == ""
	})
}
