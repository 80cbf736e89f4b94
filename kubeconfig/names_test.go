package kubeconfig

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNamesOfAllFilesBrokenEntriesToo(t *testing.T) {
	files := map[string]string{
		"a": "current-context: two\ncontexts: [{name: two, context: 7}, {name: one}]\nusers: [{name: u, user: {exec: []}}]\n",
		"b": "current-context: other\ncontexts: [{name: three}, {name: one}]\nclusters: [{name: c, cluster: {server: ':'}}]\n",
	}
	l := &loader{
		env: func(name string) string { return map[string]string{"KUBECONFIG": "a:b:absent"}[name] },
		read: func(path string) ([]byte, error) {
			if text, ok := files[path]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		},
	}
	names, err := l.names(Options{})
	assert.NoError(t, err)
	assert.Equal(t, Names{Contexts: []string{"one", "three", "two"}, Clusters: []string{"c"}, Users: []string{"u"}, Current: "two"}, names)

	files["b"] = "]["
	_, err = l.names(Options{})
	assert.Error(t, err)
}
