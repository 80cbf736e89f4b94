package exchange

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// record is a line of a recording, of exchange c.
func record(c int, rest string) string { return fmt.Sprintf(`{"c":%d,"d":1,%s}`+"\n", c, rest) }

func event(name string) string { return strings.TrimSpace(replay.Event("ADDED", name, "1")) }

// sorted are the parts of a recording, as text.
func sorted(t *testing.T, maxAnswer int, text string) (parts []string) {
	t.Helper()
	kinds := [...]string{"asked", "line", "broken", "answer", "hidden", "ended"}
	r, err := replay.NewReader(strings.NewReader(text))
	require.NoError(t, err)
	s := Sorter{MaxAnswer: maxAnswer, Each: func(p Part) error {
		part := fmt.Sprintf("%d %s", p.Number, kinds[p.Kind])
		switch p.Kind {
		case Asked:
			part += " " + p.URL.String()
			if p.Watch {
				part += " to watch"
			}
		case Line:
			require.Equal(t, bytes.TrimSpace(p.Bytes), p.Bytes, "without its end")
			part += " " + string(p.Event.Name)
		case Answer:
			part += fmt.Sprintf(" %d %s", p.Status, p.Bytes)
		}
		parts = append(parts, part)
		return nil
	}}
	require.NoError(t, s.All(r))
	return parts
}

const head = `{"rwr":1}` + "\n"

func packed(text string) string {
	return base64.StdEncoding.EncodeToString([]byte(replay.Gzip(text)))
}

// packedList is an exchange whose answer is so long before it is compressed.
func packedList(c, length int) string {
	return record(c, `"t":"req","url":"/l"`) + record(c, `"t":"res","status":200,"h":{"Content-Encoding":"gzip"}`) +
		record(c, `"t":"body","b64":"`+packed(strings.Repeat("x", length))+`"`) + record(c, `"t":"end","why":"eof"`)
}

func TestThePartsOfARecording(t *testing.T) {
	watch := record(1, `"t":"req","url":"/w?watch=1"`) + record(1, `"t":"res","status":200`)
	packedWatch := record(1, `"t":"req","url":"/w?watch=1"`) + record(1, `"t":"res","status":200,"h":{"Content-Encoding":"gzip"}`)
	list := record(2, `"t":"req","url":"/l"`) + record(2, `"t":"res","status":200`)
	for _, tt := range []struct {
		name, text string
		max        int
		want       []string
	}{
		{"two at once", watch + list + record(1, `"t":"ev","ev":`+event("a")) + record(2, `"t":"body","text":"{\"x\":"`) + record(1, `"t":"ev","ev":`+event("b")) +
			record(2, `"t":"body","text":"1}"`) + record(2, `"t":"end","why":"eof"`) + record(1, `"t":"end","why":"eof"`), 0,
			[]string{"1 asked /w?watch=1 to watch", "2 asked /l", "1 line a", "1 line b", `2 answer 200 {"x":1}`, "2 ended", "1 ended"}},
		{"lines that are no event, and half of one", watch + record(1, `"t":"raw","text":"<html>\r\n"`) + record(1, `"t":"raw","text":"\n"`) + record(1, `"t":"raw","text":"{\"ty"`), 0,
			[]string{"1 asked /w?watch=1 to watch", "1 broken", "1 broken"}},
		{"an event that is not UTF-8", watch + record(1, `"t":"raw","b64":"`+base64.StdEncoding.EncodeToString([]byte(strings.Replace(event("a"), `"uid"`, "\"x\":\"\xff\",\"uid\"", 1)+"\r\n"))+`"`), 0,
			[]string{"1 asked /w?watch=1 to watch", "1 line a"}},
		{"a watch in gzip, in two pieces", packedWatch + record(1, `"t":"raw","b64":"`+packed(event("a")+"\n")+`"`) + record(1, `"t":"raw","b64":"`+packed(event("b")+"\n")+`"`) + record(1, `"t":"end","why":"eof"`), 0,
			[]string{"1 asked /w?watch=1 to watch", "1 line a", "1 line b", "1 ended"}},
		{"a watch in gzip whose end was not recorded", packedWatch + record(1, `"t":"raw","b64":"`+packed(event("a")+"\n")+`"`), 0,
			[]string{"1 asked /w?watch=1 to watch", "1 line a"}},
		{"and one that was cut", packedWatch + record(1, `"t":"raw","b64":"`+packed(event("a")+"\n")+`"`) + record(1, `"t":"raw","b64":"`+packed(event("b") + "\n")[:100]+`"`) + record(1, `"t":"end","why":"reset"`), 0,
			[]string{"1 asked /w?watch=1 to watch", "1 line a", "1 broken", "1 ended"}},
		{"an answer whose end was not recorded is none", list + record(2, `"t":"body","text":"{}"`), 0, []string{"2 asked /l"}},
		{"hidden pieces", watch + list + record(1, `"t":"raw","len":9,"hash":"0"`) + record(1, `"t":"ev","ev":`+event("a")) + record(2, `"t":"body","text":"{}"`) + record(2, `"t":"body","len":9,"hash":"0"`) + record(2, `"t":"end","why":"eof"`), 0,
			[]string{"1 asked /w?watch=1 to watch", "2 asked /l", "1 hidden", "1 line a", "2 hidden", "2 ended"}},
		{"an answer that is too long", list + record(2, `"t":"body","text":"12345678"`) + record(2, `"t":"body","text":"9"`) + record(2, `"t":"body","text":"0"`) + record(2, `"t":"end","why":"eof"`), 8,
			[]string{"2 asked /l", "2 ended"}},
		{"and one that is not", list + record(2, `"t":"body","text":"12345678"`) + record(2, `"t":"end","why":"eof"`), 8,
			[]string{"2 asked /l", "2 answer 200 12345678", "2 ended"}},
		{"in gzip, one byte too long", packedList(2, 101) + packedList(4, 100), 100,
			[]string{"2 asked /l", "2 ended", "4 asked /l", "4 answer 200 " + strings.Repeat("x", 100), "4 ended"}},
		{"no answer", record(3, `"t":"req","url":"/x"`) + record(3, `"t":"err","why":"refused","error":"x"`), 0, []string{"3 asked /x", "3 ended"}},
		{"what belongs to nothing", record(7, `"t":"ev","ev":`+event("a")) + record(0, `"t":"mark","name":"x"`), 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, sorted(t, tt.max, head+tt.text))
		})
	}
	assert.Equal(t, []string{"1 asked ", "1 line a", "1 ended"}, sorted(t, 0, event("a")+"\n"), "a file that has no requests")
}

