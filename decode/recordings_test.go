package decode

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What each recording holds, as its row in the README beside it says. A file
// without a row here fails the test.
var watchRecordings = map[string][]string{
	"watch-configmaps": {
		"ADDED ConfigMap v1 t/new rv=10347 uid=df07d152-0842-4fe6-823e-7733527f7361",
		"MODIFIED ConfigMap v1 t/cm1 rv=10348 uid=9eac3acf-21d5-48dd-8ed7-bddc1ac53b22",
		"MODIFIED ConfigMap v1 t/cm2 rv=10349 uid=b0cc2e3a-724e-4709-a12a-e37830a4d04d",
		"DELETED ConfigMap v1 t/cm3 rv=10350 uid=ba66e80a-0804-4ad1-8d60-a0b537c76f9e",
		"DELETED ConfigMap v1 t/new rv=10351 uid=df07d152-0842-4fe6-823e-7733527f7361",
		"ADDED ConfigMap v1 t/new rv=10352 uid=435d125b-fb1f-4575-ab3b-87b349548fe2",
		"BOOKMARK ConfigMap v1 / rv=10352",
	},
	"watch-widgets-crd-deleted": {
		"ADDED Widget demo.example.com/v1 t/w1 rv=10338 uid=06ce9983-0689-4fbc-8e9e-436614d77c59",
		"ADDED Widget demo.example.com/v1 t/w2 rv=10339 uid=cf8732d8-1753-4222-8e62-4cc9e416607d",
		"ADDED Widget demo.example.com/v1 t/w3 rv=10340 uid=52fc529e-30ef-4fae-8e50-5091dea6a5de",
		"BOOKMARK Widget demo.example.com/v1 / rv=10353 END",
		"MODIFIED Widget demo.example.com/v1 t/w1 rv=10354 uid=06ce9983-0689-4fbc-8e9e-436614d77c59",
		"DELETED Widget demo.example.com/v1 t/w2 rv=10355 uid=cf8732d8-1753-4222-8e62-4cc9e416607d",
		"DELETED Widget demo.example.com/v1 t/w1 rv=10359 uid=06ce9983-0689-4fbc-8e9e-436614d77c59",
		"DELETED Widget demo.example.com/v1 t/w3 rv=10360 uid=52fc529e-30ef-4fae-8e50-5091dea6a5de",
	},
	"watchlist-configmaps":      append(streamingList, "BOOKMARK ConfigMap v1 / rv=10362 END"),
	"watchlist-configmaps-gzip": append(streamingList, "BOOKMARK ConfigMap v1 / rv=10363 END"),
	"watchlist-future-rv":       {"ERROR Status v1 /"},
	"watch-410-too-old":         {"ERROR Status v1 /"},
	"events-stale-rv":           {"ERROR Status v1 /"},
	"watch-table": {
		"ADDED Table meta.k8s.io/v1 t/new rv=10347 uid=df07d152-0842-4fe6-823e-7733527f7361",
		"MODIFIED Table meta.k8s.io/v1 t/cm1 rv=10348 uid=9eac3acf-21d5-48dd-8ed7-bddc1ac53b22",
		"MODIFIED Table meta.k8s.io/v1 t/cm2 rv=10349 uid=b0cc2e3a-724e-4709-a12a-e37830a4d04d",
		"DELETED Table meta.k8s.io/v1 t/cm3 rv=10350 uid=ba66e80a-0804-4ad1-8d60-a0b537c76f9e",
		"DELETED Table meta.k8s.io/v1 t/new rv=10351 uid=df07d152-0842-4fe6-823e-7733527f7361",
		"ADDED Table meta.k8s.io/v1 t/new rv=10352 uid=435d125b-fb1f-4575-ab3b-87b349548fe2",
	},
	"watch-metadata": {
		"ADDED PartialObjectMetadata meta.k8s.io/v1 t/new rv=10347 uid=df07d152-0842-4fe6-823e-7733527f7361",
		"MODIFIED PartialObjectMetadata meta.k8s.io/v1 t/cm1 rv=10348 uid=9eac3acf-21d5-48dd-8ed7-bddc1ac53b22",
		"MODIFIED PartialObjectMetadata meta.k8s.io/v1 t/cm2 rv=10349 uid=b0cc2e3a-724e-4709-a12a-e37830a4d04d",
		"DELETED PartialObjectMetadata meta.k8s.io/v1 t/cm3 rv=10350 uid=ba66e80a-0804-4ad1-8d60-a0b537c76f9e",
		"DELETED PartialObjectMetadata meta.k8s.io/v1 t/new rv=10351 uid=df07d152-0842-4fe6-823e-7733527f7361",
		"ADDED PartialObjectMetadata meta.k8s.io/v1 t/new rv=10352 uid=435d125b-fb1f-4575-ab3b-87b349548fe2",
	},
	"watch-apiserver-shutdown": {"BOOKMARK ConfigMap v1 / rv=10371"},
}

