// Package query runs jq expressions on events, within limits.
//
// The language is gojq's: without $ENV and env (they are empty), input and
// inputs (there is one event), and files. Objects come out with their keys
// sorted. A number keeps its text as long as nothing is computed with it;
// bytes that are not UTF-8 become U+FFFD, as everywhere in encoding/json.
package query

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
)

// What an expression may use up for one event. What it holds meanwhile is
// bounded by the time alone.
const (
	DefaultTime   = 2 * time.Second
	DefaultOutput = 16 << 20 // bytes
)

// Filter is a compiled expression.
type Filter struct {
	code *gojq.Code
	// Time and Output are the limits of one run; 0 is the default.
	Time   time.Duration
	Output int
}

// SyntaxError says what is wrong with an expression, and where.
type SyntaxError struct {
	Msg string
	// Line is the line of the expression that it is in, and Column the bytes
	// in front of the place; -1 is not known.
	Line   string
	Column int
}

func (e *SyntaxError) Error() string { return e.Msg }

// Pointer is the line, with a caret below the place; "" if that is not known.
// It is escaped for terminals.
func (e *SyntaxError) Pointer() string {
	if e.Column < 0 {
		return ""
	}
	before := escape.Text(strings.ReplaceAll(e.Line[:e.Column], "\t", " "))
	after := escape.Text(strings.ReplaceAll(e.Line[e.Column:], "\t", " "))
	return before + after + "\n" + strings.Repeat(" ", escape.Width(before)) + "^\n"
}

// Compile compiles an expression. The error is a *SyntaxError.
func Compile(expr string) (*Filter, error) {
	parsed, err := gojq.Parse(expr)
	if err != nil {
		at := len(expr)
		if parse := (*gojq.ParseError)(nil); errors.As(err, &parse) {
			at = min(max(parse.Offset-len(parse.Token), 0), len(expr))
		}
		return nil, syntaxError(err, expr, at)
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, syntaxError(err, expr, mentioned(err, expr))
	}
	return &Filter{code: code}, nil
}

// mentioned is where the name that an error ends with stands in the
// expression, or -1: "function not defined: foo/1".
func mentioned(err error, expr string) int {
	text := err.Error()
	name, _, _ := strings.Cut(text[strings.LastIndex(text, " ")+1:], "/")
	if name == "" {
		return -1
	}
	return strings.Index(expr, name)
}

func syntaxError(err error, expr string, at int) *SyntaxError {
	if at < 0 {
		return &SyntaxError{Msg: err.Error(), Column: -1}
	}
	start := strings.LastIndexByte(expr[:at], '\n') + 1
	line, _, _ := strings.Cut(expr[start:], "\n")
	return &SyntaxError{Msg: err.Error(), Line: line, Column: at - start}
}

var (
	errTime   = errors.New("it takes too long")
	errOutput = errors.New("it makes too much output")
)

// Append runs the filter on one event, a JSON text, and appends what comes out
// to b: strings as they are (but for characters that a terminal would act on),
// everything else as JSON, each with a line break. When the expression fails,
// what came before is there. When it goes over a limit, nothing is: an
// expression that does not end has nothing to say.
func (f *Filter) Append(ctx context.Context, b, event []byte) ([]byte, error) {
	size := cmp.Or(f.Output, DefaultOutput)
	start := len(b)
	err := f.run(ctx, event, func(value any) (more bool, err error) {
		if b, err = appendValue(b, value); err == nil && len(b)-start > size {
			err = fmt.Errorf("%w: over %d bytes for one event", errOutput, size)
		}
		return true, err
	})
	if err != nil && (IsLimit(err) || ctx.Err() != nil) {
		b = b[:start]
	}
	return b, err
}

// Is reports whether the first thing that comes out for a JSON text is neither
// false nor null, as jq's if does. Nothing is false.
func (f *Filter) Is(ctx context.Context, object []byte) (is bool, err error) {
	err = f.run(ctx, object, func(value any) (more bool, err error) {
		is = value != nil && value != false
		return false, nil
	})
	return is, err
}

// run calls yield with each value that comes out, until it wants no more.
func (f *Filter) run(ctx context.Context, text []byte, yield func(value any) (more bool, err error)) error {
	input, err := decode(text)
	if err != nil {
		return err
	}
	limit := cmp.Or(f.Time, DefaultTime)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTime)
	defer cancel()
	results := f.code.RunWithContext(ctx, input)
	for {
		value, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := value.(error); failed {
			return f.failure(ctx, err, limit)
		}
		if more, err := yield(value); !more || err != nil {
			return err
		}
	}
}

// failure is the error of a run that gojq ended with err.
func (f *Filter) failure(ctx context.Context, err error, limit time.Duration) error {
	if ctx.Err() != nil {
		if cause := context.Cause(ctx); cause != errTime {
			return cause
		}
		return fmt.Errorf("%w: over %s for one event", errTime, limit)
	}
	if halt := (*gojq.HaltError)(nil); errors.As(err, &halt) && halt.Value() == nil {
		return nil // halt: enough of this event
	}
	return err
}

// IsLimit reports whether err is about a limit.
func IsLimit(err error) bool { return errors.Is(err, errTime) || errors.Is(err, errOutput) }

func decode(event []byte) (v any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(event))
	decoder.UseNumber()
	err = decoder.Decode(&v)
	return v, err
}

func appendValue(b []byte, value any) ([]byte, error) {
	if s, ok := value.(string); ok {
		return append(appendRaw(b, s), '\n'), nil
	}
	text, err := gojq.Marshal(value)
	return append(append(b, text...), '\n'), err
}

// appendRaw appends a string. Line breaks and tabs are what @tsv and join make
// on purpose; other control characters are a stranger's.
func appendRaw(b []byte, s string) []byte {
	for {
		i := strings.IndexAny(s, "\n\t")
		if i < 0 {
			return escape.Append(b, s)
		}
		b = append(escape.Append(b, s[:i]), s[i])
		s = s[i+1:]
	}
}
