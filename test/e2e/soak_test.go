package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/test/cluster"
)

// The length and the seed of a soak: its changes, and what decides which
// objects change and what befalls servers, network and clients, in which
// order. The moments are the machine's own, so a seed plays the same things
// again, but not the same instants.
const (
	soakChangesVariable = "RAWWATCH_SOAK_CHANGES"
	soakSeedVariable    = "RAWWATCH_SOAK_SEED"
)

// A soak goes in rounds. Each has every fault once, and so many changes.
const (
	soakShort = 500 // of a run without a length
	soakRound = 2000
)

// TestSoak changes objects while all goes wrong that can: what the clients
// were told, killed and resumed again and again, is compared with what was
// done.
func TestSoak(t *testing.T) {
	t.Parallel()
	changes, seed := soakShort, rand.Uint64()%1e6
	if n, err := strconv.Atoi(os.Getenv(soakChangesVariable)); err == nil {
		changes = n
	}
	if n, err := strconv.ParseUint(os.Getenv(soakSeedVariable), 10, 64); err == nil {
		seed = n
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("play it again with %s=%d %s=%d", soakSeedVariable, seed, soakChangesVariable, changes)
		}
	})
	newSoak(t, seed).run(changes)
}

// soak is one run.
type soak struct {
	*testing.T
	seed    uint64
	rand    *rand.Rand // of the faults
	began   time.Time
	cluster *cluster.Cluster
	ledgers []*history.Ledger // of each kind
	writers []*soakWriter
	clients []*soakClient
	log     *os.File

	permits chan struct{} // one for each change
	given   int64
	done    atomic.Int64
	numbers atomic.Int64
	quiet   sync.RWMutex // locked while no change is under way
	failed  chan error   // of a writer

	backup *soakBackup
	faults map[string]int
}

// soakBackup is the storage at a moment of each ledger.
type soakBackup struct {
	cluster.Snapshot
	at []history.Position
}

func newSoak(t *testing.T, seed uint64) *soak {
	s := &soak{
		T: t, seed: seed, rand: rand.New(rand.NewPCG(seed, 0)), began: time.Now(),
		cluster: cluster.Start(t, cluster.Options{}),
		permits: make(chan struct{}, soakRound), failed: make(chan error, 1),
		faults: map[string]int{},
	}
	var err error
	s.log, err = os.Create(filepath.Join(t.ArtifactDir(), "soak.log"))
	require.NoError(t, err)
	t.Cleanup(func() { s.log.Close() })

	kinds := []kind{configMaps(""), widgets(s.cluster.CustomResource(t), "")}
	for range kinds {
		s.ledgers = append(s.ledgers, new(history.Ledger))
	}
	ours := map[string]bool{}
	for i := range 4 {
		w := &soakWriter{
			namespace: s.cluster.Namespace(t), kinds: kinds, ledgers: s.ledgers,
			client: s.cluster.Client(t, s.cluster.Admin), rand: rand.New(rand.NewPCG(seed, uint64(1+i))),
			quiet: &s.quiet, done: &s.done, numbers: &s.numbers,
		}
		ours[w.namespace] = true
		s.writers = append(s.writers, w)
	}
	counts := func(namespace string) bool { return ours[namespace] }
	for i, k := range kinds {
		library := newSoakClient(t, "library, "+k.in.Resource, s.cluster.Server, s.ledgers[i], counts)
		library.library(s.cluster.Server, k.in, i == 1)
		command := newSoakClient(t, "command, "+k.in.Resource, s.cluster.Server, s.ledgers[i], counts)
		command.command(s.cluster.Server, k.in)
		s.clients = append(s.clients, library, command)
	}
	return s
}

// note writes a line to the log of the run, and to those of all clients.
func (s *soak) note(format string, args ...any) {
	line := fmt.Sprintf("%s === %d changes: %s\n", time.Now().Format("15:04:05.000"), s.done.Load(), fmt.Sprintf(format, args...))
	s.log.WriteString(line)
	for _, c := range s.clients {
		c.log.WriteString(line)
	}
}

