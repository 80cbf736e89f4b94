package decode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func ev(kind, name, rv string) string {
	return `{"type":"` + kind + `","object":{"kind":"ConfigMap","metadata":{"name":"` + name + `","resourceVersion":"` + rv + `"}}}`
}

var (
	evA, evB   = ev("ADDED", "a", "11"), ev("ADDED", "b", "12")
	seenA      = "ADDED ConfigMap  /a rv=11"
	seenB      = "ADDED ConfigMap  /b rv=12"
	tornB      = evB[:len(evB)-10]
	int64Len   = func(s string) int64 { return int64(len(s)) }
	longString = strings.Repeat("x", 70_000)
)

// frameCases are watch bodies. They are read in every chopping, and are fuzz
// seeds too.
var frameCases = []struct {
	name, body string
	limit      int
	want       []string
	err        error
}{
	{name: "two events", body: evA + "\n" + evB + "\n", want: []string{seenA, seenB}, err: io.EOF},
	{name: "nothing", body: "", err: io.EOF},
	{name: "blank lines", body: "\n\n" + evA + "\n \t\r\n\n" + evB + "\n\n", want: []string{seenA, seenB}, err: io.EOF},
	{name: "only blank lines", body: "\n\r\n  \n", err: io.EOF},
	{name: "blank rest", body: evA + "\n \t", want: []string{seenA}, err: io.EOF},
	{name: "CRLF", body: "\r\n" + evA + "\r\n" + evB + "\r\n", want: []string{seenA, seenB}, err: io.EOF},
	{name: "no last newline", body: evA + "\n" + evB, want: []string{seenA, seenB}, err: io.EOF},
	{name: "no last newline, but CR", body: evA + "\r", want: []string{seenA}, err: io.EOF},
	{name: "torn", body: evA + "\n" + tornB, want: []string{seenA},
		err: &TornError{Offset: int64Len(evA) + 1, Dropped: len(tornB)}},
	{name: "torn at the first byte", body: "{", err: &TornError{Offset: 0, Dropped: 1}},
	{name: "torn by something that is not JSON", body: evA + "\n<html>", want: []string{seenA},
		err: &TornError{Offset: int64Len(evA) + 1, Dropped: 6}},
	{name: "whole JSON that is no event at the end", body: evA + "\n" + `{"kind":"Status"}`, want: []string{seenA},
		err: &ShapeError{Offset: int64Len(evA) + 1, Kind: "Status", Index: -1}},
	{name: "a bad line", body: evA + "\n{\"type\":}\n" + evB + "\n", want: []string{seenA},
		err: &SyntaxError{Offset: int64Len(evA) + 1 + 8}},
	{name: "pretty-printed events are not read", body: "{\n  \"type\": \"ADDED\"\n}\n", err: &SyntaxError{Offset: 1}},
	{name: "html", body: "<html>\n", err: &SyntaxError{Offset: 0}},
	{name: "list instead of a stream", body: `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}` + "\n",
		err: &ShapeError{Kind: "ConfigMapList", Index: -1}},
	{name: "not an object", body: evA + "\n42\n", want: []string{seenA}, err: &ShapeError{Offset: int64Len(evA) + 1, Index: -1}},
	{name: "unknown type and no object", body: "{\"type\":\"WHAT\"}\n", want: []string{"WHAT   /"}, err: io.EOF},
	{name: "characters of many bytes", body: ev("ADDED", "naïve☕😀", "1") + "\n", want: []string{"ADDED ConfigMap  /naïve☕😀 rv=1"}, err: io.EOF},
	{name: "a long line", body: ev("ADDED", longString, "1") + "\n" + evB + "\n", want: []string{"ADDED ConfigMap  /" + longString + " rv=1", seenB}, err: io.EOF},
	{name: "exactly the limit", limit: len(evA), body: evA + "\n" + evB + "\n", want: []string{seenA, seenB}, err: io.EOF},
	{name: "exactly the limit and no newline", limit: len(evA), body: evA, want: []string{seenA}, err: io.EOF},
	{name: "one byte over the limit", limit: len(evA), body: evA + "\n" + evB + " \n", want: []string{seenA},
		err: &FrameSizeError{Offset: int64Len(evA) + 1, Limit: len(evA)}},
	{name: "over the limit and torn", limit: 4, body: evA, err: &FrameSizeError{Offset: 0, Limit: 4}},
	{name: "over the limit and not JSON", limit: 4, body: "<html>\n", err: &FrameSizeError{Offset: 0, Limit: 4}},
}

func TestReaderGivesTheSameEventsInEveryChopping(t *testing.T) {
	for _, c := range frameCases {
		t.Run(c.name, func(t *testing.T) {
			got := everyChoppingOfEvents(t, c.body, c.limit)
			require.Equal(t, c.want, got.lines)
			sameError(t, c.err, got.err)
		})
	}
}

