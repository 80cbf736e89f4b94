package kubeconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// maxFile bounds a kubeconfig file. Real ones with hundreds of contexts and
// their certificates have a few MiB; the limit is for --kubeconfig /dev/zero
// and for a log file that was named by mistake.
const maxFile = 16 << 20

// Where paths come from, besides KUBECONFIG.
const (
	flagOrigin = "Options.Path"
	homeOrigin = "home directory"
)

// candidates returns the files to read in order of precedence, and what they
// come from, for messages. The flag replaces the list, it is not put in front
// of it. Nothing in a path is expanded: whoever writes a tilde has a shell that
// expands it, or should be told that nobody did.
func (l *loader) candidates(path string) (files []string, origin string) {
	if path != "" {
		return []string{path}, flagOrigin
	}
	// Set and empty is the same as not set.
	if list := l.getenv("KUBECONFIG"); list != "" {
		if notAPath(list) != "" {
			return []string{list}, "KUBECONFIG" // not split: every piece would be shown as a path
		}
		seen := make(map[string]bool)
		for _, file := range filepath.SplitList(list) {
			if file != "" && !seen[file] {
				seen[file] = true
				files = append(files, file)
			}
		}
		return files, "KUBECONFIG"
	}
	if home := homeDir(runtime.GOOS, l.getenv, exists); home != "" {
		files = append(files, filepath.Join(home, ".kube", "config"))
	}
	return files, homeOrigin
}

// homeDir returns the directory that holds .kube. Windows has three ideas of
// what that is, and the one that has the file wins; kubectl asks in this order
// too.
func homeDir(goos string, getenv func(string) string, exists func(string) bool) string {
	if goos != "windows" {
		return getenv("HOME")
	}
	var drivePath string
	if drive, path := getenv("HOMEDRIVE"), getenv("HOMEPATH"); drive != "" && path != "" {
		drivePath = drive + path
	}
	profile := getenv("USERPROFILE")
	for _, home := range []string{getenv("HOME"), drivePath, profile} {
		if home != "" && exists(home+`\.kube\config`) {
			return home
		}
	}
	// None has it, so all that is left is a path for the message.
	for _, home := range []string{getenv("HOME"), profile, drivePath} {
		if home != "" && exists(home) {
			return home
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readAll reads and parses the files. One that does not exist is skipped,
// unless it was asked for by itself: lists in KUBECONFIG name files that exist
// on some machines only. Any other file that cannot be used is an error, even
// if the rest would do. Going on without it would mean another cluster than
// the one that is meant, and perhaps a production one.
func (l *loader) readAll(files []string, origin string, report *report) (documents []*document, missing []string) {
	for _, file := range files {
		if wrong := notAPath(file); wrong != "" {
			report.fail(&Error{Entry: origin, Err: errors.New(wrong), Hint: "write it to a file, and give the path of that"})
			continue
		}
		content, err := l.readFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist) && origin != flagOrigin:
			missing = append(missing, file)
			continue
		case errors.Is(err, fs.ErrNotExist):
			// kubectl's words: it looks with stat before it reads.
			report.fail(&Error{Field: flagOrigin, Err: fmt.Errorf("stat %s: no such file or directory", file), Hint: pathHint(file)})
			continue
		case err != nil:
			report.fail(loadError(file, err))
			continue
		}
		if document := parseDocument(file, content, report); document != nil {
			documents = append(documents, document)
		}
	}
	return documents, missing
}

// loadError reports a file that cannot be used at all.
func loadError(file string, err error) *Error {
	return &Error{File: file, Err: err, loading: true}
}
