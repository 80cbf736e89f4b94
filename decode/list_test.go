package decode

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// listCases are list bodies. They are read in every chopping, and are fuzz
// seeds too.
var listCases = []struct {
	name, body string
	limit      int
	want       []string // the items
	objects    []string // as delivered; not compared if nil
	header     ListHeader
	err        error // io.EOF if nil
}{
	// Shapes that servers send.
	{name: "built-in kind", body: `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10","continue":"t","remainingItemCount":7},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}` + "\n",
		want:    []string{"Pod v1 /a", "Pod v1 /b"},
		objects: []string{`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"}}`},
		header:  ListHeader{Kind: "PodList", APIVersion: "v1", ResourceVersion: "10", Continue: "t", RemainingItemCount: 7}},
	{name: "custom resource, keys sorted", body: `{"apiVersion":"ex.io/v1","items":[{"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":"a"}}],"kind":"WidgetList","metadata":{"continue":"","resourceVersion":"254"}}`,
		want:    []string{"Widget ex.io/v1 /a"},
		objects: []string{`{"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":"a"}}`},
		header:  ListHeader{Kind: "WidgetList", APIVersion: "ex.io/v1", ResourceVersion: "254"}},
	{name: "metadata only", body: `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"10"},"items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}]}`,
		want:    []string{"PartialObjectMetadata meta.k8s.io/v1 /a"},
		objects: []string{`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}`},
		header:  ListHeader{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1", ResourceVersion: "10"}},
	{name: "items null", body: `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"10"},"items":null}`,
		header: ListHeader{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1", ResourceVersion: "10"}},
	{name: "items empty", body: `{"kind":"PodList","items":[ ],"metadata":{"resourceVersion":"10"}}`,
		header: ListHeader{Kind: "PodList", ResourceVersion: "10"}},
	{name: "items absent", body: `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10"}}`,
		header: ListHeader{Kind: "PodList", APIVersion: "v1", ResourceVersion: "10"}},
	{name: "pretty-printed", body: "{\n  \"kind\": \"PodList\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n    \"resourceVersion\": \"10\"\n  },\n  \"items\": [\n    {\n      \"metadata\": {\n        \"name\": \"a\"\n      }\n    },\n    {\n    }\n  ]\n}",
		want:    []string{"Pod v1 /a", "Pod v1 /"},
		objects: []string{"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\n      \"metadata\": {\n        \"name\": \"a\"\n      }\n    }", "{\"kind\":\"Pod\",\"apiVersion\":\"v1\" \n    }"},
		header:  ListHeader{Kind: "PodList", APIVersion: "v1", ResourceVersion: "10"}},
	{name: "white space around", body: " \r\n\t{ } \n", err: &ShapeError{Offset: 0, Index: -1}},

	// What is put in front of items.
	{name: "an empty item", body: `{"kind":"PodList","apiVersion":"v1","items":[{},{}]}`,
		want:    []string{"Pod v1 /", "Pod v1 /"},
		objects: []string{`{"kind":"Pod","apiVersion":"v1" }`, `{"kind":"Pod","apiVersion":"v1" }`},
		header:  ListHeader{Kind: "PodList", APIVersion: "v1"}},
	{name: "only the kind is missing", body: `{"kind":"PodList","apiVersion":"v1","items":[{"apiVersion":"v2"}]}`,
		want: []string{"Pod v2 /"}, objects: []string{`{"kind":"Pod","apiVersion":"v2"}`},
		header: ListHeader{Kind: "PodList", APIVersion: "v1"}},
	{name: "only the version is missing", body: `{"kind":"PodList","apiVersion":"v1","items":[{"kind":"Node"}]}`,
		want: []string{"Node v1 /"}, objects: []string{`{"apiVersion":"v1","kind":"Node"}`},
		header: ListHeader{Kind: "PodList", APIVersion: "v1"}},
	{name: "kind known only after the items", body: `{"items":[{"metadata":{"name":"a"}}],"kind":"PodList","apiVersion":"v1"}`,
		want: []string{"  /a"}, objects: []string{`{"metadata":{"name":"a"}}`},
		header: ListHeader{Kind: "PodList", APIVersion: "v1"}},
	{name: "version known only after the items", body: `{"kind":"PodList","items":[{"metadata":{"name":"a"}}],"apiVersion":"v1"}`,
		want: []string{"Pod  /a"}, objects: []string{`{"kind":"Pod","metadata":{"name":"a"}}`},
		header: ListHeader{Kind: "PodList", APIVersion: "v1"}},
	{name: "mixed list", body: `{"kind":"List","apiVersion":"v1","items":[{"metadata":{"name":"a"}},{"kind":"Pod","apiVersion":"v1"}]}`,
		want: []string{"  /a", "Pod v1 /"}, objects: []string{`{"metadata":{"name":"a"}}`, `{"kind":"Pod","apiVersion":"v1"}`},
		header: ListHeader{Kind: "List", APIVersion: "v1"}},
	{name: "a list kind of another form", body: `{"kind":"Widgets","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`,
		want: []string{"  /a"}, objects: []string{`{"metadata":{"name":"a"}}`},
		header: ListHeader{Kind: "Widgets", APIVersion: "v1"}},
	{name: "no kind at all", body: `{"items":[{"metadata":{"name":"a"}}]}`, want: []string{"  /a"}},
	{name: "no kind at all, items null", body: `{"items":null}`},
	{name: "a kind that needs quoting", body: `{"kind":"\"\u0001\\List","apiVersion":"v\/1","items":[{"a":1}]}`,
		want: []string{"\"\x01\\ v/1 /"}, objects: []string{`{"kind":"\"\u0001\\","apiVersion":"v/1","a":1}`},
		header: ListHeader{Kind: "\"\x01\\List", APIVersion: "v/1"}},
	{name: "a kind longer than what is before the item", body: `{"kind":"` + strings.Repeat(`\u0001`, 50) + `List","items":[{"a":1},{},{"b":2}]}`,
		want:   []string{strings.Repeat("\x01", 50) + "  /", strings.Repeat("\x01", 50) + "  /", strings.Repeat("\x01", 50) + "  /"},
		header: ListHeader{Kind: strings.Repeat("\x01", 50) + "List"}},

	// Tables.
	{name: "table", body: `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"10"},"columnDefinitions":[{"name":"Name"}],"rows":[{"cells":["a",1],"object":{"metadata":{"name":"a","resourceVersion":"7"}}},{"cells":["b",1],"object":{"metadata":{"name":"b","resourceVersion":"8"}}}]}`,
		want: []string{"Table meta.k8s.io/v1 /a rv=7", "Table meta.k8s.io/v1 /b rv=8"},
		objects: []string{
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":[{"name":"Name"}],"rows":[{"cells":["a",1],"object":{"metadata":{"name":"a","resourceVersion":"7"}}}]}`,
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"8"},"columnDefinitions":null,"rows":[{"cells":["b",1],"object":{"metadata":{"name":"b","resourceVersion":"8"}}}]}`},
		header: ListHeader{Kind: "Table", APIVersion: "meta.k8s.io/v1", ResourceVersion: "10"}},
	{name: "table without objects", body: `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":["a"],"object":null},{}]}`,
		want: []string{"Table meta.k8s.io/v1 /", "Table meta.k8s.io/v1 /"},
		objects: []string{
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":null,"rows":[{"cells":["a"],"object":null}]}`,
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":null,"rows":[{}]}`},
		header: ListHeader{Kind: "Table", APIVersion: "meta.k8s.io/v1"}},
	{name: "table, odd version of a row", body: `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"object":{"metadata":{"resourceVersion":12}}},{"object":{"metadata":{"resourceVersion":"\"\u00e9"}}}]}`,
		want: []string{"Table meta.k8s.io/v1 / rv=12", "Table meta.k8s.io/v1 / rv=\"é"},
		objects: []string{
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"12"},"columnDefinitions":null,"rows":[{"object":{"metadata":{"resourceVersion":12}}}]}`,
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"\"é"},"columnDefinitions":null,"rows":[{"object":{"metadata":{"resourceVersion":"\"\u00e9"}}}]}`},
		header: ListHeader{Kind: "Table", APIVersion: "meta.k8s.io/v1"}},
	{name: "table, columns and kind behind", body: `{"rows":[{"object":{"metadata":{"name":"a"}}}],"columnDefinitions":[],"apiVersion":"meta.k8s.io/v1","kind":"Table"}`,
		want:   []string{"Table meta.k8s.io/v1 /a"},
		header: ListHeader{Kind: "Table", APIVersion: "meta.k8s.io/v1"}},
	{name: "table, rows empty", body: `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"10"},"columnDefinitions":[],"rows":[]}`,
		header: ListHeader{Kind: "Table", APIVersion: "meta.k8s.io/v1", ResourceVersion: "10"}},
	{name: "table, rows null", body: `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":null}`, header: ListHeader{Kind: "Table", APIVersion: "meta.k8s.io/v1"}},
	{name: "table, rows absent", body: `{"kind":"Table","apiVersion":"meta.k8s.io/v1"}`, header: ListHeader{Kind: "Table", APIVersion: "meta.k8s.io/v1"}},
	{name: "table, a row null", body: `{"kind":"Table","rows":[{},null]}`, want: []string{"Table meta.k8s.io/v1 /"}, header: ListHeader{Kind: "Table"},
		err: &ShapeError{Offset: 27, Kind: "Table", Index: 1}},
	{name: "table, rows no array", body: `{"kind":"Table","rows":{}}`, header: ListHeader{Kind: "Table"}, err: &ShapeError{Kind: "Table", Index: -1}},
	{name: "table with items", body: `{"kind":"Table","items":[{}],"rows":[]}`, header: ListHeader{Kind: "Table"}},
	{name: "list of custom resources of kind Table", body: `{"kind":"TableList","apiVersion":"db.example.com/v1","items":[{"rows":[{"object":{"metadata":{"name":"row"}}}],"metadata":{"name":"own"}}]}`,
		want: []string{"Table db.example.com/v1 /own"}, header: ListHeader{Kind: "TableList", APIVersion: "db.example.com/v1"}},
	{name: "rows in a list of another kind", body: `{"kind":"PodList","rows":[{}],"items":[{}]}`, want: []string{"Pod  /"}, header: ListHeader{Kind: "PodList"}},
	{name: "rows of the wrong type, then a list", body: `{"rows":{},"kind":"PodList","items":[{}]}`, want: []string{"Pod  /"}, header: ListHeader{Kind: "PodList"}},
	{name: "rows of something that turns out to be no table", body: `{"rows":[{}],"kind":"PodList"}`, want: []string{"Table meta.k8s.io/v1 /"},
		header: ListHeader{Kind: "PodList"}, err: &ShapeError{Kind: "PodList", Index: -1}},
	{name: "items of something that turns out to be a table", body: `{"items":[{}],"kind":"Table"}`, want: []string{"  /"},
		header: ListHeader{Kind: "Table"}, err: &ShapeError{Kind: "Table", Index: -1}},

	{name: "items behind rows", body: `{"rows":[{}],"items":[{}],"kind":"Table"}`, want: []string{"Table meta.k8s.io/v1 /"}, header: ListHeader{Kind: "Table"}},

	// Keys and duplicates.
	{name: "escaped keys", body: `{"k\u0069nd":"PodList","\u0069tems":[{"metadata":{"\u006eame":"a"}}],"metadat\u0061":{"continu\u0065":"\u0074"}}`,
		want: []string{"Pod  /a"}, header: ListHeader{Kind: "PodList", Continue: "t"}},
	{name: "case counts", body: `{"kind":"PodList","Items":[{}],"Kind":"x","Metadata":{"resourceVersion":"1"}}`, header: ListHeader{Kind: "PodList"}},
	{name: "two metadata do not merge", body: `{"kind":"PodList","metadata":{"resourceVersion":"1"},"metadata":{"continue":"t"}}`, header: ListHeader{Kind: "PodList", Continue: "t"}},
	{name: "two metadata, the last null", body: `{"kind":"PodList","metadata":{"resourceVersion":"1"},"metadata":null}`, header: ListHeader{Kind: "PodList"}},
	{name: "two kinds", body: `{"kind":"Status","kind":"PodList","items":[{}]}`, want: []string{"Pod  /"}, header: ListHeader{Kind: "PodList"}},
	{name: "two items", body: `{"kind":"PodList","items":[{}],"items":[{}]}`, want: []string{"Pod  /"}, header: ListHeader{Kind: "PodList"},
		err: &ShapeError{Kind: "PodList", Index: -1}},
	{name: "metadata of wrong types", body: `{"kind":"PodList","metadata":{"resourceVersion":12,"continue":1,"remainingItemCount":"3"}}`, header: ListHeader{Kind: "PodList", ResourceVersion: "12"}},
	{name: "counts that are no count", body: `{"kind":"PodList","metadata":{"remainingItemCount":1e3}}`, header: ListHeader{Kind: "PodList"}},
	{name: "a count too large", body: `{"kind":"PodList","metadata":{"remainingItemCount":92233720368547758080}}`, header: ListHeader{Kind: "PodList"}},
	{name: "other members of every type", body: `{"a":1,"b":-1.5e3,"c":true,"d":null,"e":"\\\"","f":[[]],"g":{"items":[{}]},"kind":"PodList","h":0}`, header: ListHeader{Kind: "PodList"}},

	// Not a list.
	{name: "status", body: `{"kind":"Status","apiVersion":"v1","metadata":{"continue":"t"},"status":"Failure","code":410}`,
		header: ListHeader{Kind: "Status", APIVersion: "v1", Continue: "t"}, err: &ShapeError{Kind: "Status", Index: -1}},
	{name: "a single object", body: `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"}}`,
		header: ListHeader{Kind: "Pod", APIVersion: "v1", ResourceVersion: "7"}, err: &ShapeError{Kind: "Pod", Index: -1}},
	{name: "an error of another kind", body: `{"error":"x"}`, err: &ShapeError{Index: -1}},
	{name: "items no array", body: `{"kind":"PodList","items":{}}`, header: ListHeader{Kind: "PodList"}, err: &ShapeError{Kind: "PodList", Index: -1}},
	{name: "an item null", body: `{"kind":"PodList","items":[{},null]}`, want: []string{"Pod  /"}, header: ListHeader{Kind: "PodList"},
		err: &ShapeError{Offset: 30, Kind: "PodList", Index: 1}},
	{name: "an item a string", body: `{"kind":"PodList","items":["x"]}`, header: ListHeader{Kind: "PodList"}, err: &ShapeError{Offset: 27, Kind: "PodList", Index: 0}},
	{name: "an item a number", body: `{"kind":"PodList","items":[12]}`, header: ListHeader{Kind: "PodList"}, err: &ShapeError{Offset: 27, Kind: "PodList", Index: 0}},
	{name: "an array", body: `[{}]`, err: &SyntaxError{Offset: 0}},
	{name: "text", body: "404 page not found\n", err: &SyntaxError{Offset: 0}},
	{name: "html", body: " <html>", err: &SyntaxError{Offset: 1}},

	// Whole or not.
	{name: "status behind", body: `{"kind":"PodList","items":[{}]}{"kind":"Status","code":500}`, want: []string{"Pod  /"}, header: ListHeader{Kind: "PodList"}, err: &SyntaxError{Offset: 31}},
	{name: "status in the middle of the items", body: `{"kind":"PodList","items":[{}{"kind":"Status","code":500}` + "\n", want: []string{"Pod  /"}, header: ListHeader{Kind: "PodList"}, err: &SyntaxError{Offset: 29}},
	{name: "status in the middle of an item", body: `{"kind":"PodList","items":[{},{"metadata":{"name":"a"{"kind":"Status","code":500}`, want: []string{"Pod  /"}, header: ListHeader{Kind: "PodList"}, err: &SyntaxError{Offset: 53}},
	{name: "status in a string", body: `{"kind":"PodList","items":[{"a":"b{"kind":"Status","code":500}`, header: ListHeader{Kind: "PodList"}, err: &SyntaxError{Offset: 36}},
	{name: "nothing", body: "", err: &TornError{}},
	{name: "blank", body: " \n", err: &TornError{Offset: 2}},
	{name: "cut behind the brace", body: `{`, err: &TornError{Offset: 1}},
	{name: "cut in a key", body: `{"ki`, err: &TornError{Offset: 1, Dropped: 3}},
	{name: "cut before a colon", body: `{"kind" `, err: &TornError{Offset: 8}},
	{name: "cut before a value", body: `{"kind":`, err: &TornError{Offset: 8}},
	{name: "cut in a number", body: `{"n":12`, err: &TornError{Offset: 5, Dropped: 2}},
	{name: "cut in an item", body: `{"items":[{},{"a":"x"`, want: []string{"  /"}, err: &TornError{Offset: 13, Dropped: 8}},
	{name: "cut between items", body: `{"items":[{},`, want: []string{"  /"}, err: &TornError{Offset: 13}},
	{name: "cut behind the items", body: `{"items":[{}]`, want: []string{"  /"}, err: &TornError{Offset: 13}},

	// Not JSON.
	{name: "comma before the first member", body: `{,"items":[]}`, err: &SyntaxError{Offset: 1}},
	{name: "comma behind the last member", body: `{"items":[],}`, err: &SyntaxError{Offset: 12}},
	{name: "comma behind the last item", body: `{"items":[{},]}`, want: []string{"  /"}, err: &SyntaxError{Offset: 13}},
	{name: "comma before the first item", body: `{"items":[,{}]}`, err: &SyntaxError{Offset: 10}},
	{name: "no comma between items", body: `{"items":[{} {}]}`, want: []string{"  /"}, err: &SyntaxError{Offset: 13}},
	{name: "no comma between members", body: `{"items":[] "kind":"x"}`, err: &SyntaxError{Offset: 12}},
	{name: "no colon", body: `{"items" []}`, err: &SyntaxError{Offset: 9}},
	{name: "no key", body: `{items:[]}`, err: &SyntaxError{Offset: 1}},
	{name: "wrong closing", body: `{"items":[{}}`, want: []string{"  /"}, err: &SyntaxError{Offset: 12}},
	{name: "a bad number", body: `{"n":01,"items":[]}`, err: &SyntaxError{Offset: 6}},
	{name: "a bad literal", body: `{"items":nul,"a":1}`, err: &SyntaxError{Offset: 12}},
	{name: "wrong brackets that count right", body: `{"items":[{"a":[}]]}`, err: &SyntaxError{Offset: 16}},

	// Limits.
	{name: "an item of exactly the limit", limit: 12, body: `{"items":[{"a":"1234"},{"b":"1234"}]}`, want: []string{"  /", "  /"}},
	{name: "an item over the limit", limit: 12, body: `{"items":[{"a":"1234"},{"b":"12345"}]}`, want: []string{"  /"}, err: &FrameSizeError{Offset: 23, Limit: 12}},
	{name: "an item over the limit and cut", limit: 12, body: `{"items":[{"b":"1234567890`, err: &FrameSizeError{Offset: 10, Limit: 12}},
	{name: "an item over the limit, wrong before it", limit: 12, body: `{"items":[{"b":?,"c":"1234567890"}]}`, err: &SyntaxError{Offset: 15}},
	{name: "another value over the limit", limit: 12, body: `{"a":"1234567890ab","items":[]}`, err: &FrameSizeError{Offset: 5, Limit: 12}},
	{name: "a number over the limit", limit: 12, body: `{"a":1234567890123,"items":[]}`, err: &FrameSizeError{Offset: 5, Limit: 12}},
	{name: "a number of exactly the limit", limit: 12, body: `{"a":123456789012,"items":[]}`},
	{name: "a key over the limit", limit: 12, body: `{"1234567890ab":1}`, err: &FrameSizeError{Offset: 1, Limit: 12}},
	{name: "items of many sizes", body: `{"kind":"PodList","apiVersion":"v1","items":[` + manyItems(60) + `]}`, want: seenMany(60), header: ListHeader{Kind: "PodList", APIVersion: "v1"}},
	{name: "a large item", body: `{"kind":"PodList","items":[{"data":"` + longString + `"},{"x":[` + longString2 + `]},{}]}`, want: []string{"Pod  /", "Pod  /", "Pod  /"}, header: ListHeader{Kind: "PodList"}},
}

var longString2 = strings.Repeat(`{"a":"\\"},`, 5_000) + "1"

func manyItems(n int) string {
	var items []string
	for i := range n {
		items = append(items, fmt.Sprintf(`{"metadata":{"name":"%d","labels":{"a":"%s"}}}`, i, strings.Repeat("x", i*37%1000)))
	}
	return strings.Join(items, ", ")
}

func seenMany(n int) (lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf("Pod v1 /%d", i))
	}
	return lines
}