func TestWhatARequestAsksFor(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "false": false, "False": false, "1": true, "true": true, "yes": true} {
		assert.Equal(t, want, IsTrue(value), value)
	}
	for accept, want := range map[string]stream.View{
		"": stream.Object, "application/json": stream.Object,
		"application/json;as=Table;v=v1;g=meta.k8s.io,application/json":                     stream.Table,
		"application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json": stream.MetadataOnly,
		"application/json,application/json;as=Table;v=v1;g=meta.k8s.io":                     stream.Object,
	} {
		assert.Equal(t, want, ViewOf(accept), accept)
	}
}

func TestTimeGoesOnWithTheRecords(t *testing.T) {
	r, err := replay.NewReader(strings.NewReader(head + record(1, `"t":"req","url":"/x"`) + record(0, `"t":"mark","name":"x"`)))
	require.NoError(t, err)
	s := Sorter{Each: func(Part) error { return nil }}
	require.NoError(t, s.All(r))
	assert.Equal(t, "2s", s.Now.String())
}

func TestAnErrorEndsTheSorting(t *testing.T) {
	whole := head + record(1, `"t":"req","url":"/w?watch=1"`) + record(1, `"t":"res","status":200,"h":{"Content-Encoding":"gzip"}`) +
		record(1, `"t":"raw","b64":"`+packed(event("a")+"\n"+event("b")+"\n")+`"`)
	for _, end := range []string{"", record(1, `"t":"end","why":"eof"`)} {
		r, err := replay.NewReader(strings.NewReader(whole + end))
		require.NoError(t, err)
		wanted, lines := errors.New("enough"), 0
		s := Sorter{Each: func(p Part) error {
			if p.Kind == Line {
				lines++
				return wanted
			}
			return nil
		}}
		assert.Equal(t, wanted, s.All(r))
		assert.Equal(t, 1, lines)
	}
}

// FuzzSorter: whatever is in a file, its parts come in an order that makes
// sense, and an answer is never longer than is allowed.
func FuzzSorter(f *testing.F) {
	for _, name := range []string{"replay/list-watch-cut.rwr", "replay/faults.rwr", "recordings/watchlist-configmaps-gzip.http", "recordings/node.rwr.gz"} {
		b, err := os.ReadFile("../../../../testdata/" + name)
		require.NoError(f, err)
		if strings.HasSuffix(name, ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(b))
			require.NoError(f, err)
			b = make([]byte, 20_000)
			_, err = z.Read(b)
			require.NoError(f, err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := replay.NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		var open []*Exchange
		s := Sorter{MaxAnswer: 1 << 10, Each: func(p Part) error {
			if p.Kind == Asked {
				open = append(open, p.Exchange)
			}
			require.True(t, slices.Contains(open, p.Exchange), "it was asked for, and has not ended")
			require.False(t, p.Kind == Answer && len(p.Bytes) > 1<<10)
			if p.Kind == Ended {
				open = slices.DeleteFunc(open, func(e *Exchange) bool { return e == p.Exchange })
			}
			return nil
		}}
		s.All(r)
	})
}
