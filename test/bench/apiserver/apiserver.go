package apiserver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/pods"
	"example.com/rawwatch/test/bench/process"
	"example.com/rawwatch/test/cluster"
)

// Server is a running API server.
type Server struct {
	*cluster.Cluster
	ca string
	// generation of the pods, by namespace: a change is the next.
	generation map[string]int
}

// Shared returns the server of this run.
func Shared(ctx context.Context, o measure.Options) (*Server, error) {
	return measure.Share(o.Shared, "apiserver", func() (*Server, func(), error) { return start(ctx) })
}

func start(ctx context.Context) (*Server, func(), error) {
	folder, err := os.MkdirTemp("", "rawwatch-bench-")
	if err != nil {
		return nil, nil, err
	}
	s := &Server{ca: filepath.Join(folder, "authority.pem"), generation: map[string]int{}}
	s.Cluster, err = cluster.Open(ctx, folder, cluster.Options{})
	end := func() {
		// What is left of a server that does not end is the system's.
		_ = s.Close()
		_ = os.RemoveAll(folder)
	}
	if err != nil {
		return nil, end, err
	}
	return s, end, os.WriteFile(s.ca, s.CA, 0o600)
}

// Args are the arguments that tell a peer of this server.
func (s *Server) Args(namespace string) []string {
	return []string{"-server", s.URL.String(), "-ca", s.ca, "-token", s.Admin.Token, "-namespace", namespace}
}

// Fill makes the pods 0 to n of a namespace, and waits until the server has
// heard of them.
func (s *Server) Fill(ctx context.Context, set *pods.Set, namespace string, n int) error {
	const together = 100 // a transaction of full pods is 800 KB
	if err := s.write(ctx, set, namespace, n, together); err != nil {
		return err
	}
	return s.AwaitCached(ctx, cluster.Stored{Resource: "pods", Namespace: namespace, Name: pods.Name(n - 1)})
}

// Change changes the pods 0 to n of a namespace, one after the other.
func (s *Server) Change(ctx context.Context, set *pods.Set, namespace string, n int) error {
	return s.write(ctx, set, namespace, n, 1)
}

func (s *Server) write(ctx context.Context, set *pods.Set, namespace string, n, together int) error {
	s.generation[namespace]++
	for first := 0; first < n; first += together {
		var objects []cluster.Stored
		for i := first; i < min(n, first+together); i++ {
			pod, err := set.Pod(namespace, i, s.generation[namespace])
			if err != nil {
				return fmt.Errorf("apiserver: pod %d: %w", i, err)
			}
			objects = append(objects, cluster.Stored{Resource: "pods", Namespace: namespace, Name: pods.Name(i), JSON: pod})
		}
		if err := s.Store(ctx, objects, together); err != nil {
			return fmt.Errorf("apiserver: %w", err)
		}
	}
	return nil
}

// Task is a task for peers: to see so many pods, and then so many changes.
type Task struct {
	Server           *Server
	Pods             *pods.Set
	Namespace        string
	Objects, Changes int
}

// Do has a peer do the task, and makes the changes when it waits for them.
func (t Task) Do(ctx context.Context, p process.Program, args ...string) (measure.Figures, error) {
	args = slices.Concat(t.Server.Args(t.Namespace), args, []string{
		"-objects", strconv.Itoa(t.Objects), "-changes", strconv.Itoa(t.Changes),
	})
	return p.RunHeard(ctx, func(line []byte) error {
		if string(line) != synced {
			return nil
		}
		return t.Server.Change(ctx, t.Pods, t.Namespace, t.Changes)
	}, args...)
}

// synced is what peers print then (peers/internal/task).
const synced = "synced"
