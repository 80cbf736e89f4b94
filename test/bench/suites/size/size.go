// Package size compares the sizes of programs: a watch in a pod next to one GET
// over TLS, and next to programs that watch with client-go.
package size

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/process"
)

const (
	size = "MB"

	program = "a program"
	get     = "one GET over TLS"
	minimal = "minimal watch in a pod"

	root = "example.com/rawwatch/"
	peer = root + "test/bench/peers/"
)

type builder func(ctx context.Context, folder, path string) (process.Program, error)

// contenders are programs, all built alike: stripped, trimmed, without cgo. The
// peers also link what tells them their task, flags and encoding/json.
var contenders = []struct {
	name, path string
	build      builder
}{
	{get, root + "examples/internal/get", process.BuildRoot},
	{minimal, root + "examples/minimal", process.BuildRoot},
	{"rawwatch, the command", root + "cmd/rawwatch", process.BuildRoot},
	{"RetryWatcher", peer + "retrywatcher", process.BuildPackage},
	{"dynamic informer", peer + "dynamic", process.BuildPackage},
	{"metadata informer", peer + "metadata", process.BuildPackage},
	{"typed informer", peer + "typed", process.BuildPackage},
}

// Suite has one round: the same source and compiler make the same bytes.
func Suite() measure.Suite {
	return measure.Suite{
		Name: "size", Title: "The size of a minimal binary",
		Figures: []string{size},
		Bars: []measure.Bar{
			{Case: program, Figure: size, Contender: minimal, Against: get, AtMost: 1.06},
		},
		Modules: []string{"k8s.io/client-go"},
		Rounds:  1,
		Cases:   cases,
	}
}

func cases(_ context.Context, o measure.Options) ([]measure.Case, func(), error) {
	c := measure.Case{Name: program}
	for i, p := range contenders {
		// A folder each: a command and a peer have the same name.
		folder := filepath.Join(o.Folder, strconv.Itoa(i))
		c.Contenders = append(c.Contenders, measure.Contender{Name: p.name, Run: func(ctx context.Context) (measure.Figures, error) {
			return sizeOf(ctx, p.build, folder, p.path)
		}})
	}
	return []measure.Case{c}, nil, nil
}

// sizeOf builds a program and looks at its file.
func sizeOf(ctx context.Context, build builder, folder, path string) (measure.Figures, error) {
	built, err := build(ctx, folder, path)
	if err != nil {
		return nil, err
	}
	file, err := os.Stat(built.Path)
	if err != nil {
		return nil, err
	}
	return measure.Figures{size: float64(file.Size()) / 1e6}, nil
}
