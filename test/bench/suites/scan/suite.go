package scan

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"example.com/rawwatch/internal/corpus"
	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/pods"
)

// The figures. Speed is by the processor time of the thread: what else the
// machine does takes away turns, and less of the ratio.
const (
	speed  = "MB/s"
	allocs = "allocs/event"
)

// The contenders that bars are about.
const (
	scanName  = "rawwatch scan"
	validName = "encoding/json.Valid"
	sonicName = "sonic.Valid"
	listName  = "rawwatch list, item by item"

	partialName = "client-go, PartialObjectMetadata"
)

// least is how long a turn takes at least.
const least = 30 * time.Millisecond

// Suite is the suite.
func Suite() measure.Suite {
	return measure.Suite{
		Name:    "scan",
		Title:   "The scan of an event",
		Figures: []string{speed, allocs},
		Bars: []measure.Bar{
			{Case: "pods", Figure: speed, Contender: scanName, Against: sonicName, AtLeast: 1.3},
			{Case: "pods", Figure: speed, Contender: scanName, Against: validName, AtLeast: 6.5},
			{Case: "mixed", Figure: speed, Contender: scanName, Against: sonicName, AtLeast: 1.15},
			{Case: "mixed", Figure: speed, Contender: scanName, Against: validName, AtLeast: 5.5},
			{Case: "configmaps", Figure: speed, Contender: scanName, Against: validName, AtLeast: 8},
			{Figure: allocs, Contender: scanName, AtMost: 0.001},
		},
		Modules: []string{
			"github.com/bytedance/sonic", "github.com/go-json-experiment/json", "github.com/tidwall/gjson",
			"github.com/valyala/fastjson", "k8s.io/apimachinery",
		},
		Rounds: 21,
		Cases:  cases,
	}
}

// A reader reads all of a corpus, line by line or as a list.
type reader struct {
	name string
	read func(lines [][]byte) error
}

func cases(_ context.Context, o measure.Options) (all []measure.Case, _ func(), err error) {
	corpora, err := corpus.All(pods.Recording)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range corpora {
		if o.Once {
			c = few(c)
		}
		readers := eventReaders()
		if c.Name == "mixed" {
			// Its times are stretched with other strings, and are none.
			readers = slices.DeleteFunc(readers, func(r reader) bool { return r.name == partialName })
		}
		all = append(all, caseOf(c.Name, c, readers, o))
	}
	c := corpora[0]
	if o.Once {
		c = few(c)
	}
	body := listOf(c)
	list := corpus.Corpus{Lines: [][]byte{body}, Size: int64(len(body))}
	return append(all, caseOf("list of pods", list, listReaders(), o)), nil, nil
}

func few(c corpus.Corpus) corpus.Corpus {
	c.Lines, c.Size = c.Lines[:3], 0
	for _, line := range c.Lines {
		c.Size += int64(len(line))
	}
	return c
}

func caseOf(name string, c corpus.Corpus, readers []reader, o measure.Options) measure.Case {
	made := measure.Case{Name: name}
	for _, r := range readers {
		made.Contenders = append(made.Contenders, measure.Contender{
			Name: r.name,
			Run: func(context.Context) (measure.Figures, error) {
				return turn(c, r, o)
			},
		})
	}
	return made
}

func turn(c corpus.Corpus, r reader, o measure.Options) (measure.Figures, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC() // what the one before has left is not to be paid here
	if err := r.read(c.Lines); err != nil {
		return nil, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	passes := 0
	start, wall := processor(), time.Now()
	for passes == 0 || !o.Once && time.Since(wall) < least {
		if err := r.read(c.Lines); err != nil {
			return nil, err
		}
		passes++
	}
	spent := processor() - start
	runtime.ReadMemStats(&after)
	return measure.Figures{
		speed:  float64(c.Size) * float64(passes) / spent.Seconds() / 1e6,
		allocs: float64(after.Mallocs-before.Mallocs) / float64(passes*len(c.Lines)),
	}, nil
}

// processor returns the processor time of this thread. The collector has
// threads of its own, so contenders that allocate look better than they are.
func processor() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(fmt.Sprintf("scan: the thread has no clock: %v", err))
	}
	return time.Duration(t.Nano())
}

// listOf makes a list of the objects of events.
func listOf(c corpus.Corpus) []byte {
	var objects [][]byte
	for _, line := range c.Lines {
		_, object, _ := bytes.Cut(line, []byte(`,"object":`))
		objects = append(objects, bytes.TrimSuffix(object, []byte("}")))
	}
	body := []byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[`)
	return append(append(body, bytes.Join(objects, []byte(","))...), "]}"...)
}
