// Package limited reads files of which nobody knows what they are: a path in a
// configuration may lead to a log, or to a device that never ends.
package limited

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadFile is os.ReadFile for files of up to limit bytes. Size comes from
// reading, not from stat: a pipe is a legitimate file (--kubeconfig
// <(command)). Its errors name the path.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %s", size(limit))}
	}
	return content, nil
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
