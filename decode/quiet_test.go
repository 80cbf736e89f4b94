package decode

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pieces gives out one string a Read, and cuts what there is no room for.
type pieces []string

func (p *pieces) Read(b []byte) (int, error) {
	if len(*p) == 0 {
		return 0, io.EOF
	}
	n := copy(b, (*p)[0])
	if (*p)[0] = (*p)[0][n:]; (*p)[0] == "" {
		*p = (*p)[1:]
	}
	return n, nil
}

// A stream that says little is waited for with a small buffer, whatever it said
// before; one that says more gets a large one, and keeps it.
func TestReaderHoldsLittleWhileItIsQuiet(t *testing.T) {
	small := `{"type":"BOOKMARK","object":{}}` + "\n"
	large := `{"type":"ADDED","object":{"metadata":{"name":"` + strings.Repeat("n", 40<<10) + `"}}}` + "\n"
	var source pieces
	r := NewReader(&source, 0)
	next := func(piece string, want int) {
		t.Helper()
		source = append(source, piece)
		_, err := r.Next()
		require.NoError(t, err)
		require.Len(t, r.in.buf, want)
	}
	for range 3 {
		next(small, quietSize)
	}
	for range 3 {
		next(large, 64<<10)
	}
	for range quietRun {
		next(small, 64<<10)
	}
	next(small, quietSize)
	next(large, 64<<10)
	// A busy stream of small events stays as it is while it is behind: what is
	// read together is not little.
	for range 2 * quietRun {
		next(strings.Repeat(small, 20), 64<<10)
		for range 19 {
			_, err := r.Next()
			require.NoError(t, err)
		}
	}
}