func TestReaderKeepsTheBytesOfFrameAndObject(t *testing.T) {
	object := `{"html":"<x>& \u003cx\u003e","n":1e3,"big":9007199254740993,"a":1,"a":2, "sp" : [ ] ,"bad":"` + "\xff\xfe" + `"}`
	frame := `{"object": ` + object + ` ,"type":"ADDED" }`
	got := everyChoppingOfEvents(t, "\r\n\n"+frame+"\r\n"+frame+"\n", 0)
	require.Equal(t, io.EOF, got.err)
	require.Equal(t, []string{object, object}, got.objects)
	require.Equal(t, []string{"3 " + frame, fmt.Sprint(5+len(frame), " ", frame)}, got.frames)
}

func TestReaderTellsAbsentObjectsFromNull(t *testing.T) {
	r := NewReader(strings.NewReader(`{"type":"ERROR"}`+"\n"+`{"type":"ERROR","object":null}`+"\n"), 0)
	ev, err := r.Next()
	require.NoError(t, err)
	require.Nil(t, ev.Object)
	ev, err = r.Next()
	require.NoError(t, err)
	require.Equal(t, "null", string(ev.Object))
}

func TestReaderShowsTheFrameThatItCouldNotRead(t *testing.T) {
	for _, bad := range []string{`{"type":}`, `{"kind":"PodList"}`} {
		r := NewReader(strings.NewReader(evA+"\n"+bad+"\r\n"), 0)
		_, err := r.Next()
		require.NoError(t, err)
		_, err = r.Next()
		require.Error(t, err)
		require.Equal(t, bad, string(r.Frame()))
		require.Equal(t, int64Len(evA)+1, r.Offset())
	}
}

// errBroken stands for any error of a connection.
var errBroken = fmt.Errorf("read: %w", syscall.ECONNRESET)

func TestReaderPassesErrorsOfItsSourceOn(t *testing.T) {
	for _, broken := range []error{errBroken, context.Canceled, context.DeadlineExceeded, io.ErrNoProgress} {
		for _, rest := range []string{"", tornB, evB, " "} {
			got := readEvents(t, failingReader(evA+"\n"+rest, broken), 0)
			require.Equal(t, []string{seenA}, got.lines)
			require.Equal(t, broken, got.err)
		}
	}
}

func TestReaderTellsACutFromACleanEnd(t *testing.T) {
	// Chunked bodies that are cut say so themselves, at any place.
	got := readEvents(t, failingReader(evA+"\n", io.ErrUnexpectedEOF), 0)
	require.Equal(t, []string{seenA}, got.lines)
	require.Equal(t, io.ErrUnexpectedEOF, got.err)

	// A whole object without its newline was still cut: it may have more.
	got = readEvents(t, failingReader(evA+"\n"+evB, io.ErrUnexpectedEOF), 0)
	require.Equal(t, []string{seenA}, got.lines)
	sameError(t, &TornError{Offset: int64Len(evA) + 1, Dropped: len(evB)}, got.err)
	require.ErrorIs(t, got.err, io.ErrUnexpectedEOF)
	require.EqualError(t, got.err, fmt.Sprintf("decode: at byte %d: the body ends too early, %d bytes dropped", len(evA)+1, len(evB)))
}

func TestReaderGivesUpOnASourceThatNeverReadsAnything(t *testing.T) {
	_, err := NewReader(readerFunc(func([]byte) (int, error) { return 0, nil }), 0).Next()
	require.Equal(t, io.ErrNoProgress, err)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestReaderDeliversAnEventBeforeItReadsOn(t *testing.T) {
	// A watch may be silent for minutes: an event must not wait for the next.
	reads := 0
	r := NewReader(readerFunc(func(p []byte) (int, error) {
		reads++
		return copy(p, evA+"\n"+evB+"\n"), nil
	}), 0)
	for n := range 6 {
		_, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, n/2+1, reads)
	}
}

func TestReaderUsesTheDefaultLimit(t *testing.T) {
	long := `{"type":"` + strings.Repeat("x", DefaultLimit) + `"}`
	for _, limit := range []int{0, -1} {
		_, err := NewReader(strings.NewReader(long), limit).Next()
		require.Equal(t, &FrameSizeError{Limit: DefaultLimit}, err)
	}
	fits := `{"type":"` + strings.Repeat("x", DefaultLimit-len(`{"type":""}`)) + `"}`
	_, err := NewReader(strings.NewReader(fits), 0).Next()
	require.NoError(t, err)
	_, err = NewReader(strings.NewReader(fits), math.MaxInt).Next()
	require.NoError(t, err)
}

