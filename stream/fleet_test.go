package stream

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A fleet: ten thousand watches that lose their server in one moment, in
// computed time. Ours are driven by the code of the loop itself (next, the
// verdict table, pause and pace); next to them the published policies of
// client-go (fleet_clients_test.go), against one and the same model of servers
// (fleet_servers_test.go).
//
// What came out of each fleet is in testdata/fleet.csv, and the means of it in
// the table of FLEET.md. `make fleet` plays all and writes both; the test plays
// some, and compares.

var updateFleet = flag.Bool("update", false, "play all fleets, write testdata/fleet.csv and the table of FLEET.md")

const (
	fleetSize = 10_000
	fleets    = 20 // with other random numbers each
	replayed  = 2  // of them, in every test
	fleetFile = "testdata/fleet.csv"
	fleetDoc  = "../FLEET.md"
)

// toll is what an incident costs the servers, and how long it takes.
type toll struct {
	peak   int           // requests in the busiest second
	back   time.Duration // until the last watch was open again
	wasted int           // requests that failed, and lists of what could have been watched on
	lists  int
	gaveUp int // watches that ended
}

var fleetClients = []struct {
	name  string
	begin func(r *rand.Rand) client
}{
	{"rawwatch", newOurs},
	{"Reflector", func(r *rand.Rand) client { return &reflector{rand: r, lists: true} }},
	{"RetryWatcher", func(r *rand.Rand) client { return &retryWatcher{} }},
}

func TestFleet(t *testing.T) {
	t.Parallel()
	if *updateFleet {
		writeFleets(t)
	}
	known := readFleets(t)
	var table strings.Builder
	table.WriteString("| incident | client | busiest second | all back after | requests in vain | lists | watches that ended |\n")
	table.WriteString("|---|---|---|---|---|---|---|\n")
	for _, in := range incidents {
		var all [3][]toll
		for i, c := range fleetClients {
			all[i] = known[in.name+c.name]
			require.Len(t, all[i], fleets)
			for n := range replayed {
				assert.Equal(t, in.play(n, c.begin), all[i][n], "%s, %s: the file is out of date: make fleet", in.name, c.name)
			}
			in.row(&table, c.name, all[i])
		}
		for _, a := range axes {
			excess, chance := difference(all[0], all[1], a.of)
			assert.LessOrEqual(t, excess, chance, "%s: %s is worse than the Reflector's", in.name, a.name)
		}
	}
	keepTable(t, table.String())
}

// writeFleets plays all of them.
func writeFleets(t *testing.T) {
	var b strings.Builder
	for _, in := range incidents {
		for _, c := range fleetClients {
			for n := range fleets {
				got := in.play(n, c.begin)
				fmt.Fprintf(&b, "%s;%s;%d;%d;%d;%d;%d\n", in.name, c.name, got.peak, got.back, got.wasted, got.lists, got.gaveUp)
			}
		}
	}
	require.NoError(t, os.WriteFile(fleetFile, []byte(b.String()), 0o644))
}

// readFleets reads what came out, by incident and client.
func readFleets(t *testing.T) map[string][]toll {
	file, err := os.ReadFile(fleetFile)
	require.NoError(t, err)
	known := map[string][]toll{}
	for line := range strings.Lines(string(file)) {
		fields := strings.SplitN(line, ";", 3)
		require.Len(t, fields, 3)
		var got toll
		_, err := fmt.Sscanf(fields[2], "%d;%d;%d;%d;%d", &got.peak, &got.back, &got.wasted, &got.lists, &got.gaveUp)
		require.NoError(t, err)
		key := fields[0] + fields[1]
		known[key] = append(known[key], got)
	}
	return known
}

// axes are what is compared.
var axes = []struct {
	name string
	of   func(toll) float64
}{
	{"busiest second", func(t toll) float64 { return float64(t.peak) }},
	{"all back after", func(t toll) float64 { return t.back.Seconds() }},
	{"requests in vain", func(t toll) float64 { return float64(t.wasted) }},
	{"lists", func(t toll) float64 { return float64(t.lists) }},
	{"watches that ended", func(t toll) float64 { return float64(t.gaveUp) }},
}

// mean of one number, and its standard error.
func mean(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean)
	}
	n := float64(len(values))
	return mean, math.Sqrt(deviation / (n - 1) / n)
}

// difference is how much more ours is, and how much of that may be chance:
// where both wait alike, the longest wait of ten thousand is a matter of luck.
func difference(ours, theirs []toll, of func(toll) float64) (excess, chance float64) {
	var all []float64
	for i := range ours {
		all = append(all, of(ours[i])-of(theirs[i]))
	}
	excess, deviation := mean(all)
	return excess, 2 * deviation
}

// row writes the means.
func (in *incident) row(b *strings.Builder, client string, runs []toll) {
	fmt.Fprintf(b, "| %s | %s |", in.name, client)
	var values [5][]float64
	for i, a := range axes {
		for _, t := range runs {
			values[i] = append(values[i], a.of(t))
		}
	}
	gaveUp, _ := mean(values[4])
	for i := range axes {
		m, _ := mean(values[i])
		switch {
		case i == 1 && gaveUp > 0:
			b.WriteString(" never |")
		case i == 1:
			fmt.Fprintf(b, " %.2f s |", m)
		default:
			fmt.Fprintf(b, " %.0f |", m)
		}
	}
	b.WriteString("\n")
}

// keepTable holds the table of the document equal to what was computed.
func keepTable(t *testing.T, table string) {
	t.Helper()
	doc, err := os.ReadFile(fleetDoc)
	require.NoError(t, err)
	const from, to = "<!-- computed -->\n", "<!-- end -->"
	head, rest, ok := strings.Cut(string(doc), from)
	written, tail, ok2 := strings.Cut(rest, to)
	require.True(t, ok && ok2, "FLEET.md has lost the marks around its table")
	if *updateFleet {
		require.NoError(t, os.WriteFile(fleetDoc, []byte(head+from+table+to+tail), 0o644))
		return
	}
	assert.Equal(t, table, written, "FLEET.md is out of date: make fleet")
}
