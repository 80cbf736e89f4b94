package cluster

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// KubeconfigVariable names the kubeconfig of a running cluster to test
// against. Its current context must be that of an administrator with a token
// or a client certificate.
const KubeconfigVariable = "RAWWATCH_E2E_KUBECONFIG"

// external reads a kubeconfig. It does so on its own rather than with the
// kubeconfig package under test, and knows no exec plugins: where they are
// needed, a kubeconfig with a service account's token will do.
func external(path string) (*Server, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", KubeconfigVariable, err)
	}
	s, err := parseKubeconfig(content, filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", KubeconfigVariable, path, err)
	}
	s.external = true
	return s, nil
}

// parseKubeconfig follows the current context. Relative paths start at folder.
func parseKubeconfig(content []byte, folder string) (*Server, error) {
	var f kubeconfig
	if err := yaml.Unmarshal(content, &f); err != nil {
		return nil, err
	}
	var at contextEntry
	for _, c := range f.Contexts {
		if c.Name == f.CurrentContext {
			at = c.Context
		}
	}
	var to clusterEntry
	for _, c := range f.Clusters {
		if c.Name == at.Cluster {
			to = c.Cluster
		}
	}
	if to.Server == "" {
		return nil, fmt.Errorf("context %q leads to no server", f.CurrentContext)
	}
	s := &Server{Admin: User{Name: "admin"}, name: to.ServerName, insecure: to.Insecure}
	var err error
	if s.URL, err = url.Parse(strings.TrimSuffix(to.Server, "/")); err != nil {
		return nil, err
	}
	if s.CA, err = inlineOrFile(to.CAData, to.CAFile, folder); err != nil {
		return nil, err
	}
	for _, u := range f.Users {
		if u.Name != at.User {
			continue
		}
		s.Admin.Token = u.User.Token
		token, err := inlineOrFile("", u.User.TokenFile, folder)
		if err != nil {
			return nil, err
		}
		if token != nil {
			s.Admin.Token = strings.TrimSpace(string(token))
		}
		if s.Admin.Cert, err = inlineOrFile(u.User.CertData, u.User.CertFile, folder); err != nil {
			return nil, err
		}
		if s.Admin.Key, err = inlineOrFile(u.User.KeyData, u.User.KeyFile, folder); err != nil {
			return nil, err
		}
	}
	if s.Admin.Token == "" && s.Admin.Cert == nil {
		return nil, errors.New("its user has neither a token nor a client certificate")
	}
	return s, nil
}

// inlineOrFile decodes base64 data or reads a file; nil when neither is given.
func inlineOrFile(data, file, folder string) ([]byte, error) {
	switch {
	case data != "":
		return base64.StdEncoding.DecodeString(data)
	case file == "":
		return nil, nil
	case !filepath.IsAbs(file):
		file = filepath.Join(folder, file)
	}
	return os.ReadFile(file)
}

// newServiceAccount makes a user without rights on any cluster.
func (s *Server) newServiceAccount(t testing.TB, namespace string) User {
	t.Helper()
	admin := s.Client(t, s.Admin)
	accounts := Collection{Version: "v1", Resource: "serviceaccounts", Namespace: namespace}
	const name = "denied"
	admin.Create(t, accounts, Manifest{
		"apiVersion": "v1", "kind": "ServiceAccount", "metadata": Manifest{"name": name},
	})
	request := Manifest{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
		"spec": Manifest{"expirationSeconds": 3600},
	}
	path := accounts.Object(name) + "/token"
	a, err := admin.Do(t.Context(), http.MethodPost, path, "application/json", request)
	if err != nil || a.Status != http.StatusCreated {
		t.Fatalf("cluster: POST %s: status %d, error %v", path, a.Status, err)
	}
	var token struct{ Status struct{ Token string } }
	if err := json.Unmarshal(a.Body, &token); err != nil {
		t.Fatalf("cluster: POST %s: %v", path, err)
	}
	return User{Name: name, Token: token.Status.Token}
}