func TestReaderReadsALargeFrameAndGivesItsMemoryBack(t *testing.T) {
	large := ev("ADDED", strings.Repeat("x", 3<<20), "1")
	small := ev("ADDED", strings.Repeat("x", 1<<10), "1")
	r := NewReader(strings.NewReader(large+"\n"+strings.Repeat(small+"\n", 100)), 0)
	got, err := r.Next()
	require.NoError(t, err)
	require.Len(t, got.Name, 3<<20)
	require.Greater(t, len(r.in.buf), 3<<20)
	require.Less(t, len(r.in.buf), 8<<20, "a buffer at most doubles")
	for range 100 {
		_, err := r.Next()
		require.NoError(t, err)
	}
	_, err = r.Next()
	require.Equal(t, io.EOF, err)
	require.LessOrEqual(t, len(r.in.buf), restSize)
}

func TestReaderDropsALargeBufferBeforeItWaits(t *testing.T) {
	large := strings.NewReader(ev("ADDED", strings.Repeat("x", 3<<20), "1") + "\n")
	var r *Reader
	silence := readerFunc(func([]byte) (int, error) {
		require.LessOrEqual(t, len(r.in.buf), restSize)
		return 0, io.EOF
	})
	r = NewReader(io.MultiReader(large, silence), 0)
	_, err := r.Next()
	require.NoError(t, err)
	_, err = r.Next()
	require.Equal(t, io.EOF, err)
}

func TestReaderDoesNotAllocate(t *testing.T) {
	body := bytes.Repeat([]byte(ev("ADDED", `a\u0062c`, "1")+"\n"), 500)
	r := NewReader(bytes.NewReader(body), 0)
	_, err := r.Next()
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(400, func() {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}))
}

func TestLentBytesAreSpoiledByTheNextCall(t *testing.T) {
	// Kept by mistake, nothing of an event may still look right: neither
	// after another event, nor at the end, nor after an error.
	first := `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a\u0062c","namespace":"default","uid":"1-2-3-4","resourceVersion":"11"}}}` + "\n"
	for _, rest := range []string{evB + "\n", "", "{", "<\n", evB} {
		r := NewReader(iotest.HalfReader(strings.NewReader(first+rest)), 0)
		kept, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, "ADDED ConfigMap v1 default/abc rv=11 uid=1-2-3-4", string(kept.Type)+" "+line(&kept.Meta))
		frame := r.Frame()
		_, _ = r.Next()
		requireSpoiled(t, kept.Object, &kept.Meta)
		require.NotEqual(t, "ADDED", string(kept.Type))
		require.NotContains(t, string(frame), `{"type"`)
	}
}

func requireSpoiled(t *testing.T, object []byte, m *Meta) {
	t.Helper()
	var again Meta
	require.Error(t, ScanObject(object, &again))
	for _, field := range [][]byte{m.Kind, m.APIVersion, m.Namespace, m.Name, m.UID, m.ResourceVersion} {
		require.NotContains(t, []string{"ConfigMap", "Table", "v1", "meta.k8s.io/v1", "default", "abc", "1-2-3-4", "11"}, string(field))
	}
}

func TestLentBytesCannotBeAppendedTo(t *testing.T) {
	r := NewReader(strings.NewReader(evA+"\n"+evB+"\n"), 0)
	ev, err := r.Next()
	require.NoError(t, err)
	for _, lent := range [][]byte{ev.Type, ev.Object, ev.Kind, ev.Name, ev.ResourceVersion, r.Frame()} {
		_ = append(lent, "overwrites what follows"...)
	}
	ev, err = r.Next()
	require.NoError(t, err)
	require.Equal(t, seenB, string(ev.Type)+" "+line(&ev.Meta))
}

func TestErrorsSayWhereAndCanBeMatched(t *testing.T) {
	for want, err := range map[string]error{
		"decode: at byte 7: longer than the limit of 5 bytes":           &FrameSizeError{Offset: 7, Limit: 5},
		"decode: at byte 7: no event: no type, but kind \"PodList\\n\"": &ShapeError{Offset: 7, Kind: "PodList\n", Index: -1, Msg: "no event: no type"},
		"decode: at byte 7: item 3: not an object, in kind \"PodList\"": &ShapeError{Offset: 7, Kind: "PodList", Index: 3, Msg: "not an object"},
		"decode: at byte 7: no list":                                    &ShapeError{Offset: 7, Index: -1, Msg: "no list"},
	} {
		require.EqualError(t, err, want)
	}
	require.True(t, (&ShapeError{Kind: "PodList"}).List())
	require.True(t, (&ShapeError{Kind: "Table"}).List())
	require.False(t, (&ShapeError{Kind: "Status"}).List())
	require.True(t, errors.Is(&TornError{}, io.ErrUnexpectedEOF))
}
