package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzFrames: a watch body gives the same events, places and error in whatever
// pieces it arrives, and none is lost or made up: frames that were delivered
// are lines of the body.
func FuzzFrames(f *testing.F) {
	for _, c := range frameCases {
		f.Add([]byte(c.body), uint64(1), uint16(c.limit))
	}
	for name := range watchRecordings {
		f.Add(recorded(f, name), uint64(2), uint16(0))
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64, limit uint16) {
		whole := readEvents(t, bytes.NewReader(body), int(limit))
		chopped := readEvents(t, newCutReader(bytes.NewReader(body), seed), int(limit))
		require.Equal(t, whole, chopped)

		broken := readEvents(t, failingReader(string(body), errBroken), int(limit))
		if whole.err == io.EOF || errors.Is(whole.err, io.ErrUnexpectedEOF) {
			require.Equal(t, errBroken, broken.err)
		}
		for _, frame := range whole.frames {
			var offset int
			_, err := fmt.Sscan(frame, &offset)
			require.NoError(t, err)
			_, text, _ := strings.Cut(frame, " ")
			require.Equal(t, text, string(body[offset:offset+len(text)]))
			require.True(t, offset == 0 || body[offset-1] == '\n')
		}
	})
}

// FuzzScan: what is JSON, and what its fields are, is what encoding/json says.
func FuzzScan(f *testing.F) {
	for _, c := range scanCases {
		f.Add([]byte(c.frame))
	}
	for name := range watchRecordings {
		for frame := range bytes.Lines(recorded(f, name)) {
			f.Add(frame)
		}
	}
	f.Add([]byte(deep(130)))
	f.Fuzz(func(t *testing.T, b []byte) {
		agreesWithEncodingJSON(t, b)
	})
}

// FuzzList: a list body gives the same items in whatever pieces it arrives, and
// they are those that encoding/json finds.
func FuzzList(f *testing.F) {
	for _, c := range listCases {
		f.Add([]byte(c.body), uint64(1), uint16(c.limit))
	}
	for name := range listRecordings {
		f.Add(recorded(f, name), uint64(2), uint16(0))
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64, limit uint16) {
		whole := readItems(t, bytes.NewReader(body), int(limit))
		chopped := readItems(t, newCutReader(bytes.NewReader(body), seed), int(limit))
		require.Equal(t, whole, chopped)

		var size *FrameSizeError
		if errors.As(whole.err, &size) {
			return
		}
		agreesAboutList(t, body, whole)
	})
}

// agreesAboutList compares what was read with what encoding/json finds.
func agreesAboutList(t *testing.T, body []byte, got reading) {
	t.Helper()
	if !json.Valid(body) {
		require.NotEqual(t, io.EOF, got.err)
		return
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		var syntax *SyntaxError
		require.ErrorAs(t, got.err, &syntax)
		return
	}
	var shape *ShapeError
	if errors.As(got.err, &shape) {
		return // which bodies those are, the table says
	}
	require.Equal(t, io.EOF, got.err)

	var header ListHeader
	meta := lookUpMembers(members["metadata"])
	for _, field := range []struct {
		to   *string
		from []byte
	}{
		{&header.Kind, members["kind"]}, {&header.APIVersion, members["apiVersion"]},
		{&header.ResourceVersion, meta["resourceVersion"]}, {&header.Continue, meta["continue"]},
	} {
		if s := lookUpString(field.from); s != nil {
			*field.to = *s
		} else if _, isNumber := json.Number(field.from).Int64(); field.to == &header.ResourceVersion && isNumber == nil {
			*field.to = string(field.from)
		}
	}
	require.Equal(t, header.Kind, string([]rune(got.header.Kind)))
	require.Equal(t, header.APIVersion, string([]rune(got.header.APIVersion)))
	require.Equal(t, header.Continue, string([]rune(got.header.Continue)))

	key := "items"
	if header.Kind == "Table" && (header.APIVersion == "" || strings.HasPrefix(header.APIVersion, "meta.k8s.io/")) {
		key = "rows"
	}
	var items []json.RawMessage
	_ = json.Unmarshal(members[key], &items)
	require.Len(t, got.objects, len(items))
	for i, item := range items {
		object := []byte(got.objects[i])
		require.True(t, json.Valid(object))
		var again Meta
		require.NoError(t, ScanObject(object, &again))
		require.Equal(t, got.lines[i], line(&again), "Meta must say what the object says")
		if key == "rows" {
			require.Equal(t, []byte(item), []byte(lookUpRows(object)[0]))
			continue
		}
		// The members that were sent are all there, and the same.
		sent, delivered := lookUpMembers(item), lookUpMembers(object)
		for name, value := range sent {
			require.Equal(t, value, delivered[name])
		}
		require.LessOrEqual(t, len(delivered), len(sent)+2)
	}
}

func lookUpRows(object []byte) (rows []json.RawMessage) {
	_ = json.Unmarshal(lookUpMembers(object)["rows"], &rows)
	return rows
}
