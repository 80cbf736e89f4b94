package history

// Checkpoint is what a file says that a consumer knew: to be compared with
// what it was told before it was killed.
type Checkpoint struct {
	Version string // the resume point; "": none, as in the middle of a list
	Known   map[Key]Identity
}

// Identity tells one state of an object from all others.
type Identity struct{ UID, Version string }

// Kept is how many of the events that a consumer was told, from the first on,
// are in its checkpoint: the next process goes on after these, so those after
// them come again. ok is false if the file agrees with no moment of the
// consumer's life. What it holds and was never told is lost then, and what it
// lacks comes twice, or is never seen to go.
//
// Where several moments agree, it is the last of them.
func (c Checkpoint) Kept(events []Event) (n int, ok bool) {
	var (
		known      = make(map[Key]Identity)
		differ     = len(c.Known) // objects
		catchingUp = true
		version    string // the highest so far, outside of catching up
	)
	put := func(key Key, id Identity) { // the zero Identity is absence
		if known[key] != c.Known[key] {
			differ--
		}
		if known[key] = id; id != c.Known[key] {
			differ++
		}
	}
	agrees := func(next []Event) bool {
		switch {
		case differ > 0:
			return false
		case c.Version == "":
			// The resume point is lost before anyone is told so.
			return catchingUp || len(next) == 0 || next[0].Type == "GAP"
		case catchingUp, higher(version, c.Version):
			return false
		}
		// A bookmark may have moved the resume point past the last event, but
		// never past the next.
		return len(next) == 0 || next[0].Type == "GAP" || higher(next[0].Version, c.Version)
	}
	for i, e := range events {
		if agrees(events[i:]) {
			n, ok = i, true
		}
		switch e.Type {
		case "GAP":
			catchingUp = true
		case "SYNCED":
			catchingUp, version = false, e.Version
		case "DELETED":
			version = e.Version
			put(e.key(), Identity{})
		default:
			version = e.Version
			put(e.key(), Identity{e.UID, e.Version})
		}
	}
	if agrees(nil) {
		n, ok = len(events), true
	}
	return n, ok
}
