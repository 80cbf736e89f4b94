package replay

import (
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// What kube-apiserver does when it is not told otherwise.
const (
	bookmarkEvery   = time.Minute
	bookmarkBefore  = 2 * time.Second // the end of the watch
	defaultDuration = 30 * time.Minute
)

// watch answers a WATCH: the initial events if there are to be any, then what
// changes, until time is up or the client leaves.
func (s *Store) watch(r *http.Request, v *view, sel selector) iter.Seq[Step] {
	q := r.URL.Query()
	match, asked := q.Get("resourceVersionMatch"), q.Get("resourceVersion")
	if err := s.validWatch(q.Has("sendInitialEvents"), match); err != nil {
		return err.answer()
	}
	rv, err := strconv.ParseUint(cmp.Or(asked, "0"), 10, 64)
	if err != nil {
		// No reason: an oversight of the real server's that clients have to live with.
		return (&storeError{code: 500, message: fmt.Sprintf("resourceVersion: Invalid value: %q: %v", asked, err)}).answer()
	}
	w := &storeWatch{
		store: s, view: v, selector: sel, start: rv, position: rv,
		bookmarks: truth(q.Get("allowWatchBookmarks")),
		initial:   truth(q.Get("sendInitialEvents")) || rv == 0 && !q.Has("sendInitialEvents"),
		gone:      r.Context().Done(),
		duration:  defaultDuration,
	}
	// A watch from "" or "0" is a streaming list where there are any.
	w.marker = w.initial && w.bookmarks && !s.NoStreamingLists
	if n, err := strconv.ParseInt(q.Get("timeoutSeconds"), 10, 32); err == nil && n > 0 {
		w.duration = time.Duration(n) * time.Second
	}
	return w.play
}

func (s *Store) validWatch(send bool, match string) *storeError {
	invalid := func(message string) *storeError {
		return &storeError{code: 422, reason: "Invalid", message: "ListOptions.meta.k8s.io \"\" is invalid: " + message}
	}
	switch {
	case send && s.NoStreamingLists:
		return invalid("sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
	case send && match != "NotOlderThan":
		return invalid("resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
	case !send && match != "":
		return invalid("resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
	}
	return nil
}

// storeWatch is one watch that is being played.
type storeWatch struct {
	store     *Store
	view      *view
	selector  selector
	start     uint64 // nothing up to here is sent
	position  uint64 // everything up to here has been
	bookmarks bool
	initial   bool
	marker    bool
	gone      <-chan struct{}
	duration  time.Duration
}

func (w *storeWatch) play(yield func(Step) bool) {
	s := w.store
	// The time that is asked for counts from the request, initial events and all.
	deadline := time.NewTimer(w.duration)
	defer deadline.Stop()
	s.mu.Lock()
	// What EndWatches and Bookmark did before this watch is none of its business.
	epoch, marks := s.epoch, s.marks
	steps := w.begin()
	s.mu.Unlock()
	for _, step := range steps {
		if !yield(step) || step.kind == stepEnd {
			return
		}
	}
	begun := time.Now()
	tick := time.NewTimer(w.untilBookmark(0))
	defer tick.Stop()
	due := false
	for {
		s.mu.Lock()
		// All of it under one lock, the channel included. Were the channel got
		// after the events, this schedule would lose one for good:
		//
		//	watch: catches up to 105, unlocks
		//	Put:   106, closes the old channel
		//	watch: gets the new channel, and waits on it
		changed, rv := s.changed, s.rv
		events, overtaken := w.catchUp()
		ended, ending := s.epoch != epoch, s.ending
		due = due || s.marks != marks
		marks = s.marks
		s.mu.Unlock()
		for _, e := range events {
			if !yield(Write(e)) {
				return
			}
		}
		// A bookmark promises that everything up to it has been sent, so it comes
		// after the events, and one that is not beyond the start says nothing.
		// One behind what has been sent would be from a restored backup, and
		// whoever restores one ends this watch first.
		if due && w.bookmarks && rv > w.start && rv >= w.position && !overtaken {
			if !yield(Write(EventOf("BOOKMARK", w.view.bookmark(rv, false)))) {
				return
			}
		}
		due = false
		if ended || overtaken {
			if overtaken {
				// A real server ends such a watch without a word, too.
				ending = []Step{End()} // the next watch will hear why
			}
			slices.Values(ending)(yield)
			return
		}
		select {
		case <-changed:
		case <-tick.C:
			due = true
			tick.Reset(w.untilBookmark(time.Since(begun)))
		case <-deadline.C:
			yield(End())
			return
		case <-w.gone:
			return
		}
	}
}

// untilBookmark is how long to wait for the next bookmark: they come each
// minute, and shortly before the end.
func (w *storeWatch) untilBookmark(elapsed time.Duration) time.Duration {
	if left := w.duration - bookmarkBefore - elapsed; left > 0 {
		return min(bookmarkEvery, left)
	}
	return w.duration // never
}

// begin is what a watch starts with: the header, and the initial events or the
// reason why there will be none; the store's mu is held.
func (w *storeWatch) begin() []Step {
	s := w.store
	if w.initial && w.start > s.rv {
		// The header waits, too.
		return []Step{Pause(tooLargeWait), Respond(200), Write(EventOf("ERROR", s.tooLarge(w.start).body())), End()}
	}
	steps := []Step{Respond(200)}
	if w.initial {
		var all []*object
		for _, o := range s.objects {
			if w.selector.matches(o) {
				all = append(all, o)
			}
		}
		slices.SortFunc(all, func(a, b *object) int { return cmp.Compare(a.key(), b.key()) })
		for _, o := range all {
			steps = append(steps, Write(EventOf("ADDED", w.view.object(o, o.rv))))
		}
		if w.marker {
			steps = append(steps, Write(EventOf("BOOKMARK", w.view.bookmark(s.rv, true))))
		}
		w.position = s.rv
		return steps
	}
	if w.start == 0 { // sendInitialEvents=false: from now on
		w.start, w.position = s.rv, s.rv
	}
	if w.start < s.oldest {
		e := &storeError{code: 410, reason: "Expired", message: fmt.Sprintf("too old resource version: %d (%d)", w.start, s.oldest)}
		return append(steps, Write(EventOf("ERROR", e.body())), End())
	}
	return steps
}

// catchUp returns the lines of what has changed since position; the store's mu
// is held. overtaken is true if history no longer covers it.
func (w *storeWatch) catchUp() (lines []string, overtaken bool) {
	s := w.store
	if w.position < s.oldest {
		return nil, true
	}
	// From the front each time: histories here are short, and a test that is
	// easy to follow is worth more than a search.
	for _, c := range s.history {
		if c.rv <= w.position {
			continue
		}
		w.position = c.rv
		// Entering the selection is an ADDED, and leaving it a DELETED with
		// what the object was before, under the resourceVersion of the edit.
		was, is := w.selector.matches(c.was), w.selector.matches(c.is)
		switch {
		case is && was && c.was.uid == c.is.uid:
			lines = append(lines, EventOf("MODIFIED", w.view.object(c.is, c.rv)))
		case is:
			lines = append(lines, EventOf("ADDED", w.view.object(c.is, c.rv)))
		case was:
			lines = append(lines, EventOf("DELETED", w.view.object(c.was, c.rv)))
		}
	}
	// A watch from the future stays where it is, and silent, until the store
	// gets there.
	w.position = max(w.position, s.rv)
	return lines, false
}
