package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Fault is something a network, a proxy or a server does to an answer.
// [Faults] lists them with what a right client makes of each.
type Fault struct {
	Name string
	// Arg is a number of bytes, a duration or a status code, by the fault; ""
	// is its default.
	Arg string
	// Where it strikes; at most one may be set, and none means at every event.
	Event    int    // the nth event of the script, from 1
	Exchange int    // the first event of the nth exchange, or the exchange itself
	RV       string // the first event with this resourceVersion
	Mark     string // the first event behind this mark
}

// ParseFault reads a fault as it is written on a command line or in a
// recording: NAME[=ARG][@WHERE], where WHERE is event:N, exchange:N, rv:RV or
// mark:NAME.
//
//	cut=17@event:3    status=503@exchange:2    latency=200ms    gone-event@rv:1041
func ParseFault(s string) (Fault, error) {
	what, where, placed := strings.Cut(s, "@")
	var f Fault
	f.Name, f.Arg, _ = strings.Cut(what, "=")
	if _, err := f.kind(); err != nil {
		return f, err
	}
	if !placed {
		return f, nil
	}
	key, value, _ := strings.Cut(where, ":")
	n, err := strconv.Atoi(value)
	switch {
	case key == "rv" && value != "":
		f.RV = value
	case key == "mark" && value != "":
		f.Mark = value
	case key == "event" && err == nil && n > 0:
		f.Event = n
	case key == "exchange" && err == nil && n > 0:
		f.Exchange = n
	default:
		return f, fmt.Errorf("replay: fault %q: %q is no place: want event:N, exchange:N, rv:RV or mark:NAME", f.Name, where)
	}
	return f, nil
}

// String is the text ParseFault reads.
func (f Fault) String() string {
	s := f.Name
	if f.Arg != "" {
		s += "=" + f.Arg
	}
	switch {
	case f.Event > 0:
		s += "@event:" + strconv.Itoa(f.Event)
	case f.Exchange > 0:
		s += "@exchange:" + strconv.Itoa(f.Exchange)
	case f.RV != "":
		s += "@rv:" + f.RV
	case f.Mark != "":
		s += "@mark:" + f.Mark
	}
	return s
}

// placed reports whether the fault says where it strikes.
func (f *Fault) placed() bool { return f.Event > 0 || f.Exchange > 0 || f.RV != "" || f.Mark != "" }

// kind finds the fault's kind and checks its argument.
func (f *Fault) kind() (*FaultKind, error) {
	i := slices.IndexFunc(faultKinds, func(k FaultKind) bool { return k.Name == f.Name })
	if i < 0 {
		return nil, fmt.Errorf("replay: no fault %q; there are %s", f.Name, strings.Join(faultNames(), ", "))
	}
	k := &faultKinds[i]
	var err error
	switch {
	case f.Arg == "":
	case k.Takes == "":
		err = errors.New("takes no argument")
	case k.Takes == "duration":
		_, err = time.ParseDuration(f.Arg)
	default:
		_, err = strconv.ParseUint(f.Arg, 10, 31)
	}
	if err != nil {
		return nil, fmt.Errorf("replay: fault %s=%s: %w", f.Name, f.Arg, err)
	}
	return k, nil
}

// number is the argument, or def.
func (f *Fault) number(def int) int {
	if n, err := strconv.Atoi(f.Arg); err == nil {
		return n
	}
	return def
}

func (f *Fault) duration(def time.Duration) time.Duration {
	if d, err := time.ParseDuration(f.Arg); err == nil {
		return d
	}
	return def
}

