package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream/replay"
	"example.com/rawwatch/test/cluster"
)

// recordedObject is an object as a recording first shows it, or an event.
type recordedObject struct {
	Type, Name, Version string
	JSON                string
}

// tale is what a recording has to tell, in a client's order: what existed, what
// a watch from there shows until it ends, and what exists in the end.
type tale struct {
	existed  []recordedObject
	happened []recordedObject
	final    map[string]string   // versions of what exists in the end, by name
	versions map[string][]string // all that an object has had, by name
}

// readTale reads a recording of one collection without the code that serves it.
func readTale(t *testing.T, file string) *tale {
	t.Helper()
	s := &tale{final: map[string]string{}, versions: map[string][]string{}}
	lists, watches, initial := 0, 0, map[int]bool{}
	know := func(object recordedObject) {
		if object.Type == "DELETED" {
			delete(s.final, object.Name)
			return
		}
		s.final[object.Name] = object.Version
		s.versions[object.Name] = append(s.versions[object.Name], object.Version)
	}
	each(t, readFile(t, file), func(r *replay.Record) {
		switch r.Kind {
		case replay.KindRequest:
			u, err := url.Parse(r.URL)
			require.NoError(t, err)
			if u.Query().Get("watch") != "" {
				watches++
				initial[r.Exchange] = u.Query().Has("sendInitialEvents")
			}
		case replay.KindBody:
			lists++
			clear(s.final)
			items := decode.NewListReader(bytes.NewReader(r.Bytes), 0)
			for item, err := items.Next(); err == nil; item, err = items.Next() {
				object := recordedObject{"ADDED", string(item.Name), string(item.ResourceVersion), string(item.Object)}
				know(object)
				if lists == 1 {
					s.existed = append(s.existed, object)
				}
			}
		case replay.KindEvent:
			var ev decode.Event
			require.NoError(t, decode.ScanEvent(r.Bytes, &ev))
			object := recordedObject{string(ev.Type), string(ev.Name), string(ev.ResourceVersion), string(ev.Object)}
			switch {
			case object.Type == "BOOKMARK":
				initial[r.Exchange] = false
			case object.Type == "ERROR":
			case initial[r.Exchange]:
				s.existed = append(s.existed, object)
				know(object)
			default:
				know(object)
				if watches == 1 {
					s.happened = append(s.happened, object)
				}
			}
		}
	})
	require.NotEmpty(t, s.existed)
	return s
}

// equalObjects compares objects as JSON: kubectl prints them anew.
func equalObjects(t *testing.T, want, got []recordedObject) {
	t.Helper()
	if !assert.Len(t, got, len(want)) {
		return
	}
	for i := range want {
		assert.Equal(t, want[i].Type, got[i].Type)
		assert.JSONEq(t, want[i].JSON, got[i].JSON)
	}
}

// watchEvents runs kubectl get -w until it has printed n events, or has ended.
func watchEvents(t *testing.T, kubeconfig string, n int, args ...string) (events []recordedObject) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := cluster.KubectlCommand(ctx, t, kubeconfig, append([]string{"get", "-w", "--output-watch-events", "-o", "json"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer cmd.Wait()
	defer cancel()
	for decoder := json.NewDecoder(out); len(events) < n; {
		var ev struct {
			Type   string
			Object json.RawMessage
		}
		if err := decoder.Decode(&ev); err != nil {
			t.Logf("kubectl %q: %v\n%s", args, err, stderr.Bytes())
			return events
		}
		events = append(events, recordedObject{Type: ev.Type, JSON: string(ev.Object)})
	}
	return events
}

// kubectl sees in a recording that is served what was recorded, whether the
// recorder listed or streamed.
func TestKubectlSeesARecording(t *testing.T) {
	t.Parallel()
	for _, how := range sessions {
		t.Run(how.file, func(t *testing.T) {
			t.Parallel()
			file := kept + how.file
			told := readTale(t, file)
			kubeconfig := serving(t, file, "--speed", "max")
			kubectl := func(args ...string) string { return cluster.Kubectl(t, kubeconfig, args...) }
			refused := func(args ...string) string {
				out, err := cluster.KubectlCommand(t.Context(), t, kubeconfig, args...).CombinedOutput()
				assert.Error(t, err, "%s", args)
				return string(out)
			}

			// The namespace is that of the recording, short names are known, and
			// each kubectl sees it from the beginning.
			names := ""
			for _, o := range told.existed {
				names += "configmap/" + o.Name + "\n"
			}
			assert.Equal(t, names, kubectl("get", "cm", "-o", "name"))
			assert.Equal(t, names, kubectl("get", "configmap", "-A", "-o", "name"))
			assert.Regexp(t, `^NAME +AGE\na +\S+\nb +\S+\nc +\S+\n$`, kubectl("get", "cm"))
			assert.Regexp(t, `configmaps +cm +v1 +true +ConfigMap`, kubectl("api-resources"))

			var list struct{ Items []json.RawMessage }
			require.NoError(t, json.Unmarshal([]byte(kubectl("get", "cm", "-o", "json", "--show-managed-fields")), &list))
			var got []recordedObject
			for _, item := range list.Items {
				got = append(got, recordedObject{Type: "ADDED", JSON: string(item)})
			}
			equalObjects(t, told.existed, got)

			b := named(told.existed, "b")[0]
			assert.JSONEq(t, b.JSON, kubectl("get", "cm", "b", "-o", "json", "--show-managed-fields"))
			assert.Equal(t, b.JSON+"\n", kubectl("get", "--raw", "/api/v1/namespaces/t/configmaps/b"), "to the byte")
			assert.Regexp(t, `(?s)^Name: +b\n.*Events: +<none>\n$`, kubectl("describe", "cm", "b"), "no events were recorded")
			assert.Contains(t, refused("get", "cm", "none"), `Error from server (NotFound): configmaps "none" not found`)
			assert.Contains(t, refused("get", "pods"), `the server doesn't have a resource type "pods"`)
			assert.Contains(t, refused("delete", "cm", "b", "--wait=false"), "a recording is read-only")
			assert.Contains(t, refused("create", "cm", "new"), "a recording is read-only")

			all := slices.Concat(told.existed, told.happened)
			equalObjects(t, all, watchEvents(t, kubeconfig, len(all), "cm", "--show-managed-fields"))
			// That was the recording's first watch to its end, perhaps. From here
			// on a list may be the next one; so this begins anew.
			a := slices.Concat(named(told.existed, "a"), named(told.happened, "a"))
			equalObjects(t, a, watchEvents(t, serving(t, file, "--speed", "max"), len(a), "cm", "a", "--show-managed-fields"))
		})
	}
}

func named(objects []recordedObject, name string) (some []recordedObject) {
	for _, o := range objects {
		if o.Name == name {
			some = append(some, o)
		}
	}
	return some
}

func readFile(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return b
}
