package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/nearest"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/status"
)

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE|REASON]",
		Short: "Show what happens on each kind of failure",
		Example: `  rawwatch explain           the whole table
  rawwatch explain 410       what an HTTP status or the code of a Status leads to
  rawwatch explain Expired   the same for a reason, or for a row of the table`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("explain takes one CODE or REASON, got %q", args)
			}
			out := cmd.OutOrStdout()
			if len(args) == 0 {
				explainAll(out)
				return nil
			}
			rows, err := rowsFor(args[0])
			if err != nil {
				return err
			}
			for i, row := range rows {
				if i > 0 {
					fmt.Fprintln(out)
				}
				explainRow(out, row)
			}
			return nil
		},
	}
}

// The shape of the page: names, then text to the end of a line of this width.
const (
	nameColumn = 17
	pageWidth  = 100
)

// explainAll is the table at a glance: when, and what then.
func explainAll(w io.Writer) {
	for paragraph := range strings.Lines(status.Preamble) {
		paragraphIn(w, "", 0, paragraph)
	}
	for _, row := range status.Table() {
		fmt.Fprintln(w)
		paragraphIn(w, row.ID, nameColumn, row.Condition)
		paragraphIn(w, "", nameColumn, "-> "+then(row))
	}
}

// explainRow is all there is to say about one row.
func explainRow(w io.Writer, row status.Row) {
	fmt.Fprintln(w, row.ID)
	for _, part := range []struct{ name, text string }{
		{"  when", row.Condition},
		{"  then", then(row)},
		{"  why", row.Why},
		{"  try", row.Hint},
		{"  source", row.Source},
	} {
		if part.text != "" {
			paragraphIn(w, part.name, nameColumn, part.text)
		}
	}
}

// then is the verdict in words: "resume after 0-1 s, then after backoff;
// 3 in a row: relist".
func then(row status.Row) string {
	text := row.Action.String()
	switch {
	case row.Action == status.Stop || row.Action == status.Skip:
	case row.Delay == row.Again:
		text += " after " + row.Delay.String()
	default:
		text += " after " + row.Delay.String() + ", from the second time on after " + row.Again.String()
	}
	if again := row.Escalation.String(); again != "" {
		text += "; " + again
	}
	if row.Every > 0 {
		text += "; at most once in " + story.Exact(row.Every)
	}
	return text
}

// rowsFor finds the rows that an HTTP status, a reason, or a row's own name
// leads to. It asks the table itself, with every history there can be, so it
// cannot be wrong about it.
func rowsFor(word string) ([]status.Row, error) {
	code, err := strconv.Atoi(word)
	isCode := err == nil
	if isCode && (code < 300 || code > 599) {
		return nil, usagef("%s is no code of a failure: those are 300 to 599", word)
	}
	table := status.Table()
	var found []string
	for _, row := range table {
		if strings.EqualFold(row.ID, word) {
			found = append(found, row.ID)
		}
	}
	reason := ""
	if !isCode {
		if reason = reasonLike(word); reason != "" {
			code = status.CodeOf(reason)
		}
	}
	if code != 0 {
		for _, e := range []*status.Error{
			{HTTPStatus: code, Body: status.BodyStatus, Status: status.Status{Code: code, Reason: reason}},
			{HTTPStatus: 200, Event: true, Body: status.BodyStatus, Status: status.Status{Code: code, Reason: reason}},
			{HTTPStatus: code, Body: status.BodyHTML},
		} {
			for _, history := range []status.Failure{
				{Err: e},
				{Err: e, Verb: status.Watch, Contact: true, UserVersion: true},
				{Err: e, Verb: status.Watch, Contact: true, Worked: true},
			} {
				found = append(found, status.Decide(history, status.Run{}).Row)
			}
		}
	}
	rows := slices.DeleteFunc(table, func(r status.Row) bool { return !slices.Contains(found, r.ID) })
	if len(rows) == 0 {
		return nil, unknownWord(word)
	}
	return rows, nil
}

// reasons are those a Status can carry (apimachinery, meta/v1 types.go).
var reasons = []string{
	"BadRequest", "Unauthorized", "Forbidden", "NotFound", "MethodNotAllowed", "NotAcceptable",
	"AlreadyExists", "Conflict", "Gone", "Expired", "RequestEntityTooLarge", "UnsupportedMediaType",
	"Invalid", "TooManyRequests", "InternalError", "ServerTimeout", "StorageReadError",
	"ServiceUnavailable", "Timeout",
}

func reasonLike(word string) string {
	for _, reason := range reasons {
		if strings.EqualFold(reason, word) {
			return reason
		}
	}
	return ""
}

func unknownWord(word string) error {
	names := slices.Clone(reasons)
	for _, row := range status.Table() {
		names = append(names, row.ID)
	}
	if near := nearest.To(word, names, 3); len(near) > 0 {
		return usagef("nothing is known about %q; did you mean %s?", word, strings.Join(near, " or "))
	}
	return usagef("nothing is known about %q: write a code (410), a reason (Expired) or a row of the table (Idle)", word)
}

// paragraphIn writes text with a name in front, wrapped into a column that
// starts at indent.
func paragraphIn(w io.Writer, name string, indent int, text string) {
	line := fmt.Sprintf("%-*s", indent, name)
	start := len(line)
	for _, word := range strings.Fields(text) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > pageWidth && len(line) > start {
			fmt.Fprintln(w, line)
			line = strings.Repeat(" ", indent)
			start = len(line)
		}
		if len(line) > start {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(w, line)
}