// Inject returns a copy of script with the fault in it. Faults that end an
// answer or replace one strike once; the others, without a place, at every
// event.
//
// A fault that ends a watch leaves its client without the rest, so the rest is
// moved to an exchange of its own behind the broken one: the same request, from
// the resourceVersion of the last event that got through. After a fault that
// takes the history away (gone-status, gone-event) no request of the client's
// is a continuation; what it lists then is for the script to say.
//
// A fault that finds no place is an error: a test that injects nothing tests
// nothing.
func (script Script) Inject(f Fault) (Script, error) {
	kind, err := f.kind()
	if err != nil {
		return nil, err
	}
	once := kind.event == nil || f.placed()
	var out Script
	hit, events := false, 0
	for n, e := range script {
		places := f.places(n, e, kind.exchange != nil, &events)
		// Places are looked for all the same, because that counts the events.
		if once && hit {
			places = nil
		}
		if len(places) == 0 {
			out = append(out, e)
			continue
		}
		if once {
			places = places[:1]
		}
		hit = true
		switch at := places[0]; {
		case kind.exchange != nil:
			out = append(out, kind.exchange(&f, e)...)
		case kind.ending != nil:
			broken := e
			broken.Answer = append(slices.Clone(e.Answer[:at]), kind.ending(&f, e.Answer[at])...)
			out = append(out, broken)
			if !kind.gone {
				out = append(out, e.from(at))
			}
		default:
			changed := e
			changed.Answer = nil
			for i, step := range e.Answer {
				if slices.Contains(places, i) {
					changed.Answer = append(changed.Answer, kind.event(&f, step)...)
				} else {
					changed.Answer = append(changed.Answer, step)
				}
			}
			out = append(out, changed)
		}
	}
	if !hit {
		return nil, fmt.Errorf("replay: fault %v: there is no such place in the script", f)
	}
	return out, nil
}

// places are the steps of exchange n (from 0) at which the fault can strike.
// whole is for faults of whole exchanges; events counts the events of the
// script so far.
func (f *Fault) places(n int, e Exchange, whole bool, events *int) (at []int) {
	marked := false
	for i := range e.Answer {
		step := &e.Answer[i]
		marked = marked || step.kind == stepMark && step.bytes == f.Mark
		event := isEvent(step)
		if event {
			*events++
		}
		switch {
		case f.Exchange > 0:
			if f.Exchange != n+1 || step.kind != stepWrite && !whole {
				continue
			}
		case f.Mark != "" && whole:
			if !marked {
				continue
			}
		case f.Mark != "":
			if !marked || step.kind != stepWrite {
				continue
			}
		case !event || f.Event > 0 && *events != f.Event || f.RV != "" && step.version() != f.RV:
			continue
		}
		at = append(at, i)
	}
	return at
}

// isEvent reports whether the step writes exactly one event line. It is less
// strict than isEventLine: what a fault has made of an event (CR LF, bytes that
// are not UTF-8) still brings its client forward.
func isEvent(s *Step) bool {
	if s.kind != stepWrite || !strings.HasSuffix(s.bytes, "\n") || strings.Count(s.bytes, "\n") > 1 {
		return false
	}
	b := []byte(s.bytes)
	return json.Valid(b) && hasType(b)
}

// version is the resourceVersion of the event that the step writes.
func (s *Step) version() string {
	return lookupString([]byte(s.bytes), "object", "metadata", "resourceVersion")
}

// from is the exchange a client goes on with that has lost its connection
// before step at of e.
func (e *Exchange) from(at int) Exchange {
	whole := Exchange{Request: e.Request, Answer: e.Answer}
	if !truth(e.Request.Query["watch"]) && e.Request.Path != "" {
		return whole // a list is asked for again
	}
	// Where the client is by then: behind the last event that came whole.
	rv, initial := "", truth(e.Request.Query["sendInitialEvents"])
	for i := range e.Answer[:at] {
		if step := &e.Answer[i]; isEvent(step) {
			rv = step.version()
			if strings.Contains(step.bytes, `"k8s.io/initial-events-end":"true"`) {
				initial = false
			}
		}
	}
	if rv == "" || initial {
		return whole // nothing to go on from; half a streaming list is none
	}
	rest := Exchange{Request: e.Request}
	if e.Request.Path != "" {
		rest.Request = e.Request.With("resourceVersion", rv).With("sendInitialEvents", "")
	}
	for _, step := range e.Answer[:at] {
		if step.kind == stepRespond {
			rest.Answer = append(rest.Answer, step)
		}
	}
	rest.Answer = append(rest.Answer, e.Answer[at:]...)
	return rest
}
