package output

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/stream"
)

// evil is what no terminal may get: it clears the screen, and begins a line.
const evil = "\x1b[2J\nx\u202e"

// encoded is evil inside a JSON text.
const encoded = `\u001b[2J\nx\u202e`

// obeyed reports whether a terminal would act on text.
func obeyed(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == 0x202e })
}

// Everything an object can say is hostile: keys, values, names, kinds. What is
// for people shows it, and a line stays a line.
func TestStrangersAreShownAndNotObeyed(t *testing.T) {
	object := func(value string) string {
		return strings.ReplaceAll(`{"kind":"EVIL","metadata":{"name":"EVIL","labels":{"EVIL":"EVIL"}},"EVIL":"`+value+`",
			"list":[{"name":"EVIL","v":"`+value+`"},{"name":"CLEAR","v":"`+value+`"}],"quoted":"{CLEAR`+value+`",
			"lines":"a longer text of lines that stay EVIL `+value+` and then more words that stay",
			"words":"a longer text of words that stay and then CLEAR `+strings.ReplaceAll(value, `\n`, "CLEAR")+` and then more words that stay, so that",
			"gone`+value+`":{"EVIL":["EVIL",1]}}`, "EVIL", encoded)
	}
	clear := strings.NewReplacer("CLEAR", `\u001bc`) // a line break or bracket makes texts be quoted, and compared by line
	event := func(kind stream.EventType, value string) stream.Event {
		return stream.Event{Type: kind, Kind: evil, Namespace: evil, Name: evil, ResourceVersion: evil, Object: []byte(clear.Replace(object(value)))}
	}
	deleted := event(stream.Deleted, "1")
	deleted.Inferred = true
	for _, o := range []Options{
		{Format: Text, ShowLabels: true, LabelColumns: []string{evil}},
		{Format: Wide}, {Format: Name}, {Format: Diff}, {Format: Diff, Diff: DiffOptions{Noise: true}},
	} {
		o.Markers = true
		for _, from := range []Source{{}, {Group: evil, Resource: evil, Kind: evil}} {
			text, _ := print(t, o, from, event(stream.Added, "1"), event(stream.Modified, encoded), event(stream.Modified, "2"+encoded), deleted,
				stream.Event{Type: stream.Gap, ResourceVersion: evil, Cause: assert.AnError}, stream.Event{Type: stream.Bookmark, ResourceVersion: evil})
			assert.False(t, obeyed(text), "%s: %q", o.Format, text)
			for line := range strings.Lines(text) {
				assert.False(t, strings.HasPrefix(line, "x"), "%s: a line of its own:\n%s", o.Format, text)
			}
			assert.Contains(t, text, `\x1b[2J`, "%s shows it", o.Format)
		}
	}
}

// A Secret is one by its resource, too: what is in a list may not say its kind.
func TestADiffOfASecretShowsThatItDiffers(t *testing.T) {
	version := func(kind stream.EventType, value string) stream.Event {
		return stream.Event{Type: kind, Name: "s", Object: []byte(`{"metadata":{"name":"s"},"data":{"k":"` + value + `"}}`)}
	}
	text, _ := print(t, Options{Format: Diff}, Source{Resource: "secrets"}, version(stream.Added, "b25l"), version(stream.Modified, "dHdv"))
	assert.Contains(t, text, "~ data.k   *** (before) → *** (after)\n")
	assert.NotContains(t, text, "dHdv")
}