var streamingList = []string{
	"ADDED ConfigMap v1 t/cm1 rv=10348 uid=9eac3acf-21d5-48dd-8ed7-bddc1ac53b22",
	"ADDED ConfigMap v1 t/cm2 rv=10349 uid=b0cc2e3a-724e-4709-a12a-e37830a4d04d",
	"ADDED ConfigMap v1 t/cm4 rv=10336 uid=18c517f8-76cf-41b3-b073-2e21baa66afc",
	"ADDED ConfigMap v1 t/cm5 rv=10337 uid=fcb16901-8d93-47e0-a6c2-4250339db556",
	"ADDED ConfigMap v1 t/new rv=10352 uid=435d125b-fb1f-4575-ab3b-87b349548fe2",
}

type listRecording struct {
	lines  []string
	header ListHeader
}

var listRecordings = map[string]listRecording{
	"list-configmaps": {
		lines: []string{
			"ConfigMap v1 t/cm1 rv=10333 uid=9eac3acf-21d5-48dd-8ed7-bddc1ac53b22",
			"ConfigMap v1 t/cm2 rv=10334 uid=b0cc2e3a-724e-4709-a12a-e37830a4d04d",
			"ConfigMap v1 t/cm3 rv=10335 uid=ba66e80a-0804-4ad1-8d60-a0b537c76f9e",
			"ConfigMap v1 t/cm4 rv=10336 uid=18c517f8-76cf-41b3-b073-2e21baa66afc",
			"ConfigMap v1 t/cm5 rv=10337 uid=fcb16901-8d93-47e0-a6c2-4250339db556",
		},
		header: ListHeader{Kind: "ConfigMapList", APIVersion: "v1", ResourceVersion: "10340"},
	},
	"list-configmaps-page1": {
		lines: []string{
			"ConfigMap v1 t/cm1 rv=10333 uid=9eac3acf-21d5-48dd-8ed7-bddc1ac53b22",
			"ConfigMap v1 t/cm2 rv=10334 uid=b0cc2e3a-724e-4709-a12a-e37830a4d04d",
		},
		header: ListHeader{
			Kind: "ConfigMapList", APIVersion: "v1", ResourceVersion: "10340", RemainingItemCount: 3,
			Continue: "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAzNDAsInN0YXJ0IjoiL2NtMlx1MDAwMCJ9",
		},
	},
	"list-configmaps-page2": {
		lines: []string{
			"ConfigMap v1 t/cm3 rv=10335 uid=ba66e80a-0804-4ad1-8d60-a0b537c76f9e",
			"ConfigMap v1 t/cm4 rv=10336 uid=18c517f8-76cf-41b3-b073-2e21baa66afc",
		},
		header: ListHeader{
			Kind: "ConfigMapList", APIVersion: "v1", ResourceVersion: "10340", RemainingItemCount: 1,
			Continue: "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAzNDAsInN0YXJ0IjoiL2NtNFx1MDAwMCJ9",
		},
	},
	"list-widgets": {
		lines: []string{
			"Widget demo.example.com/v1 t/w1 rv=10338 uid=06ce9983-0689-4fbc-8e9e-436614d77c59",
			"Widget demo.example.com/v1 t/w2 rv=10339 uid=cf8732d8-1753-4222-8e62-4cc9e416607d",
			"Widget demo.example.com/v1 t/w3 rv=10340 uid=52fc529e-30ef-4fae-8e50-5091dea6a5de",
		},
		header: ListHeader{Kind: "WidgetList", APIVersion: "demo.example.com/v1", ResourceVersion: "10340"},
	},
	"list-empty": {
		header: ListHeader{Kind: "SecretList", APIVersion: "v1", ResourceVersion: "10340"},
	},
	"list-table": {
		lines: []string{
			"Table meta.k8s.io/v1 t/cm1 rv=10348 uid=9eac3acf-21d5-48dd-8ed7-bddc1ac53b22",
			"Table meta.k8s.io/v1 t/cm2 rv=10349 uid=b0cc2e3a-724e-4709-a12a-e37830a4d04d",
			"Table meta.k8s.io/v1 t/cm4 rv=10336 uid=18c517f8-76cf-41b3-b073-2e21baa66afc",
			"Table meta.k8s.io/v1 t/cm5 rv=10337 uid=fcb16901-8d93-47e0-a6c2-4250339db556",
			"Table meta.k8s.io/v1 t/new rv=10352 uid=435d125b-fb1f-4575-ab3b-87b349548fe2",
		},
		header: ListHeader{Kind: "Table", APIVersion: "meta.k8s.io/v1", ResourceVersion: "10365"},
	},
	// Discovery is a list too: of groups, which have no name, or of none
	// under the name "items".
	"discovery-api": {
		lines:  []string{"APIGroupDiscovery apidiscovery.k8s.io/v2 /"},
		header: ListHeader{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"},
	},
	"discovery-api-v1-legacy": {
		header: ListHeader{Kind: "APIResourceList"},
	},
}

// Bodies that are neither events nor lists, and the kind they say they are.
var otherRecordings = map[string]string{
	"discovery-api-legacy":      "APIVersions",
	"list-401":                  "Status",
	"list-403":                  "Status",
	"list-404-resource":         "Status",
	"list-410-continue-expired": "Status",
	"list-410-exact-rv":         "Status",
	"list-bad-limit-400":        "Status",
	"list-bad-selector-400":     "Status",
	"list-rv-too-large":         "Status",
	"watch-403":                 "Status",
	"watch-405":                 "Status",
	"watch-rv-invalid":          "Status",
	"watchlist-422":             "Status",
}

// Bodies that are plain text.
var textRecordings = []string{"list-404-group", "watch-crd-gone-404"}

func TestEveryRecordingHasATest(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordings, "*.http"))
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".http"))
	}
	tested := append([]string{"discovery-apis"}, textRecordings...)
	for name := range watchRecordings {
		tested = append(tested, name)
	}
	for name := range listRecordings {
		tested = append(tested, name)
	}
	for name := range otherRecordings {
		tested = append(tested, name)
	}
	require.ElementsMatch(t, names, tested)
}

