package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/cmd/rawwatch/internal/nearest"
)

// The kinds of values that flags take, beside text and numbers. Each has the
// methods of pflag.Value.

// choice is one word out of a few.
type choice struct {
	value string
	words []string // the first is not always the default: "" may be, too
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.words, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		all := "use " + strings.Join(c.words, ", ")
		if near := nearest.To(s, c.words, 1); len(near) > 0 {
			all = "did you mean " + near[0] + "? " + all
		}
		return errors.New(all)
	}
	c.value = s
	return nil
}

// duration is a length of time, not negative.
type duration time.Duration

func (d *duration) String() string { return human.Exact(time.Duration(*d)) }
func (d *duration) Type() string   { return "duration" }

// Set refuses a bare number. kubectl's flags do too, but the message for it is
// Go's own; which unit was forgotten is all a person wants to know.
func (d *duration) Set(s string) error {
	parsed, err := time.ParseDuration(s)
	if err != nil {
		if _, number := strconv.ParseFloat(s, 64); number == nil {
			return fmt.Errorf("write the unit too, as in %ss", s)
		}
		return errors.New("write it as 90s, 5m or 1h30m")
	}
	if parsed < 0 {
		return errors.New("it is negative")
	}
	*d = duration(parsed)
	return nil
}

// count is a number, not negative.
type count int

func (c *count) String() string { return strconv.Itoa(int(*c)) }
func (c *count) Type() string   { return "number" }

func (c *count) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return errors.New("write a whole number, 0 or more")
	}
	*c = count(n)
	return nil
}

// size is a number of bytes, with the units Kubernetes has for them
// (apimachinery, api/resource): Ki Mi Gi, and k M G for powers of 1000.
type size int

var units = []struct {
	name  string
	bytes int
}{
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30},
	{"k", 1e3}, {"M", 1e6}, {"G", 1e9},
	{"", 1},
}

func (z *size) Type() string { return "size" }

func (z *size) String() string {
	for _, unit := range []int{2, 1, 0} {
		if n := int(*z); n != 0 && n%units[unit].bytes == 0 {
			return strconv.Itoa(n/units[unit].bytes) + units[unit].name
		}
	}
	return strconv.Itoa(int(*z))
}

func (z *size) Set(s string) error {
	for _, unit := range units {
		digits, ok := strings.CutSuffix(s, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || n == 0 {
			break
		}
		if n > uint64(math.MaxInt32/unit.bytes) {
			return errors.New("it is over 2Gi")
		}
		*z = size(int(n) * unit.bytes)
		return nil
	}
	return errors.New("write it as 16Mi, 512Ki or a number of bytes")
}