func TestListGivesTheSameItemsInEveryChopping(t *testing.T) {
	for _, c := range listCases {
		t.Run(c.name, func(t *testing.T) {
			got := everyChoppingOfItems(t, c.body, c.limit)
			if c.err == nil {
				c.err = io.EOF
			}
			sameError(t, c.err, got.err)
			require.Equal(t, c.want, got.lines)
			require.Equal(t, c.header, got.header)
			if c.objects != nil {
				require.Equal(t, c.objects, got.objects)
			}
			for _, object := range got.objects {
				require.True(t, json.Valid([]byte(object)), object)
			}
		})
	}
}

func TestListNestsAsDeepAsEncodingJSON(t *testing.T) {
	for _, n := range []int{64, 9994, 9995, 9996, 9997, 9998, 9999, 10000} {
		for _, body := range []string{
			`{"kind":"PodList","items":[{"a":` + deep(n) + `}]}`,
			`{"kind":"PodList","a":` + deep(n) + `}`,
			`{"kind":"Table","columnDefinitions":` + deep(n) + `,"rows":[{"a":` + deep(n) + `}]}`,
		} {
			err := readItems(t, strings.NewReader(body), 0).err
			if json.Valid([]byte(body)) {
				require.Equal(t, io.EOF, err)
			} else {
				require.ErrorContains(t, err, "nested too deep")
			}
		}
	}
}

