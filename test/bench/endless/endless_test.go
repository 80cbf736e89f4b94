package endless

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

var added = []byte(`{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"},"spec":{}}}` + "\n" +
	`{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"b","namespace":"n","uid":"v","resourceVersion":"8"}}}` + "\n")

func TestChangesComeInAnotherVersionEachTime(t *testing.T) {
	var seen []string
	for line := range bytes.Lines(Changes(added)) {
		var ev struct {
			Type   string
			Object struct {
				Metadata struct{ Name, ResourceVersion string }
			}
		}
		require.NoError(t, json.Unmarshal(line, &ev))
		seen = append(seen, ev.Type+" "+ev.Object.Metadata.Name+" "+ev.Object.Metadata.ResourceVersion)
	}
	require.Equal(t, []string{"MODIFIED a 1000", "MODIFIED b 1001", "MODIFIED a 2000", "MODIFIED b 2001"}, seen)
	require.Equal(t, Cycle, bytes.Count(Changes(ConfigMaps()), []byte("\n")))
}

func TestListHasItemsOfTheirOwn(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		body, err := io.ReadAll(List(added, n))
		require.NoError(t, err)
		var list struct {
			Kind  string
			Items []struct {
				Metadata struct{ Name, UID, ResourceVersion string }
			}
		}
		require.NoError(t, json.Unmarshal(body, &list))
		require.Equal(t, "PodList", list.Kind)
		require.Len(t, list.Items, n)
		for i, item := range list.Items {
			require.Equal(t, fmt.Sprintf("web-7d9c6b5f4-%06d", i), item.Metadata.Name)
			require.Equal(t, fmt.Sprint(i+1), item.Metadata.ResourceVersion)
		}
	}
}
