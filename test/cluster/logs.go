package cluster

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// logLimit bounds what is printed of one log, from its end, in bytes.
const logLimit = 16 << 10

// logSizes are the present ends of the logs.
func (c *Cluster) logSizes() []int64 {
	sizes := make([]int64, len(c.logs))
	for i, path := range c.logs {
		if info, err := os.Stat(path); err == nil {
			sizes[i] = info.Size()
		}
	}
	return sizes
}

// printLogs prints what was written to the logs since they had these sizes.
func (c *Cluster) printLogs(t testing.TB, since []int64) {
	t.Helper()
	for i, path := range c.logs {
		content, err := tail(path, since[i])
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			t.Logf("cluster: %v", err)
		default:
			t.Logf("%s:\n%s", filepath.Base(path), content)
		}
	}
}

// tail reads the whole lines of a file after an offset, the last ones if they
// are more than logLimit.
func tail(path string, offset int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	cut := end-offset > logLimit
	if cut {
		offset = end - logLimit
	}
	content := make([]byte, end-offset)
	if _, err := f.ReadAt(content, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if cut {
		_, content, _ = bytes.Cut(content, []byte("\n"))
	}
	return content, nil
}
