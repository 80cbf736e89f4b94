package replay

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// A playlist is a script and how much of it has been played. It knows nothing
// of connections.
type playlist struct {
	script   Script
	anyOrder bool

	mu sync.Mutex
	// Strict order needs one number, any order a flag for each exchange; the
	// other one of the two is not looked at.
	next   int    // strict order: the exchange to be played next
	played []bool // any order
	used   int    // connections that a Refuse or Drop at next has turned away
	failed bool   // a request has not matched
}

func newPlaylist(script Script, anyOrder bool) *playlist {
	p := &playlist{script: script, anyOrder: anyOrder, played: make([]bool, len(script))}
	for i := range script {
		p.played[i] = anyOrder && script[i].connects() // there is no "before" to be refused in
	}
	return p
}

// errFailed is for requests behind the one that did not match.
var errFailed = errors.New("replay: an earlier request did not match")

// take finds the exchange for a request. The error says why there is none.
func (p *playlist) take(r *http.Request) (iter.Seq[Step], error) {
	if p.anyOrder {
		return p.takeAny(r)
	}
	p.mu.Lock()
	if p.failed {
		p.mu.Unlock()
		return nil, errFailed
	}
	n := p.next
	fits := n < len(p.script) && !p.script[n].connects()
	if fits {
		p.advance() // taken before Check runs, which may call back
	}
	p.mu.Unlock()

	switch {
	case n == len(p.script):
		return nil, p.mismatch(n, r, "the script is over: no request was expected")
	case !fits:
		return nil, p.mismatch(n, r, fmt.Sprintf("want first: %v", &p.script[n]))
	}
	if diff := p.script[n].Request.differences(r); len(diff) > 0 {
		return nil, p.mismatch(n, r, fmt.Sprintf("want: %v\n\t%s", &p.script[n], strings.Join(diff, "\n\t")))
	}
	return slices.Values(p.script[n].Answer), nil
}

// takeAny plays the first exchange that matches and has not been played, so
// that of several answers to the same request the first comes first. Nothing
// is out of order here, so a request that finds none is no reason to stop.
func (p *playlist) takeAny(r *http.Request) (iter.Seq[Step], error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	nearest, near := "the script is over: no request was expected", -1
	for i := range p.script {
		if p.played[i] {
			continue
		}
		diff := p.script[i].Request.differences(r)
		if len(diff) == 0 {
			p.played[i] = true
			return slices.Values(p.script[i].Answer), nil
		}
		if near < 0 || len(diff) < near {
			near = len(diff)
			nearest = fmt.Sprintf("nearest: %v\n\t%s", &p.script[i], strings.Join(diff, "\n\t"))
		}
	}
	return nil, fmt.Errorf("replay: no exchange is left for this request\n\tgot:  %s %s\n\t%s", r.Method, r.URL, nearest)
}

// mismatch is the error about a request that came in the place of exchange n.
func (p *playlist) mismatch(n int, r *http.Request, why string) error {
	p.mu.Lock()
	p.failed = true
	p.mu.Unlock()
	text := fmt.Sprintf("replay: request %d of %d does not match\n\tgot:  %s %s\n\t%s",
		n+1, len(p.script), r.Method, r.URL, why)
	// The usual cause is one request too many or too few, so another exchange
	// that would have taken it says much.
	for i := range p.script {
		if i != n && !p.script[i].connects() && len(p.script[i].Request.differences(r)) == 0 {
			text += fmt.Sprintf("\n\tit would match exchange %d", i+1)
			break
		}
	}
	return errors.New(text)
}

// advance goes on to the next exchange; mu is held.
func (p *playlist) advance() {
	p.next++
	p.used = 0
}

// wantsConnections reports whether the script waits for attempts to connect.
func (p *playlist) wantsConnections() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.anyOrder && p.next < len(p.script) && p.script[p.next].connects()
}

// refuses counts an attempt to connect and reports whether to refuse it.
func (p *playlist) refuses() bool {
	return p.turnsAway(func(e *Exchange) int { return e.refuse })
}

// drops counts a connection and reports whether to close it at once.
func (p *playlist) drops() bool {
	return p.turnsAway(func(e *Exchange) int { return e.drop })
}

// turnsAway counts an attempt against the limit of the exchange at hand, and
// goes on to the next exchange with the last one.
func (p *playlist) turnsAway(limit func(*Exchange) int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.anyOrder || p.next == len(p.script) {
		return false
	}
	n := limit(&p.script[p.next])
	if p.used >= n {
		return false
	}
	if p.used++; p.used == n {
		p.advance()
	}
	return true
}

// left lists the exchanges that have not been played. After a mismatch that is
// nothing: everything behind it is left over for that one reason, which has
// been told.
func (p *playlist) left() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	n := 0
	for i := range p.script {
		if p.failed || p.played[i] || !p.anyOrder && i < p.next {
			continue
		}
		n++
		fmt.Fprintf(&b, "\n\t%d: %v", i+1, &p.script[i])
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("replay: %d of %d exchanges were never asked for:%s", n, len(p.script), b.String())
}

// story is requests, one a line.
func story(seen []Seen) string {
	var b strings.Builder
	for _, r := range seen {
		fmt.Fprintf(&b, "\n\t%s %s (connection %d)", r.Method, r.URL, r.Conn)
	}
	return cmp.Or(b.String(), " none")
}