func TestListDeliversAnItemBeforeItReadsOn(t *testing.T) {
	pieces := []string{`{"kind":"PodList","items":[{"a":1}`, `,{"b":2}`, ` , {"c":3}]}`}
	reads := 0
	l := NewListReader(readerFunc(func(p []byte) (int, error) {
		if reads == len(pieces) {
			return 0, io.EOF
		}
		reads++
		return copy(p, pieces[reads-1]), nil
	}), 0)
	for n := range pieces {
		_, err := l.Next()
		require.NoError(t, err)
		require.Equal(t, n+1, reads)
	}
	_, err := l.Next()
	require.Equal(t, io.EOF, err)
}

func TestListHeaderIsKnownWhenTheItemsCome(t *testing.T) {
	l := NewListReader(strings.NewReader(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[{}]}`), 0)
	require.Zero(t, l.Header())
	_, err := l.Next()
	require.NoError(t, err)
	require.Equal(t, ListHeader{Kind: "PodList", APIVersion: "v1", ResourceVersion: "10"}, l.Header())
}

func TestListPassesErrorsOfItsSourceOn(t *testing.T) {
	whole := `{"kind":"PodList","items":[{"a":1}]} `
	for n := range len(whole) + 1 {
		got := readItems(t, failingReader(whole[:n], errBroken), 0)
		require.Equal(t, errBroken, got.err)
		got = readItems(t, failingReader(whole[:n], io.ErrUnexpectedEOF), 0)
		require.ErrorIs(t, got.err, io.ErrUnexpectedEOF)
		var torn *TornError
		require.ErrorAs(t, got.err, &torn)
	}
}

func TestListLendsItsItems(t *testing.T) {
	for name, body := range map[string]string{
		"items": `{"kind":"ConfigMapList","apiVersion":"v1","items":[{"metadata":{"name":"a\u0062c","namespace":"default","uid":"1-2-3-4","resourceVersion":"11"}},{"a":1}]}`,
		"rows":  `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"object":{"metadata":{"name":"a\u0062c","namespace":"default","uid":"1-2-3-4","resourceVersion":"11"}}},{"a":1}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			l := NewListReader(iotest.HalfReader(strings.NewReader(body)), 0)
			kept, err := l.Next()
			require.NoError(t, err)
			require.Contains(t, line(&kept.Meta), "default/abc rv=11 uid=1-2-3-4")
			_ = append(kept.Object, "overwrites what follows"...)
			_ = append(kept.Kind, "overwrites what follows"...)
			_, err = l.Next()
			require.NoError(t, err)
			requireSpoiled(t, kept.Object, &kept.Meta)
			_, err = l.Next()
			require.Equal(t, io.EOF, err)
		})
	}
}

