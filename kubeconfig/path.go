package kubeconfig

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
)

// path makes a path of a file absolute. It is relative to the file that has
// it, not to the working directory, and not to the first file of a list. A
// tilde or a variable in it is an ordinary character.
func (p place) path(path string) string {
	if path == "" || filepath.IsAbs(path) || p.file == "" {
		return path
	}
	return filepath.Join(absolute(filepath.Dir(p.file)), path)
}

// absolute makes a path independent of where the program goes later: some
// files are read again while it runs.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// filePath reads a path. Whether there is a file is not looked at.
func (s section) filePath(p place, key string) string {
	text := s.str(key)
	wrong := notAPath(text)
	if wrong == "" {
		return p.path(text)
	}
	hint := "use " + key + "-data for base64"
	if key == "tokenFile" {
		hint = "use token for the token itself"
	}
	s.fail(key, s.get(key), errors.New(wrong), hint)
	return ""
}

// notAPath says what a text is that stands where a path should be, "" if it
// may be one. Content gets there easily: KUBECONFIG: ${{ secrets.KUBECONFIG }}.
// The error of the operating system would show all of it.
func notAPath(text string) string {
	switch {
	case strings.HasPrefix(text, "eyJ") && strings.Count(text, ".") >= 2:
		return "the value is a token, not the path of a file"
	case strings.Contains(text, "-----BEGIN"),
		strings.HasPrefix(text, "LS0tLS1CRUdJT"), // "-----BEGIN" in base64
		encodedConfig(text),
		strings.HasPrefix(text, "{"),
		strings.Contains(text, "apiVersion:"),
		strings.ContainsAny(text, "\r\n\x00"),
		len(text) > 1024 && runtime.GOOS != "windows" && !strings.Contains(text, "/"),
		len(text) > 4096:
		return "the value is the content, not the path of a file"
	}
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '/' || r == '\\' || r == filepath.ListSeparator }) {
		if len(name) > 255 { // longer than any file system allows
			return "the value is the content, not the path of a file"
		}
	}
	return ""
}

// encodedConfig reports whether a text is a kubeconfig file in base64, going by
// the keys that such files begin with.
func encodedConfig(text string) bool {
	for _, head := range []string{"YXBpVmVyc2lvb", "Y2x1c3RlcnM6", "Y29udGV4dHM6"} { // apiVersion, clusters:, contexts:
		if strings.HasPrefix(text, head) {
			return true
		}
	}
	return false
}

// pathHint says what is odd about a path that leads nowhere. Shells expand a
// tilde and remove quotes; nobody does in a YAML file, in an env: block, or
// behind --kubeconfig=.
func pathHint(path string) string {
	switch {
	case strings.HasPrefix(path, "~"):
		return `"~" is not expanded here: write the directory out, or use $HOME where a shell reads it`
	case strings.ContainsAny(path, `"'`):
		return "the quotes are part of the path: remove them"
	case strings.ContainsRune(path, filepath.ListSeparator) && runtime.GOOS != "windows":
		return "this is one path, not a list: use the variable KUBECONFIG for a list"
	}
	return ""
}
