package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/cmd/rawwatch/internal/nearest"
	"example.com/rawwatch/status"
)

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE|REASON|WORD]",
		Short: "Show what happens on each kind of failure",
		Example: `  rawwatch explain           the whole table
  rawwatch explain 410       what an HTTP status or the code of a Status leads to
  rawwatch explain Expired   the same for a reason, or for a row of the table
  rawwatch explain refused   every row with this in it: words of an error, too`,
		ValidArgsFunction: completeRows,
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if len(args) == 0 {
				explainAll(out)
				return nil
			}
			word := strings.Join(args, " ")
			rows, err := rowsFor(word)
			if err != nil {
				return err
			}
			for i, row := range rows {
				if i > 0 {
					fmt.Fprintln(out)
				}
				explainRow(out, row)
			}
			if isAction(word) {
				explainActions(out)
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
	explainActions(w)
}

// actions are the words that a verdict begins with.
var actions = []struct{ name, text string }{
	{"resume", "ask again from the same resourceVersion: nothing is missed, nothing comes twice"},
	{"relist", "that version is of no use any more: say so (GAP), list, and report what differs"},
	{"probe", "resume, unless a list of one object shows that the server does not know the version"},
	{"skip", "pass over the event and read on"},
	{"stop", "end with an error"},
}

func isAction(word string) bool {
	for _, a := range actions {
		if strings.EqualFold(a.name, word) {
			return true
		}
	}
	return false
}

func explainActions(w io.Writer) {
	fmt.Fprintln(w)
	for _, a := range actions {
		paragraphIn(w, a.name, nameColumn, a.text)
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

// then is the verdict in words: "resume after 0-1.55 s, then after backoff;
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
		text += "; at most once in " + human.Exact(row.Every)
	}
	return text
}

// rowsFor finds the rows that a code, a reason, or a row's own name leads to;
// else those whose texts hold the words.
func rowsFor(word string) ([]status.Row, error) {
	if code, err := strconv.Atoi(word); err == nil {
		if code < 300 || code > 599 {
			return nil, usagef("%s is no code of a failure: those are 300 to 599", word)
		}
		return status.Explain(code, ""), nil
	}
	if row := slices.IndexFunc(status.Table(), func(r status.Row) bool { return strings.EqualFold(r.ID, word) }); row >= 0 {
		return status.Table()[row : row+1], nil
	}
	if reason := reasonLike(word); reason != "" {
		return status.Explain(0, reason), nil
	}
	if rows := slices.DeleteFunc(status.Table(), func(r status.Row) bool { return !holds(r, word) }); len(rows) > 0 {
		return rows, nil
	}
	return nil, unknownWord(word)
}

// otherWords are those of error messages, where the table has better ones.
var otherWords = map[string]string{
	status.RowBrokenStream: "unexpected EOF connection reset by peer broke RST_STREAM",
	status.RowConnect:      "EOF connection reset by peer TLS handshake timeout dial",
	status.RowUnreachable:  "dial lookup no such host DNS",
	status.RowCertificate:  "x509 signed by unknown authority expired TLS",
	status.RowPlainHTTP:    "first record does not look like a TLS handshake",
}

// holds reports whether each of the words begins one of the row's.
func holds(row status.Row, words string) bool {
	text := wordsOf(strings.Join([]string{row.Condition, then(row), row.Why, row.Hint, otherWords[row.ID]}, " "))
	wanted := wordsOf(words)
	for _, word := range wanted {
		if !slices.ContainsFunc(text, func(w string) bool { return strings.HasPrefix(w, word) }) {
			return false
		}
	}
	return len(wanted) > 0
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
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
	var rows []string
	for _, row := range status.Table() {
		rows = append(rows, row.ID)
	}
	if near := nearest.To(word, slices.Concat(reasons, rows), 3); len(near) > 0 {
		return usagef("nothing is known about %q; did you mean %s?", word, strings.Join(near, " or "))
	}
	return usagef("nothing is known about %q: write a code (410), a reason (Expired), words of an error (connection refused) or a row of the table: %s", word, strings.Join(rows, ", "))
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
