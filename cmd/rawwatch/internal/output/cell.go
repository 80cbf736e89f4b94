package output

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
)

// What a cell says when it has nothing to say, in kubectl's words but for the
// first.
const (
	unknownCell = "-" // of a deletion that no server sent
	noTime      = "<unknown>"
	noLabel     = "<none>"
)

// text is what a cell shows. Numbers keep the digits that were sent.
func (c column) text(cell json.RawMessage, now time.Time) string {
	if len(cell) == 0 {
		return unknownCell
	}
	switch cell[0] {
	case 'n': // null
		return ""
	case '"':
		var s string
		if json.Unmarshal(cell, &s) != nil {
			return unknownCell
		}
		if c.isTime() {
			if t, err := time.Parse(time.RFC3339, s); err == nil {
				return age(t, now)
			}
		}
		return escape.Text(s)
	case '[', '{':
		var b bytes.Buffer
		if json.Compact(&b, cell) == nil {
			cell = b.Bytes()
		}
	}
	return escape.Text(string(cell))
}

// ageOf is the age of an object by its creationTimestamp.
func (m metadata) ageOf(now time.Time) string {
	t, err := time.Parse(time.RFC3339, m.CreationTimestamp)
	if err != nil {
		return noTime
	}
	return age(t, now)
}

// label is the value of one label.
func (m metadata) label(key string) string {
	if value, ok := m.Labels[key]; ok {
		return escape.Text(value)
	}
	return noLabel
}

// allLabels are all labels, as a selector would name them.
func (m metadata) allLabels() string {
	if len(m.Labels) == 0 {
		return noLabel
	}
	pairs := make([]string, 0, len(m.Labels))
	for key, value := range m.Labels {
		pairs = append(pairs, escape.Text(key+"="+value))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}

// labelHeading is the heading of a label's column: the key without its prefix.
func labelHeading(key string) string {
	return escape.Text(strings.ToUpper(key[strings.LastIndexByte(key, '/')+1:]))
}

// age is how long ago t was, in at most two units, as kubectl writes it
// (k8s.io/apimachinery, util/duration, HumanDuration): the older, the coarser.
func age(t, now time.Time) string {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	d := now.Sub(t)
	switch {
	case d < -2*time.Second:
		return "<invalid>" // made in the future: one of the two clocks is wrong
	case d < 0:
		return "0s"
	case d < 2*time.Minute:
		return units1(d, time.Second, "s")
	case d < 10*time.Minute:
		return units2(d, time.Minute, "m", time.Second, "s")
	case d < 3*time.Hour:
		return units1(d, time.Minute, "m")
	case d < 8*time.Hour:
		return units2(d, time.Hour, "h", time.Minute, "m")
	case d < 2*day:
		return units1(d, time.Hour, "h")
	case d < 8*day:
		return units2(d, day, "d", time.Hour, "h")
	case d < 2*year:
		return units1(d, day, "d")
	case d < 8*year:
		return units2(d, year, "y", day, "d")
	}
	return units1(d, year, "y")
}

func units1(d, unit time.Duration, name string) string {
	return strconv.Itoa(int(d/unit)) + name
}

// units2 leaves the smaller unit out when it is zero.
func units2(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	text := units1(d, large, largeName)
	if rest := d % large; rest >= small {
		text += units1(rest, small, smallName)
	}
	return text
}
