package replay

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Load reads a recording from a file, as [Reader.Script] does. An error names
// the file.
func Load(name string, speed float64) (Script, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	defer f.Close()
	d, err := NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%w in %s", err, name)
	}
	script, err := d.Script(speed)
	if err != nil {
		return nil, fmt.Errorf("%w in %s", err, name)
	}
	return script, nil
}

// Script reads the rest of the recording and makes a script of it. All of it
// is then in memory.
//
// With speed 1 the pauses are those that were recorded, with 10 a tenth of
// them, and with 0 there are none. An exchange whose end was not recorded,
// or that the client ended, holds the connection open. Requests are matched by
// path and by those parts of the query that change what is answered:
// timeoutSeconds and limit are free.
func (d *Reader) Script(speed float64) (Script, error) {
	l := loader{speed: speed, exchanges: map[int]*loading{}}
	for {
		r, err := d.Next()
		if err == io.EOF {
			return l.script()
		}
		if err != nil {
			return nil, err
		}
		if err := l.add(r); err != nil {
			return nil, &SyntaxError{r.Line, err}
		}
	}
}

// loader sorts the records of exchanges that overlap.
type loader struct {
	speed     float64
	now       time.Duration // since the start of the recording
	order     []*loading
	exchanges map[int]*loading
	last      *loading
	faults    []Fault
}

// loading is an exchange whose end has not been read.
type loading struct {
	Exchange
	at    time.Duration // of the record before
	ended bool
}

func (l *loader) add(r *Record) error {
	// Intervals in the file are between lines; pauses in a script are within
	// one exchange, whatever happened in others meanwhile.
	l.now += r.After
	if r.Kind == KindRequest {
		e := &loading{Exchange: Exchange{Request: recordedRequest(r)}, at: l.now}
		l.exchanges[r.Exchange] = e
		l.order = append(l.order, e)
		l.last = e
		return nil
	}
	e := l.exchanges[r.Exchange]
	if r.Exchange == 0 {
		e = l.last // a mark of the user's, or a line written by hand
	}
	if e == nil {
		return errNoRequest
	}
	if r.Kind == KindFault {
		f, err := ParseFault(r.Text)
		if err == nil && !f.placed() { // it is about what comes next
			f.Mark = fmt.Sprintf("fault in line %d", r.Line)
			e.Answer = append(e.Answer, Mark(f.Mark))
		}
		l.faults = append(l.faults, f)
		return err
	}
	if pause := l.now - e.at; l.speed > 0 && pause > 0 {
		e.Answer = append(e.Answer, Pause(time.Duration(float64(pause)/l.speed)))
	}
	e.at = l.now
	if r.Kind == KindError && r.Why == WhyRefused {
		e.Exchange = Refuse(1)
		return nil
	}
	e.Answer = append(e.Answer, r.steps(&e.ended)...)
	return nil
}

func (l *loader) script() (Script, error) {
	script := make(Script, 0, len(l.order))
	for _, e := range l.order {
		if !e.ended && !e.connects() {
			e.Answer = append(e.Answer, Hold())
		}
		script = append(script, e.Exchange)
	}
	// Faults come last, when what follows each of them is known: the rest of a
	// watch that they break has to go somewhere.
	for _, f := range l.faults {
		var err error
		if script, err = script.Inject(f); err != nil {
			return nil, err
		}
	}
	return script, nil
}

// matters are the query keys a recorded answer depends on.
var matters = []string{"watch", "resourceVersion", "continue", "sendInitialEvents", "labelSelector", "fieldSelector"}

func recordedRequest(r *Record) Request {
	if r.URL == "" {
		return Request{Method: r.Method}
	}
	req := Request{Method: r.Method}
	u, err := url.Parse(r.URL)
	if err != nil {
		req.Path = r.URL // no request will match, and the message shows why
		return req
	}
	req.Path = u.EscapedPath()
	req.Query = map[string]string{}
	for _, k := range matters {
		req.Query[k] = u.Query().Get(k)
	}
	return req
}

// steps is what the server did according to one record.
func (r *Record) steps(ended *bool) []Step {
	switch r.Kind {
	case KindResponse:
		return []Step{Respond(r.Status, headerLines(r.Header)...)}
	case KindEvent:
		return []Step{{kind: stepWrite, bytes: string(r.Bytes) + "\n", cuts: r.Cuts}}
	case KindRaw, KindBody:
		if r.Hidden > 0 {
			return []Step{Write(filler(r.Hidden))}
		}
		return []Step{{kind: stepWrite, bytes: string(r.Bytes), cuts: r.Cuts}}
	case KindMark:
		return []Step{Mark(r.Text)}
	case KindEnd, KindError:
		*ended = true
		switch r.Why {
		case WhyEOF:
			return []Step{End()}
		case WhyReset:
			return []Step{Reset()}
		case WhyTimeout, WhyClientCancel:
			return []Step{Hold()}
		}
		return []Step{Cut()}
	}
	return nil
}

// filler stands for n bytes that were not recorded: nothing that decodes, as
// what it stands for did not either.
func filler(n int) string { return strings.Repeat("~", n) }

// headerLines is a recorded header without what belongs to one connection: the
// framing, which is made anew.
func headerLines(h http.Header) (lines []string) {
	typed := false
	for _, f := range sortedHeader(h) {
		switch f[0] {
		case "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Trailer", "Upgrade":
			continue
		case "Content-Type":
			typed = true
		}
		lines = append(lines, f[0]+": "+f[1])
	}
	if !typed {
		lines = append(lines, "Content-Type:") // there was none
	}
	return lines
}
