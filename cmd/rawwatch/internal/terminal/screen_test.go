package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/rawwatch/cmd/rawwatch/internal/terminal/screentest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// seen is a Screen on a terminal that can be looked at.
type seen struct {
	*Screen
	on     *screentest.Screen
	writes int
}

func (s *seen) Write(b []byte) (int, error) {
	s.writes++
	return s.on.Write(b)
}

func show(columns int) *seen {
	s := &seen{on: screentest.New(columns)}
	s.Screen = &Screen{out: s, err: s, one: true, able: true, width: func() int { return columns }}
	return s
}

func TestTheStatusStaysBelowWhatIsPrinted(t *testing.T) {
	s := show(40)
	events := 0
	s.Screen.status = func(int) string { return fmt.Sprintf("watching, %d events", events) }
	s.refresh()
	assert.Equal(t, "watching, 0 events", s.on.Text())

	events = 1
	n, err := s.Out().Write([]byte("ADDED web-1\n"))
	require.NoError(t, err)
	assert.Equal(t, len("ADDED web-1\n"), n)
	assert.Equal(t, "ADDED web-1\nwatching, 1 events", s.on.Text())
	assert.Equal(t, 2, s.writes, "the line and the status come in one write, or the status would flicker")

	io.WriteString(s.Err(), "rawwatch: connected\n")
	assert.Equal(t, "ADDED web-1\nrawwatch: connected\nwatching, 1 events", s.on.Text())
	s.refresh()
	assert.Equal(t, 3, s.writes, "what has not changed is not drawn")

	row, column := s.on.Cursor()
	assert.Equal(t, []int{2, 0}, []int{row, column}, "at the beginning of the status")
	io.WriteString(s.on, "^C") // as a terminal echoes it
	s.hide()
	assert.Equal(t, "ADDED web-1\nrawwatch: connected", s.on.Text())
	io.WriteString(s.Err(), "rawwatch: bye\n")
	assert.Equal(t, "ADDED web-1\nrawwatch: connected\nrawwatch: bye", s.on.Text())
	assert.Empty(t, s.on.Problem())
}

func TestALineWithoutEndIsNotDrawnOver(t *testing.T) {
	s := show(40)
	s.Screen.status = func(int) string { return "status" }
	io.WriteString(s.Out(), "half a ")
	s.refresh()
	assert.Equal(t, "half a", s.on.Text())
	io.WriteString(s.Out(), "line\n")
	assert.Equal(t, "half a line\nstatus", s.on.Text())
}

// A terminal that is made narrower cuts or wraps what is on it. The status is
// drawn for the width at the moment; if that has just changed, it is cut.
func TestANarrowerTerminal(t *testing.T) {
	s := show(20)
	s.Screen.status = func(width int) string { return strings.Repeat("x", width-1) }
	s.width = func() int { return 60 } // as it was
	s.refresh()
	assert.Equal(t, strings.Repeat("x", 20), s.on.Text())
	s.width = func() int { return 20 }
	s.refresh()
	assert.Equal(t, strings.Repeat("x", 19), s.on.Text(), "drawn again for the new width")
	io.WriteString(s.Out(), "a line that is longer than the terminal\n")
	assert.Equal(t, "a line that is longe\nr than the terminal\n"+strings.Repeat("x", 19), s.on.Text())
	assert.Empty(t, s.on.Problem())
}

func TestTheStatusIsDrawnEachSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := show(40)
		begun := time.Now()
		hidden := false
		var mu sync.Mutex
		stop := s.keep(func(int) string {
			mu.Lock()
			defer mu.Unlock()
			if hidden {
				return ""
			}
			return "silent for " + time.Since(begun).Truncate(time.Second).String()
		}, nil)
		time.Sleep(3*time.Second + time.Millisecond)
		synctest.Wait()
		assert.Equal(t, "silent for 3s", s.on.Text())
		mu.Lock()
		hidden = true
		mu.Unlock()
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Empty(t, s.on.Text())
		stop()
		io.WriteString(s.Out(), "over\n")
		assert.Equal(t, "over", s.on.Text())
	})
}

func TestNothingIsDrawnWhereThereIsNoTerminal(t *testing.T) {
	var out, err strings.Builder
	s := NewScreen(&out, &err)
	stop := s.Show(func(int) string { return "status" })
	io.WriteString(s.Out(), "event\n")
	io.WriteString(s.Err(), "story\n")
	stop()
	assert.Equal(t, "event\n", out.String())
	assert.Equal(t, "story\n", err.String())
	assert.False(t, Is(s.Out()))
}

// Lines of several goroutines come out whole, with the status below.
func TestManyWriters(t *testing.T) {
	s := show(80)
	s.Screen.status = func(int) string { return "status" }
	var all sync.WaitGroup
	for _, c := range "abcd" {
		all.Go(func() {
			for range 50 {
				io.WriteString(s.Out(), strings.Repeat(string(c), 10)+"\n")
				s.refresh()
			}
		})
	}
	all.Wait()
	lines := strings.Split(s.on.Text(), "\n")
	require.Len(t, lines, 201)
	for _, line := range lines[:200] {
		assert.Equal(t, strings.Repeat(line[:1], 10), line)
	}
	assert.Equal(t, "status", lines[200])
}

func TestColoursAreForTerminals(t *testing.T) {
	var b strings.Builder
	assert.Equal(t, "x", HasColours(&b, Auto).Paint(Red, "x"))
	assert.Equal(t, "x", HasColours(&b, Never).Paint(Red, "x"))
	on := HasColours(&b, Always)
	assert.Equal(t, "\x1b[31mx\x1b[0m", on.Paint(Red, "x"))
	assert.Equal(t, "x", on.Paint("", "x"))
	assert.Empty(t, on.Paint(Red, ""))
}
