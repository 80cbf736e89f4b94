package decode

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

const recordings = "../testdata/recordings"

// recorded returns the body of a recorded response, unchunked and
// uncompressed. Recordings of one flush per gzip member come out whole:
// gzip.Reader reads all members.
func recorded(tb testing.TB, name string) []byte {
	tb.Helper()
	f, err := os.Open(filepath.Join(recordings, name+".http"))
	require.NoError(tb, err)
	defer f.Close()
	response, err := http.ReadResponse(bufio.NewReader(f), nil)
	require.NoError(tb, err)
	defer response.Body.Close()
	body := io.Reader(response.Body)
	if response.Header.Get("Content-Encoding") == "gzip" {
		body, err = gzip.NewReader(body)
		require.NoError(tb, err)
	}
	b, err := io.ReadAll(body)
	require.NoError(tb, err)
	return b
}

// recordedPods returns a watch of 300 pods, one event a line.
func recordedPods(tb testing.TB) []byte {
	tb.Helper()
	f, err := os.Open(filepath.Join(recordings, "pods-300.watch.gz"))
	require.NoError(tb, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(tb, err)
	b, err := io.ReadAll(z)
	require.NoError(tb, err)
	return b
}

// A chopping gives the same bytes in other pieces.
type chopping struct {
	name string
	of   func(io.Reader) io.Reader
}

func choppings() []chopping {
	all := []chopping{
		{"whole", func(r io.Reader) io.Reader { return r }},
		{"one byte", iotest.OneByteReader},
		{"halves", iotest.HalfReader},
		{"data with the error", iotest.DataErrReader},
	}
	for seed := range uint64(4) {
		all = append(all, chopping{
			name: fmt.Sprintf("random cuts %d", seed),
			of:   func(r io.Reader) io.Reader { return newCutReader(r, seed) },
		})
	}
	return all
}

// A cutReader returns a random number of bytes from each Read, often none.
type cutReader struct {
	src    io.Reader
	random *rand.Rand
	most   int
}

func newCutReader(r io.Reader, seed uint64) *cutReader {
	return &cutReader{src: r, random: rand.New(rand.NewPCG(seed, 1)), most: 1 << (2 + 3*seed%12)}
}

func (c *cutReader) Read(p []byte) (int, error) {
	return c.src.Read(p[:min(len(p), c.random.IntN(c.most+1))])
}

// failingReader gives body and then err.
func failingReader(body string, err error) io.Reader {
	return io.MultiReader(bytes.NewReader([]byte(body)), iotest.ErrReader(err))
}

// line renders what was read of an object, for comparison.
func line(m *Meta) string {
	s := fmt.Sprintf("%s %s %s/%s", m.Kind, m.APIVersion, m.Namespace, m.Name)
	if m.ResourceVersion != nil {
		s += " rv=" + string(m.ResourceVersion)
	}
	if m.UID != nil {
		s += " uid=" + string(m.UID)
	}
	if m.InitialEventsEnd {
		s += " END"
	}
	return s
}

// A reading is all that came out of a reader: one line an event or item.
type reading struct {
	lines   []string
	objects []string
	frames  []string // and their offsets; of a Reader only
	header  ListHeader
	err     error
}

func readEvents(t testing.TB, body io.Reader, limit int) (got reading) {
	t.Helper()
	r := NewReader(body, limit)
	for {
		ev, err := r.Next()
		if err != nil {
			_, again := r.Next()
			require.Equal(t, err, again, "an error must stay")
			got.err = err
			return got
		}
		got.lines = append(got.lines, string(ev.Type)+" "+line(&ev.Meta))
		got.objects = append(got.objects, string(ev.Object))
		got.frames = append(got.frames, fmt.Sprint(r.Offset(), " ", string(r.Frame())))
	}
}

func readItems(t testing.TB, body io.Reader, limit int) (got reading) {
	t.Helper()
	r := NewListReader(body, limit)
	for {
		item, err := r.Next()
		if err != nil {
			_, again := r.Next()
			require.Equal(t, err, again, "an error must stay")
			got.header, got.err = r.Header(), err
			return got
		}
		got.lines = append(got.lines, line(&item.Meta))
		got.objects = append(got.objects, string(item.Object))
	}
}

// everyChopping reads body in all choppings, demands the same of each, and
// returns it.
func everyChopping(t *testing.T, body string, read func(io.Reader) reading) reading {
	t.Helper()
	want := read(bytes.NewReader([]byte(body)))
	for _, c := range choppings() {
		got := read(c.of(bytes.NewReader([]byte(body))))
		require.Equal(t, want, got, "%s", c.name)
	}
	// And in two pieces: cut anywhere, or in a hundred places; large ones
	// have been cut enough.
	for cut := 1; cut < len(body) && len(body) < 8<<10; cut += 1 + len(body)/100 {
		got := read(io.MultiReader(bytes.NewReader([]byte(body[:cut])), bytes.NewReader([]byte(body[cut:]))))
		require.Equal(t, want, got, "cut at %d", cut)
	}
	return want
}

func everyChoppingOfEvents(t *testing.T, body string, limit int) reading {
	t.Helper()
	return everyChopping(t, body, func(r io.Reader) reading { return readEvents(t, r, limit) })
}

func everyChoppingOfItems(t *testing.T, body string, limit int) reading {
	t.Helper()
	return everyChopping(t, body, func(r io.Reader) reading { return readItems(t, r, limit) })
}

// sameError compares errors by type and fields, messages of ShapeErrors and
// SyntaxErrors aside: those may be reworded.
func sameError(t *testing.T, want, got error) {
	t.Helper()
	strip := func(err error) error {
		var shape *ShapeError
		var syntax *SyntaxError
		switch {
		case errors.As(err, &shape):
			return &ShapeError{Offset: shape.Offset, Kind: shape.Kind, Index: shape.Index}
		case errors.As(err, &syntax):
			return &SyntaxError{Offset: syntax.Offset}
		}
		return err
	}
	require.Equal(t, strip(want), strip(got), "%v", got)
}
