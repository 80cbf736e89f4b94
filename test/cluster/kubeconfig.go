package cluster

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Kubeconfig writes a kubeconfig for a user, in a folder of the test's, and
// returns its path. Its only context has the namespace given, which may be "".
func (s *Server) Kubeconfig(t testing.TB, u User, namespace string) string {
	t.Helper()
	f := kubeconfig{
		APIVersion:     "v1",
		Kind:           "Config",
		CurrentContext: "test",
		Clusters: []namedCluster{{Name: "test", Cluster: clusterEntry{
			Server:     s.URL.String(),
			ServerName: s.name,
			CAData:     base64.StdEncoding.EncodeToString(s.CA),
			Insecure:   s.insecure,
		}}},
		Users: []namedUser{{Name: u.Name, User: userEntry{
			Token:    u.Token,
			CertData: base64.StdEncoding.EncodeToString(u.Cert),
			KeyData:  base64.StdEncoding.EncodeToString(u.Key),
		}}},
		Contexts: []namedContext{{Name: "test", Context: contextEntry{
			Cluster: "test", User: u.Name, Namespace: namespace,
		}}},
	}
	content, err := yaml.Marshal(f)
	if err != nil {
		t.Fatalf("cluster: %v", err)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatalf("cluster: %v", err)
	}
	return path
}

// kubeconfig is the part of clientcmd/api/v1 that is written and read here.
type kubeconfig struct {
	APIVersion     string         `yaml:"apiVersion"`
	Kind           string         `yaml:"kind"`
	CurrentContext string         `yaml:"current-context"`
	Clusters       []namedCluster `yaml:"clusters"`
	Users          []namedUser    `yaml:"users"`
	Contexts       []namedContext `yaml:"contexts"`
}

type namedCluster struct {
	Name    string       `yaml:"name"`
	Cluster clusterEntry `yaml:"cluster"`
}

type namedUser struct {
	Name string    `yaml:"name"`
	User userEntry `yaml:"user"`
}

type namedContext struct {
	Name    string       `yaml:"name"`
	Context contextEntry `yaml:"context"`
}

type clusterEntry struct {
	Server     string `yaml:"server"`
	ServerName string `yaml:"tls-server-name,omitempty"`
	CAFile     string `yaml:"certificate-authority,omitempty"`
	CAData     string `yaml:"certificate-authority-data,omitempty"`
	Insecure   bool   `yaml:"insecure-skip-tls-verify,omitempty"`
}

type userEntry struct {
	Token     string `yaml:"token,omitempty"`
	TokenFile string `yaml:"tokenFile,omitempty"`
	CertFile  string `yaml:"client-certificate,omitempty"`
	CertData  string `yaml:"client-certificate-data,omitempty"`
	KeyFile   string `yaml:"client-key,omitempty"`
	KeyData   string `yaml:"client-key-data,omitempty"`
}

type contextEntry struct {
	Cluster   string `yaml:"cluster"`
	User      string `yaml:"user"`
	Namespace string `yaml:"namespace,omitempty"`
}
