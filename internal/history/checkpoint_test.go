package history_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/internal/history"
)

// file is a checkpoint with these objects, as "a 4": name and version.
func file(t *testing.T, version string, objects ...string) history.Checkpoint {
	c := history.Checkpoint{Version: version, Known: map[history.Key]history.Identity{}}
	for _, o := range objects {
		for _, e := range parse(t, "ADDED "+o) {
			c.Known[key(e.Name)] = history.Identity{UID: e.UID, Version: e.Version}
		}
	}
	return c
}

func TestCheckpointKeepsTheEventsThatLedToIt(t *testing.T) {
	events := []string{"ADDED a 1", "ADDED b 2", "SYNCED 2", "MODIFIED a 4", "DELETED b 6", "ADDED b/B2 7",
		"GAP 7", "MODIFIED a 9", "DELETED b/B2 7 inferred", "SYNCED 12", "ADDED c 13", "DELETED c 14", "GAP 14", "SYNCED 20"}
	for name, c := range map[string]struct {
		file history.Checkpoint
		want int
	}{
		"nothing":                     {file(t, ""), 0},
		"half a list":                 {file(t, "", "a 1"), 1},
		"a list without its end":      {file(t, "", "a 1", "b 2"), 2},
		"a whole list":                {file(t, "2", "a 1", "b 2"), 3},
		"a bookmark after it":         {file(t, "3", "a 1", "b 2"), 3},
		"a change":                    {file(t, "4", "a 4", "b 2"), 4},
		"a delete, and a bookmark":    {file(t, "6", "a 4"), 5},
		"another object of that name": {file(t, "8", "a 4", "b/B2 7"), 6},
		"a gap":                       {file(t, "", "a 4", "b/B2 7"), 7},
		"half a list after a gap":     {file(t, "", "a 9", "b/B2 7"), 8},
		"a list after a gap":          {file(t, "12", "a 9"), 10},
		"a resume point that is lost": {file(t, "", "a 4", "b/B2 7"), 7},
		"what came and went":          {file(t, "15", "a 9"), 12},
		"everything":                  {file(t, "20", "a 9"), 14},
	} {
		t.Run(name, func(t *testing.T) {
			n, ok := c.file.Kept(parse(t, events...))
			assert.True(t, ok)
			assert.Equal(t, c.want, n)
		})
	}
}

func TestCheckpointThatAgreesWithNoMomentIsFound(t *testing.T) {
	events := []string{"ADDED a 1", "ADDED b 2", "SYNCED 2", "MODIFIED a 4", "DELETED b 6", "GAP 6", "ADDED c 9"}
	for name, c := range map[string]history.Checkpoint{
		"an object that was never told":          file(t, "6", "a 4", "c 5"),
		"a state that was never told":            file(t, "6", "a 5"),
		"another uid":                            file(t, "6", "a/A2 4"),
		"an object that is gone":                 file(t, "6", "a 4", "b 2"),
		"a resume point past the next event":     file(t, "4", "a 1", "b 2"),
		"a resume point before the last event":   file(t, "2", "a 4", "b 2"),
		"a resume point in the middle of a list": file(t, "1", "a 1"),
		"no resume point after a list":           file(t, "", "a 4", "b 2"),
		"objects lack":                           file(t, "4", "a 4"),
	} {
		t.Run(name, func(t *testing.T) {
			n, ok := c.Kept(parse(t, events...))
			assert.False(t, ok, "agrees with %d", n)
		})
	}
}
