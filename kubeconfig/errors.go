package kubeconfig

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrNoConfiguration is matched by the error of Load when no file, flag or
// service account says where a server is.
var ErrNoConfiguration = errors.New("no configuration has been provided")

// An Error says what is wrong with a configuration, where, and if possible
// what to do about it. It quotes names (of entries, files and keys), because
// one cannot find a fault without them, and never a value.
//
// What comes from Options, or may be put right there, is called by that name,
// as in Options.Context: a command that fills them in from flags can put the
// flags' names there.
type Error struct {
	File  string // "" if the fault is not in a file
	Line  int    // 0 if unknown
	Entry string // for instance `user "admin"`, or "Options"; "" for the whole file
	Field string // as the file spells it: "client-key-data", or "Options.ClientKey"; "" for the whole entry
	Err   error  // the reason
	Hint  string // what to do, "" if there is nothing more to say

	// loading says that the file could not be used at all. The message then
	// begins with kubectl's words for that: people search for them.
	loading bool
}

func (e *Error) Error() string { return "kubeconfig: " + e.detail() }

func (e *Error) Unwrap() error { return e.Err }

// detail is the text without the package's name.
func (e *Error) detail() string { return oneLine(e.location() + e.reason()) }

// location is where the fault is, with a colon at its end, or "".
func (e *Error) location() string {
	var b strings.Builder
	switch {
	case e.loading:
		fmt.Fprintf(&b, "error loading config file %q: ", e.File)
	case e.File != "":
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	for _, part := range []string{e.Entry, e.Field} {
		if part != "" {
			b.WriteString(part + ": ")
		}
	}
	return b.String()
}

// reason is what is wrong, and what to do.
func (e *Error) reason() string {
	if e.Hint != "" {
		return e.Err.Error() + " (" + e.Hint + ")"
	}
	return e.Err.Error()
}

// oneLine escapes what would break a line or steer a terminal: names and paths
// come from files that others write.
func oneLine(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// problems are several errors in one line, faults at the same place behind one
// mention of it. errors.Join would put each on a line of its own.
type problems []error

func (p problems) Error() string {
	var b strings.Builder
	b.WriteString("kubeconfig: ")
	last := ""
	for i, err := range p {
		if i > 0 {
			b.WriteString("; ")
		}
		var e *Error
		if !errors.As(err, &e) {
			b.WriteString(err.Error())
			continue
		}
		if at := e.location(); at != last {
			b.WriteString(at)
			last = at
		}
		b.WriteString(e.reason())
	}
	return oneLine(b.String())
}

func (p problems) Unwrap() []error { return p }

// report collects what is found on the way through a configuration, so that
// all of it can be said at once. Each Load has one of its own, and hands it
// down to whatever reads a part of the configuration.
type report struct {
	errs     []error
	warnings []string
}

func (r *report) fail(err *Error) { r.errs = append(r.errs, err) }

// warn adds a warning, once: a file that is read for two reasons has the same
// things to be said about it twice.
func (r *report) warn(format string, args ...any) {
	text := oneLine(fmt.Sprintf(format, args...))
	for _, old := range r.warnings {
		if old == text {
			return
		}
	}
	r.warnings = append(r.warnings, text)
}

// err returns all errors as one, nil if there are none.
func (r *report) err() error {
	switch len(r.errs) {
	case 0:
		return nil
	case 1:
		return r.errs[0]
	}
	return problems(r.errs)
}

// explained returns the error, with the warnings added to what it says: a key
// in the wrong case is the likely reason for a name that is not there.
func (r *report) explained() error {
	if len(r.errs) == 1 && len(r.warnings) > 0 {
		if e, ok := r.errs[0].(*Error); ok {
			notes := strings.Join(r.warnings, "; ")
			if e.Hint != "" {
				notes = e.Hint + "; " + notes
			}
			e.Hint = notes
		}
	}
	return r.err()
}

// quoteAll lists names for a message, at most a screenful of them.
func quoteAll(names []string) string {
	const most = 20
	quoted := make([]string, 0, most+1)
	for i, name := range names {
		if i == most {
			quoted = append(quoted, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	return strings.Join(quoted, ", ")
}
