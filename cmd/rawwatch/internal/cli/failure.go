package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/cause"
	"example.com/rawwatch/cmd/rawwatch/internal/discovery"
	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
)

// failure is an error with what it takes to tell a person about it.
type failure struct {
	tried  string // "list pods in namespace t"; "" if the reason says it
	server string // host and port
	reason string // mostly the server's own words
	hint   string // what to do; may be ""
	row    string // of the verdict table, for rawwatch explain; may be ""
	err    error
}

// Error is one line: what failed, where, the server's reason, what to do, and
// the row of the verdict table that decided.
func (f *failure) Error() string {
	text := "at " + f.server + ": " + f.reason
	if f.tried != "" {
		text = "cannot " + f.tried + " " + text
	}
	if f.hint != "" {
		text += " (" + f.hint + ")"
	}
	if f.row != "" {
		text += " [" + f.row + "]"
	}
	return text
}

func (f *failure) Unwrap() error { return f.err }

// errorLine is what goes to standard error where no story has begun. A server's
// words are in it, so it is escaped, line breaks included.
func errorLine(err error, json bool) []byte {
	text := story.Bounded(errorText(err))
	if json {
		return story.ErrorJSON(time.Now(), text)
	}
	line := "rawwatch: error: " + escape.Text(text) + "\n"
	if usage := (*usageError)(nil); errors.As(err, &usage) {
		line += usage.pointer
	}
	return []byte(line)
}

func errorText(err error) string {
	text := strings.TrimPrefix(err.Error(), "kubeconfig: ")
	if config := (*kubeconfig.Error)(nil); errors.As(err, &config) {
		text = optionFlags.Replace(text)
	}
	return strings.TrimPrefix(text, "stream: ")
}

// toldError is about something on the side of a watch that went well, and has
// been told in more words than its own.
type toldError struct{ error }

// reportedError has been told, as the last line of a story.
type reportedError struct{ error }

func (e *reportedError) Unwrap() error { return e.error }

// report tells an error that ended what had begun. Whoever reads a log wants to
// know when that was; a mistake in the flags needs no time.
func report(tell *story.Story, err error) error {
	if err == nil || isInterrupted(err) || isTold(err) {
		return err
	}
	tell.Error(errorText(err))
	return &reportedError{err}
}

// isTold reports whether a person knows of err already.
func isTold(err error) bool {
	told, reported := (*toldError)(nil), (*reportedError)(nil)
	return errors.As(err, &told) || errors.As(err, &reported)
}

// failed puts the place into what ended the watch. What is no failure of the
// server's passes as it is.
func (a *ask) failed(err error, sources []*source, config *kubeconfig.Config) error {
	if err == nil {
		return nil
	}
	f := &failure{server: config.Server.Host, reason: cause.Of(err), err: err}
	var (
		ended     *stream.Error
		typ       *typeError
		request   *discovery.RequestError
		unknown   *discovery.UnknownTypeError
		ambiguous *discovery.AmbiguousError
		deaf      *discovery.NotWatchableError
	)
	switch {
	case errors.As(err, &ended):
		// The watch: a verb and a resource, which is also what access rules
		// are made of.
		f.tried = string(ended.Verb) + " " + ended.Target.String()
		for _, s := range sources {
			if s.target == ended.Target {
				f.tried = string(ended.Verb) + " " + s.what()
			}
		}
		f.hint, f.row = hint(ended.Err, ended.Row, config), ended.Row
		switch {
		case errors.Is(err, status.ErrForbidden):
			f.hint = "try: " + canI(ended)
		case ended.Row == status.RowDenied && errors.Is(err, status.ErrNotFound) && len(a.types) == 0:
			f.hint = "check the path: is it plural, with the right group and version? then the access rules and credentials"
		}
	case errors.As(err, &request) && errors.As(err, &typ):
		f.tried = fmt.Sprintf("find out what %q is", typ.typ)
		// The path is part of the reason here: only some people may read it.
		f.reason = "GET " + request.Path + ": " + cause.Of(request.Err)
		if request.Err == io.EOF {
			f.reason = "GET " + request.Path + ": the server closed the connection without an answer"
		}
		row := status.Decide(status.Failure{Verb: status.List, Err: request.Err}, status.Run{}).Row
		f.hint, f.row = hint(request.Err, row, config), row
		if errors.Is(err, status.ErrForbidden) {
			f.hint = "a path needs no discovery: rawwatch /apis/GROUP/VERSION/TYPE"
		}
	case errors.As(err, &unknown), errors.As(err, &ambiguous), errors.As(err, &deaf):
	default:
		return err
	}
	// The hint belongs to a single failure. Whoever gave up after several knew
	// them all along.
	if errors.Is(err, stream.ErrMaxReconnects) {
		f.reason, f.hint = fmt.Sprintf("gave up after %d failures in a row: %s", a.maxReconnects+1, f.reason), ""
	}
	return f
}

