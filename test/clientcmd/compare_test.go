package clientcmd

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/kubecase"
)

const cases = "../../testdata/kubeconfig"

// TestSameAsClientGo runs every case through client-go and compares. A
// difference that differences.txt does not have fails the test, and so does
// one that is there and exists no longer.
func TestSameAsClientGo(t *testing.T) {
	listed := readDifferences(t)
	secrets := kubecase.NewSecrets(t)
	for _, file := range kubecase.Files(t, cases) {
		name := kubecase.NameOf(file)
		found := make(map[string]string)
		t.Run(name, func(t *testing.T) {
			c := kubecase.Read(t, file, secrets)
			if _, inPod := c.Env["KUBERNETES_SERVICE_HOST"]; inPod || strings.HasPrefix(name, "6-pod/") {
				found["uncompared"] = "client-go looks for the service account in one place only"
				return
			}
			found = differences(parse(c.Want), load(t, c))
			for field, text := range found {
				if !listed[name][field] {
					t.Errorf("%s differs, and is not in differences.txt:\n%s", field, text)
				}
			}
		})
		for field := range listed[name] {
			if _, still := found[field]; !still {
				t.Errorf("differences.txt: %s %s: there is no such difference", name, field)
			}
		}
		if _, uncompared := found["uncompared"]; uncompared && !listed[name]["uncompared"] {
			t.Errorf("%s cannot be compared; say so in differences.txt", name)
		}
		delete(listed, name)
	}
	assert.Empty(t, listed, "differences.txt names cases that do not exist")
}

// readDifferences reads differences.txt: reasons, and indented below each the
// cases that it is for, with the fields that differ. What is for all cases of a folder
// is written as one, FOLDER/*.
func readDifferences(t *testing.T) map[string]map[string]bool {
	text, err := os.ReadFile(filepath.Join(cases, "differences.txt"))
	require.NoError(t, err)
	listed := make(map[string]map[string]bool)
	reason := false
	for line := range strings.Lines(string(text)) {
		switch words := strings.Fields(line); {
		case len(words) == 0:
			reason = false
		case line[0] == '#':
		case line[0] != ' ':
			reason = true
		default:
			require.True(t, reason, "differences.txt: %s: no reason stands above it", words[0])
			require.Greater(t, len(words), 1, "differences.txt: %s: which fields?", words[0])
			names := []string{words[0]}
			if folder, all := strings.CutSuffix(words[0], "/*"); all {
				names = nil
				for _, file := range kubecase.Files(t, cases) {
					if name := kubecase.NameOf(file); strings.HasPrefix(name, folder+"/") {
						names = append(names, name)
					}
				}
			}
			for _, name := range names {
				if listed[name] == nil {
					listed[name] = make(map[string]bool)
				}
				for _, field := range words[1:] {
					require.False(t, listed[name][field], "differences.txt: %s %s is there twice", name, field)
					listed[name][field] = true
				}
			}
		}
	}
	return listed
}

// outcome is what comes of a case, by the names that the cases use; nil is an
// error.
type outcome map[string]string

// compared are the names of what is compared. That leaves warnings, of which
// client-go has none, and the names of entries, which it does not tell.
var compared = []string{
	"server", "namespace", "authorization", "exec", "as", "as-uid", "as-groups", "as-user-extra",
	"ca", "cert", "key", "tls-server-name", "insecure", "proxy", "disable-compression",
}

// parse reads what a case wants. An error has its text under "error".
func parse(want string) outcome {
	o := make(outcome)
	for line := range strings.Lines(want) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if extra, ok := strings.CutPrefix(name, "as-user-extra "); ok {
			name, value = "as-user-extra", o["as-user-extra"]+extra+"="+value+";"
		}
		if name == "error" || slices.Contains(compared, name) {
			o[name] = value
		}
	}
	return o
}

// differences are the fields in which the two outcomes differ, with a text to
// show. Of errors only their being there is compared: the texts are meant to
// be better here.
func differences(ours, theirs outcome) map[string]string {
	found := make(map[string]string)
	switch {
	case ours["error"] != "" && theirs["error"] != "":
	case ours["error"] != "":
		found["error-here"] = "here: " + ours["error"]
	case theirs["error"] != "":
		found["error-there"] = "client-go: " + theirs["error"]
	default:
		for _, name := range compared {
			if ours[name] != theirs[name] {
				found[name] = fmt.Sprintf("here:      %q\nclient-go: %q", ours[name], theirs[name])
			}
		}
	}
	return found
}

// sorted writes a map of lists as the cases do.
func sorted(lists map[string][]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		fmt.Fprintf(&b, "%s=%s;", key, strings.Join(lists[key], ", "))
	}
	return b.String()
}