func TestRecordedWatchesGiveTheirEvents(t *testing.T) {
	for name, want := range watchRecordings {
		t.Run(name, func(t *testing.T) {
			body := string(recorded(t, name))
			got := everyChoppingOfEvents(t, body, 0)
			require.Equal(t, want, got.lines)
			require.Equal(t, io.EOF, got.err)
			// Byte for byte: put together again, the frames are the body.
			var again strings.Builder
			for i, frame := range got.frames {
				_, text, _ := strings.Cut(frame, " ")
				again.WriteString(text + "\n")
				kind, _, _ := strings.Cut(want[i], " ")
				require.Equal(t, text, `{"type":"`+kind+`","object":`+got.objects[i]+`}`)
			}
			require.Equal(t, body, again.String())
		})
	}
}

func TestRecordedListsGiveTheirItems(t *testing.T) {
	for name, want := range listRecordings {
		t.Run(name, func(t *testing.T) {
			got := everyChoppingOfItems(t, string(recorded(t, name)), 0)
			require.Equal(t, io.EOF, got.err)
			require.Equal(t, want.lines, got.lines)
			require.Equal(t, want.header, got.header)
			for i, object := range got.objects {
				var again Meta
				require.NoError(t, ScanObject([]byte(object), &again), object)
				require.Equal(t, want.lines[i], line(&again), "an item must say itself what its Meta says")
			}
		})
	}
}