func TestListIsNeverHeldWhole(t *testing.T) {
	l := NewListReader(io.MultiReader(
		strings.NewReader(`{"kind":"PodList","items":[`),
		strings.NewReader(strings.Repeat(`{"metadata":{"name":"a"},"data":"`+strings.Repeat("x", 10<<10)+`"},`, 2000)),
		strings.NewReader(`{"data":"`+strings.Repeat("x", 3<<20)+`"},`),
		strings.NewReader(strings.Repeat(`{"metadata":{"name":"a"}},`, 10_000)),
		strings.NewReader(`{}]}`),
	), 0)
	largest := 0
	for n := range 12_002 {
		_, err := l.Next()
		require.NoError(t, err)
		if n < 2000 {
			largest = max(largest, len(l.in.buf))
		}
	}
	require.LessOrEqual(t, largest, restSize)
	require.LessOrEqual(t, len(l.in.buf), restSize, "the large buffer must be given back")
	_, err := l.Next()
	require.Equal(t, io.EOF, err)
}

func TestListDoesNotAllocateForItems(t *testing.T) {
	for _, body := range []string{
		`{"kind":"PodList","apiVersion":"v1","items":[` + strings.Repeat(`{"metadata":{"name":"a\u0062"}},`, 500) + `{}]}`,
		`{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[],"rows":[` + strings.Repeat(`{"object":{"metadata":{"name":"a\u0062"}}},`, 500) + `{}]}`,
	} {
		l := NewListReader(strings.NewReader(body), 0)
		for range 3 {
			_, err := l.Next()
			require.NoError(t, err)
		}
		require.Zero(t, testing.AllocsPerRun(400, func() {
			if _, err := l.Next(); err != nil {
				t.Fatal(err)
			}
		}))
	}
}
