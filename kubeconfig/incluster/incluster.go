package incluster

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"example.com/rawwatch/kubeconfig/internal/limited"
	"example.com/rawwatch/kubeconfig/transport"
)

// Dir is where the kubelet puts a pod's service account.
const Dir = "/var/run/secrets/kubernetes.io/serviceaccount"

// ErrNotInCluster says that this process has no in-cluster configuration:
// KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set.
var ErrNotInCluster = errors.New("incluster: not running in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be set")

// Config is what a watch needs to know.
type Config struct {
	Server    *url.URL
	Client    *http.Client
	Namespace string   // the pod's own, "default" if it cannot be found out
	Warnings  []string // one line each
}

// Load returns the configuration of the pod we run in. Its errors are
// ErrNotInCluster, or say what is missing of the service account.
func Load() (*Config, error) {
	return Account{}.Load()
}

// An Account is a service account as a pod sees it. The zero value is the
// usual one.
type Account struct {
	// Dir is the directory of the files token, ca.crt and namespace.
	// "" is the constant Dir.
	Dir string
	// Getenv is os.Getenv if nil.
	Getenv func(string) string
	// UserAgent is that of transport.Config.
	UserAgent string
}

func (a Account) path(name string) string {
	dir := a.Dir
	if dir == "" {
		dir = Dir
	}
	return filepath.Join(dir, name)
}

func (a Account) getenv(name string) string {
	if a.Getenv != nil {
		return a.Getenv(name)
	}
	return os.Getenv(name)
}

// TokenFile returns where the token is.
func (a Account) TokenFile() string { return a.path("token") }

// CAFile returns where the roots are that the API server is checked against.
func (a Account) CAFile() string { return a.path("ca.crt") }

// Possible reports whether Load has a chance: the variables are set, and there
// is a token.
func (a Account) Possible() bool {
	if _, err := a.Server(); err != nil {
		return false
	}
	info, err := os.Stat(a.TokenFile())
	return err == nil && !info.IsDir()
}

// Server returns the API server's URL, or ErrNotInCluster.
func (a Account) Server() (*url.URL, error) {
	host, port := a.getenv("KUBERNETES_SERVICE_HOST"), a.getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, ErrNotInCluster
	}
	// In an IPv6 cluster the host is a bare address. JoinHostPort puts the
	// brackets on; some set the variable by hand and have them already.
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, fmt.Errorf("incluster: KUBERNETES_SERVICE_PORT %q is not a port number", port)
	}
	server := &url.URL{Scheme: "https", Host: net.JoinHostPort(host, port)}
	if _, err := url.Parse(server.String()); err != nil || strings.ContainsAny(host, "/?#@ ") {
		return nil, fmt.Errorf("incluster: KUBERNETES_SERVICE_HOST %q is not a host name or an address", host)
	}
	return server, nil
}

// Namespace returns the pod's namespace: POD_NAMESPACE if that is set, else
// what the service account's file says, else "".
func (a Account) Namespace() string {
	if ns := strings.TrimSpace(a.getenv("POD_NAMESPACE")); ns != "" {
		return ns
	}
	const longest = 253 // of any Kubernetes name, plus room for white space
	content, err := limited.ReadFile(a.path("namespace"), longest+64)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

// Load is like the function Load, for this account.
func (a Account) Load() (*Config, error) {
	server, err := a.Server()
	if err != nil {
		return nil, err
	}
	credential, err := transport.TokenFile(a.TokenFile(), "")
	if err != nil {
		return nil, fmt.Errorf("incluster: service account token: %w", err)
	}
	config := &Config{Server: server, Namespace: a.Namespace()}
	if config.Namespace == "" {
		config.Namespace = "default"
	}
	trust, warning := a.Trust()
	if warning != "" {
		config.Warnings = append(config.Warnings, warning)
	}
	config.Client, err = transport.NewClient(transport.Config{
		Server:     server,
		TLS:        trust,
		Credential: credential,
		Proxy:      http.ProxyFromEnvironment,
		UserAgent:  a.UserAgent,
	})
	if err != nil {
		return nil, fmt.Errorf("incluster: %w", err)
	}
	return config, nil
}

// Trust returns how the API server is checked, and a warning if the service
// account's roots cannot be read. The operating system's are used then, as
// client-go does, until they can: a few managed clusters have a public
// certificate, and for all others the check fails.
func (a Account) Trust() (transport.TLS, string) {
	trust := transport.TLS{
		CA:                   transport.Source{File: a.CAFile()},
		SystemRootsWithoutCA: true,
	}
	if err := trust.Check(); err != nil {
		return trust, fmt.Sprintf("the operating system's root certificates are used: %v", err)
	}
	return trust, ""
}
