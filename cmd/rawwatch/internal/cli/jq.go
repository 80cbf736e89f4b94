package cli

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/query"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/stream"
)

// jq is --jq: an expression that makes what is printed out of each event.
//
// An event on which it fails is told, and the next one is its own: of a
// thousand objects, one without the field that is asked for must not end the
// watch. But the command does not end with 0 then, as output is missing.
type jq struct {
	expr   string
	filter *query.Filter // nil: there is none
	failed int           // events
}

func (q *jq) add(set *pflag.FlagSet) {
	set.StringVarP(&q.expr, "jq", "q", "", "print what this expression makes of each event")
}

// check compiles the expression. What it makes is made of JSON.
func (q *jq) check(format *choice, given func(string) bool) error {
	if !given("jq") {
		return nil
	}
	if given("output") && format.value != string(output.JSON) {
		return usagef("--jq says what is printed, and so does -o %s; leave out one of them", format.value)
	}
	format.value = string(output.JSON)
	var err error
	if q.filter, err = query.Compile(q.expr); err != nil {
		return badExpression("--jq", err)
	}
	return nil
}

// badExpression is the mistake in the value of a flag. If it is one in an
// expression, it points there.
func badExpression(flag string, err error) error {
	usage := &usageError{text: flag + ": " + err.Error()}
	if syntax := (*query.SyntaxError)(nil); errors.As(err, &syntax) {
		usage.pointer = syntax.Pointer()
	}
	return usage
}

// maxTold is how many events on which the expression fails are told one by one.
const maxTold = 10

// query is the filter at work, until ctx is done; nil if there is none.
func (q *jq) query(ctx context.Context, tell *story.Story) func([]byte, stream.Event, []byte) []byte {
	if q.filter == nil {
		return nil
	}
	return func(b []byte, ev stream.Event, line []byte) []byte {
		b, err := q.filter.Append(ctx, b, line)
		if err == nil || ctx.Err() != nil {
			return b
		}
		q.failed++
		switch {
		case q.failed <= maxTold:
			tell.Say("--jq: at %s of %s: %v", ev.Type, place(ev), err)
		case q.failed == maxTold+1:
			tell.Say("--jq: failed on %d events; from here on they are only counted", q.failed)
		}
		return b
	}
}

// place names the object of an event.
func place(ev stream.Event) string {
	name := human.Name(ev.Namespace, ev.Name)
	if ev.ResourceVersion == "" {
		return name
	}
	return name + " at resourceVersion " + ev.ResourceVersion
}

// result is what a command ends with whose watch ended with err.
func (q *jq) result(err error, tell *story.Story) error {
	if q.failed > maxTold {
		tell.Say("--jq: failed on %d events in all", q.failed)
	}
	if q.failed > 0 && err == nil {
		return &toldError{errors.New("--jq failed")}
	}
	return err
}