// hint is what a person can do about a failure: by name where there is
// something to name, else what the verdict table says.
func hint(err error, row string, config *kubeconfig.Config) string {
	switch {
	case errors.Is(err, status.ErrUnauthorized):
		return "the server does not take " + credentials(config) + "; log in again, or choose another --user or --context"
	case errors.Is(err, status.ErrExpired):
		return "--on-expired relist goes on from a new list"
	case errors.Is(err, status.ErrResourceGone):
		return "the type was deleted while it was watched"
	case errors.Is(err, status.ErrInvalidResourceVersion):
		return "check --resource-version"
	case errors.Is(err, io.EOF) && config.Server.Scheme == "http":
		return "is this a TLS port? then write https://"
	case errors.Is(err, errSlow), strings.Contains(err.Error(), "TLS handshake timeout"):
		return "the port is open, but nobody answers there: check the server address"
	}
	var (
		end    *status.End
		answer *status.Error
	)
	switch {
	case errors.As(err, &end) && end.Kind == status.EndFrameSize:
		return "raise --max-frame, or ask for --metadata-only"
	case errors.As(err, &answer) && row == status.RowBadRequest && answer.Body != status.BodyStatus && config.Server.Scheme == "http":
		row = status.RowPlainHTTP // "Client sent an HTTP request to an HTTPS server", in text
	}
	for _, r := range status.Table() {
		if r.ID == row {
			return r.Hint
		}
	}
	return ""
}

// credentials names what we show to the server, never its content.
func credentials(config *kubeconfig.Config) string {
	if config.User == "" {
		return "the credentials: " + config.Credentials
	}
	return fmt.Sprintf("the credentials of user %q: %s", config.User, config.Credentials)
}

// canI is the command that answers whether access is allowed.
func canI(e *stream.Error) string {
	command := "kubectl auth can-i " + string(e.Verb) + " " + e.Target.Resource
	if e.Target.Group != "" {
		command += "." + e.Target.Group
	}
	if e.Target.Namespace != "" {
		return command + " -n " + e.Target.Namespace
	}
	return command + " -A"
}

// unmet is the error of a --timeout that passed too early, with what kept it
// from being met. l is nil if nothing was watched yet.
func unmet(l *loop) error {
	if l == nil {
		return fmt.Errorf("%w before anything could be watched", errUnmet)
	}
	var missing []string
	var last error
	for _, s := range l.sources {
		if l.goal == nil && s.synced {
			continue
		}
		missing = append(missing, s.label)
		if err := s.watcher.State().LastError; last == nil {
			last = err
		}
	}
	var err error
	switch {
	case l.goal != nil:
		err = fmt.Errorf("%w before --for was met: %s", errUnmet, l.goal.Missing())
	case len(l.sources) > 1:
		err = fmt.Errorf("%w before the initial state of %s was complete", errUnmet, strings.Join(missing, ", "))
	default:
		err = fmt.Errorf("%w before the initial state was complete", errUnmet)
	}
	if last != nil {
		err = fmt.Errorf("%w; the last failure: %s", err, cause.Of(last))
	}
	return err
}