func TestRecordedDiscoveryIsAListOfManyGroups(t *testing.T) {
	got := readItems(t, bytes.NewReader(recorded(t, "discovery-apis")), 0)
	require.Equal(t, io.EOF, got.err)
	require.Greater(t, len(got.lines), 10)
	require.Contains(t, got.lines, "APIGroupDiscovery apidiscovery.k8s.io/v2 /apps")
}

func TestRecordedOthersAreNeitherListNorEvents(t *testing.T) {
	for name, kind := range otherRecordings {
		t.Run(name, func(t *testing.T) {
			body := string(recorded(t, name))
			want := &ShapeError{Kind: kind, Index: -1}
			list := everyChoppingOfItems(t, body, 0)
			require.Empty(t, list.lines)
			sameError(t, want, list.err)
			watch := everyChoppingOfEvents(t, body, 0)
			require.Empty(t, watch.lines)
			sameError(t, want, watch.err)
		})
	}
}

func TestRecordedListsAreRecognisedInsteadOfAWatch(t *testing.T) {
	for name, list := range listRecordings {
		t.Run(name, func(t *testing.T) {
			got := everyChoppingOfEvents(t, string(recorded(t, name)), 0)
			sameError(t, &ShapeError{Kind: list.header.Kind, Index: -1}, got.err)
			require.True(t, got.err.(*ShapeError).List())
		})
	}
}

func TestRecordedTextIsNoJSON(t *testing.T) {
	for _, name := range textRecordings {
		body := string(recorded(t, name))
		var syntax *SyntaxError
		require.ErrorAs(t, everyChoppingOfItems(t, body, 0).err, &syntax)
		require.ErrorAs(t, everyChoppingOfEvents(t, body, 0).err, &syntax)
	}
}

func TestRecordedPodsAllArrive(t *testing.T) {
	body := recordedPods(t)
	for _, c := range choppings() {
		if c.name == "one byte" {
			continue // two million calls; the other recordings have it
		}
		got := readEvents(t, c.of(bytes.NewReader(body)), 0)
		require.Equal(t, io.EOF, got.err, c.name)
		require.Len(t, got.lines, 300, c.name)
		for i, frame := range bytes.Split(bytes.TrimSuffix(body, []byte("\n")), []byte("\n")) {
			require.Equal(t, `{"type":"ADDED","object":`+got.objects[i]+`}`, string(frame))
		}
	}
}

func TestRecordedTablesShowTheirColumnsOnce(t *testing.T) {
	got := readItems(t, bytes.NewReader(recorded(t, "list-table")), 0)
	watch := readEvents(t, bytes.NewReader(recorded(t, "watch-table")), 0)
	require.Contains(t, got.objects[0], `"columnDefinitions":[{"name":"Name"`)
	for _, object := range got.objects[1:] {
		require.Contains(t, object, `"columnDefinitions":null`)
	}
	// List and watch look the same: the row of cm1 came both ways, with
	// another age.
	fromList := strings.Replace(got.objects[0], `"51s"`, `"48s"`, 1)
	start := strings.Index(fromList, `"columnDefinitions":`)
	end := strings.Index(fromList, `,"rows":`)
	require.Equal(t, watch.objects[1], fromList[:start]+`"columnDefinitions":null`+fromList[end:])
}
