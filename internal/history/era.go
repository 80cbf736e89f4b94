package history

// chronicle is a copy of a ledger.
type chronicle struct {
	states   map[Key][]state
	restores []restore
}

// restore is where a server went back: the last moment of one era, and the
// first of the next, in which each object is again what it was. Between two
// restores versions only rise, so only in one era a version is a moment.
type restore struct{ end, begin Position }

// bounds are the first state an object goes through in an era, and the one
// after the last. What the restore made of it comes before the first.
func (c chronicle) bounds(key Key, era int) (begin, end int) {
	end = len(c.states[key])
	if era < len(c.restores) {
		end = c.restores[era].end[key]
	}
	if era > 0 {
		begin = c.restores[era-1].begin[key]
	}
	return begin, end
}

// eraOf is that of a state; what a restore made of an object is of the next.
func (c chronicle) eraOf(key Key, n int) (era int) {
	for era < len(c.restores) && n >= c.restores[era].end[key] {
		era++
	}
	return era
}
