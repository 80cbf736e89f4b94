package replay

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// A Problem is something about a recording that its reader should know.
type Problem struct {
	Line int // from 1; 0 is the file as a whole
	Text string
	// Minor: the recording can be played all the same. It was cut short, or
	// holds what had better be left out.
	Minor bool
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Text)
}

var (
	errNoRequest = errors.New("no request before it")
	errOver      = errors.New("its exchange has ended before")
)

// Lint reads a whole recording and reports what is wrong with it, going on
// behind lines that cannot be read. The error is one of reading r, or says
// that this is no recording at all.
func Lint(r io.Reader) ([]Problem, error) {
	d, err := NewReader(r)
	if err != nil {
		return nil, err
	}
	l := linter{phase: map[int]phase{}}
	for {
		rec, err := d.next() // not Next, which stops at the first error
		var syntax *SyntaxError
		switch {
		case err == io.EOF:
			return l.finish(d), nil
		case errors.As(err, &syntax):
			l.say(syntax.Line, "%v", syntax.Err)
			if d.Header.Version == 0 {
				return l.problems, nil
			}
		case err != nil:
			return l.problems, err
		default:
			l.record(rec)
		}
	}
}

// linter knows how far each exchange has come.
type linter struct {
	problems []Problem
	phase    map[int]phase
}

// phase is how far one exchange has come.
type phase struct {
	line  int // of the request
	state lintState
}

type lintState uint8

const (
	lintAsked lintState = iota + 1 // 0: there was no request
	lintAnswered
	lintOver
)

func (l *linter) say(line int, format string, args ...any) {
	l.problems = append(l.problems, Problem{Line: line, Text: fmt.Sprintf(format, args...)})
}

// mention is say, for what is minor.
func (l *linter) mention(line int, format string, args ...any) {
	l.problems = append(l.problems, Problem{Line: line, Text: fmt.Sprintf(format, args...), Minor: true})
}

func (l *linter) record(r *Record) {
	p := l.phase[r.Exchange]
	switch r.Kind {
	case KindMark:
		return
	case KindFault:
		if _, err := ParseFault(r.Text); err != nil {
			l.say(r.Line, "%v", err)
		}
		return
	case KindRequest:
		if p.state != 0 && p.state != lintOver {
			l.say(r.Line, "exchange %d asks again before it has ended (line %d)", r.Exchange, p.line)
		}
		for k := range r.Header {
			if secretHeader(k) && !slices.Equal(r.Header[k], []string{redacted}) {
				l.mention(r.Line, "header %s is not redacted", k)
			}
		}
		l.phase[r.Exchange] = phase{r.Line, lintAsked}
		return
	}
	switch {
	case p.state == 0:
		l.say(r.Line, "%s: %v", r.Kind, errNoRequest)
	case p.state == lintOver:
		l.say(r.Line, "%s: %v", r.Kind, errOver)
	case r.Kind == KindResponse && p.state == lintAnswered:
		l.say(r.Line, "res: a second one")
	case r.Kind == KindResponse:
		if r.Status < 100 || r.Status > 999 {
			l.say(r.Line, "res: status %d", r.Status)
		}
		p.state = lintAnswered
	case r.Kind == KindError:
		if p.state == lintAnswered {
			l.say(r.Line, "err: there was an answer; it has an end instead")
		}
		p.state = lintOver
	case p.state == lintAsked:
		l.say(r.Line, "%s: no answer (res) before it", r.Kind)
	}
	if r.Kind == KindEnd {
		switch r.Why {
		case WhyEOF, WhyUnexpectedEOF, WhyReset, WhyTimeout, WhyClientCancel:
		default:
			l.say(r.Line, "end: unknown why %q", r.Why)
		}
		p.state = lintOver
	}
	l.phase[r.Exchange] = p
}

// finish reports what only the end of the file shows, in order of the
// exchanges.
func (l *linter) finish(d *Reader) []Problem {
	var cut *SyntaxError
	if errors.As(d.Truncated(), &cut) {
		l.mention(cut.Line, "%v", cut.Err)
	}
	for _, n := range slices.Sorted(maps.Keys(l.phase)) {
		if p := l.phase[n]; p.state == lintAsked || p.state == lintAnswered {
			l.mention(p.line, "exchange %d has no end: the recording was cut short", n)
		}
	}
	return l.problems
}