func (s *soak) run(changes int) {
	ctx, cancel := context.WithCancel(s.Context())
	var writing sync.WaitGroup
	defer writing.Wait()
	defer cancel()
	for _, w := range s.writers {
		writing.Go(func() {
			if err := w.run(ctx, s.permits); err != nil {
				select {
				case s.failed <- err:
				default:
				}
			}
		})
	}
	for _, c := range s.clients {
		c.resume()
	}
	for left := changes; left > 0; left -= soakRound {
		s.round(min(left, soakRound))
	}
	close(s.permits)
	s.await("the last changes", func() bool { return s.done.Load() >= s.given })
	for _, c := range s.clients {
		settle(s, c.ledger, c)
		c.finish()
		assert.NoError(s, c.check(), "%s", c.name)
		told, err := os.ReadFile(c.log.Name())
		assert.NoError(s, err)
		assert.NotContains(s, string(told), "DATA RACE", "%s", c.name)
		gaps, _ := c.tally("GAP")
		assert.Positive(s, gaps, "%s: nothing was ever lost to it", c.name)
	}
	s.Log("\n" + s.result())
}

// round is every fault once, among so many changes.
func (s *soak) round(changes int) {
	bag := slices.Clone(soakFaults)
	s.rand.Shuffle(len(bag), func(i, j int) { bag[i], bag[j] = bag[j], bag[i] })
	// What lies between a backup and its restore has to outweigh what a
	// server writes by itself at its starts.
	bag = slices.Concat([]soakFault{{"backup", (*soak).backUp}}, bag, []soakFault{{"restore from the backup", (*soak).restore}})
	for i, fault := range bag {
		share := int64(changes*(i+1)/len(bag) - changes*i/len(bag))
		// Half of the changes come before, and the others while it happens.
		s.permit(share - share/2)
		s.await("changes", func() bool { return s.done.Load() >= s.given })
		s.permit(share / 2)
		s.note("%s", fault.name)
		fault.happens(s)
		s.note("%s is over", fault.name)
		s.faults[fault.name]++
	}
}

func (s *soak) permit(n int64) {
	for range n {
		s.permits <- struct{}{}
	}
	s.given += n
}

// await waits for something that the writers do. A writer that fails ends it.
func (s *soak) await(what string, holds func() bool) {
	s.Helper()
	cluster.Wait(s, 2*answerWithin, what, func() bool {
		select {
		case err := <-s.failed:
			s.Fatalf("a writer: %v", err)
		default:
		}
		return holds()
	})
}

// result is the run as a piece of Markdown.
func (s *soak) result() string {
	verdict := "nothing lost, nothing twice, no delete missed"
	if s.Failed() {
		verdict = "FAILED"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| seed | changes | duration | kube-apiserver | Go, system | verdict |\n|---|---|---|---|---|---|\n| %d | %d | %s | %s | %s, %s/%s | %s |\n\n",
		s.seed, s.done.Load(), time.Since(s.began).Round(time.Second), s.version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, verdict)
	fmt.Fprintf(&b, "| fault | times |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(s.faults)) {
		fmt.Fprintf(&b, "| %s | %d |\n", name, s.faults[name])
	}
	fmt.Fprintf(&b, "\n| client | processes | events told | of them again after a crash | GAP | SYNCED |\n|---|---|---|---|---|---|\n")
	for _, c := range s.clients {
		all, again := c.tally("")
		gaps, _ := c.tally("GAP")
		synced, _ := c.tally("SYNCED")
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", c.name, len(c.lives), all, again, gaps, synced)
	}
	return b.String()
}

func (s *soak) version() string {
	var version struct{ GitVersion string }
	a, err := s.writers[0].client.Do(s.Context(), http.MethodGet, "/version", "", nil)
	if err == nil {
		err = json.Unmarshal(a.Body, &version)
	}
	require.NoError(s, err)
	return version.GitVersion
}
