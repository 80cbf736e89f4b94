package pods

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

// Recording is a watch of a real server, with a pod in each line. The path is
// from the folder that the benchmarks run in.
const Recording = "../testdata/recordings/pods-300.watch.gz"

// Set makes pods. It is not for several goroutines at once.
type Set struct{ templates []map[string]any }

// Load returns pods like those of a recording. Lean ones are without
// managedFields and status and have one container: a quarter of the size.
func Load(recording string, lean bool) (*Set, error) {
	f, err := os.Open(recording)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("pods: %s: %w", recording, err)
	}
	s := new(Set)
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct{ Object map[string]any }
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, fmt.Errorf("pods: %s: line %d: %w", recording, len(s.templates)+1, err)
		}
		if lean {
			slim(event.Object)
		}
		s.templates = append(s.templates, event.Object)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("pods: %s: %w", recording, err)
	}
	return s, nil
}

func slim(pod map[string]any) {
	delete(pod["metadata"].(map[string]any), "managedFields")
	delete(pod, "status")
	spec := pod["spec"].(map[string]any)
	spec["containers"] = spec["containers"].([]any)[:1]
}

// Name is the name of pod n.
func Name(n int) string { return fmt.Sprintf("web-7d9c6b5f4-%06d", n) }

// Pod returns pod n of a namespace, as storage has it: without a
// resourceVersion. A pod of another generation is a change of the same object.
func (s *Set) Pod(namespace string, n, generation int) ([]byte, error) {
	pod := s.templates[n%len(s.templates)]
	metadata := pod["metadata"].(map[string]any)
	delete(metadata, "resourceVersion")
	metadata["namespace"], metadata["name"] = namespace, Name(n)
	metadata["uid"] = fmt.Sprintf("b572b1d1-e070-4c83-9915-%012x", n)
	metadata["generation"] = generation
	metadata["labels"].(map[string]any)["shard"] = strconv.Itoa(n)
	return json.Marshal(pod)
}
