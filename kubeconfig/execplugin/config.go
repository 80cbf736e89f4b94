package execplugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	group        = "client.authentication.k8s.io/"
	versionV1    = group + "v1"
	versionBeta  = group + "v1beta1"
	versionAlpha = group + "v1alpha1" // gone since Kubernetes 1.24
)

// Config is the exec section of a kubeconfig user, and what its surroundings
// add to it. Where the versions of the API differ, v1 is the stricter one.
type Config struct {
	APIVersion string     // client.authentication.k8s.io/v1 or /v1beta1
	Command    string     // a path, or a name to look up in PATH
	Args       []string   `json:"-"` // secrets are kept in both
	Env        []Variable `json:"-"` // added to our own environment; later ones win
	// InteractiveMode is Never, IfAvailable or Always: whether the command
	// gets our standard input. v1 has no default; that of v1beta1 is
	// IfAvailable.
	InteractiveMode string
	// InstallHint is shown if the command does not exist. It comes from a file
	// that somebody else may have written, and is escaped when it is shown.
	InstallHint string

	// Cluster is told to the command if it is not nil. In the file this is
	// provideClusterInfo; it is not the default because the CA and a
	// configuration of any size go into one environment variable.
	Cluster *Cluster
	// StdinUnavailable says why the command may not read our standard input,
	// "" if it may.
	StdinUnavailable string
	// Stderr is where the command's messages go; nil is os.Stderr.
	Stderr io.Writer
	// ToJSON converts output that is not JSON; nil: it has to be JSON. It is how
	// YAML is read without linking a parser here.
	ToJSON func(output []byte) ([]byte, error)
	// Timeout limits one run; 0 is DefaultTimeout.
	Timeout time.Duration
}

// DefaultTimeout leaves somebody the time to log in with a browser and a
// second factor: the plugins that open one wait for three minutes themselves.
// Those that ask a cloud's API are done in seconds.
const DefaultTimeout = 3 * time.Minute

// Variable is a variable of the command's environment.
type Variable struct {
	Name  string
	Value string `json:"-"`
}

// String keeps the value out of whatever is printed.
func (v Variable) String() string { return v.Name + "=(hidden)" }

// GoString is String for %#v.
func (v Variable) GoString() string { return v.String() }

// String names the command, and shows nothing else of the configuration:
// secrets are passed to plugins in arguments and in variables.
func (c Config) String() string { return "execplugin.Config{" + c.Name() + "}" }

// GoString is String for %#v.
func (c Config) GoString() string { return c.String() }

// Cluster is what a command is told about the server. The names on the wire
// are those of Kubernetes' clientauthentication API, which are in turn those of
// kubeconfig files.
type Cluster struct {
	Server                   string          `json:"server"`
	TLSServerName            string          `json:"tls-server-name,omitempty"`
	InsecureSkipTLSVerify    bool            `json:"insecure-skip-tls-verify,omitempty"`
	CertificateAuthorityData []byte          `json:"certificate-authority-data,omitempty"`
	ProxyURL                 string          `json:"proxy-url,omitempty"`
	DisableCompression       bool            `json:"disable-compression,omitempty"`
	Config                   json.RawMessage `json:"config,omitempty"`
}

// String is the server; what else there is may be secret.
func (c Cluster) String() string { return "execplugin.Cluster{" + c.Server + "}" }

// GoString is String for %#v.
func (c Cluster) GoString() string { return c.String() }

// Check returns all that is wrong with the configuration, joined. The texts
// name fields, and hold no value but versions and modes. Their wording is that
// of client-go.
func (c *Config) Check() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	switch c.APIVersion {
	case versionV1, versionBeta:
	case "":
		fail("apiVersion must be specified to use exec authentication plugin")
	case versionAlpha:
		fail("exec plugin: invalid apiVersion %q: it was removed; update the plugin and the file (for EKS: aws eks update-kubeconfig)", c.APIVersion)
	default:
		fail("exec plugin: invalid apiVersion %q: only v1 and v1beta1 of client.authentication.k8s.io are supported", c.APIVersion)
	}
	if c.Command == "" {
		fail("command must be specified to use exec authentication plugin")
	}
	for i, v := range c.Env {
		if v.Name == "" {
			fail("env item %d: name must be specified to use exec authentication plugin", i)
		}
	}
	switch c.InteractiveMode {
	case "Never", "IfAvailable", "Always":
	case "":
		if c.APIVersion == versionV1 {
			fail("interactiveMode must be specified to use exec authentication plugin: Never, IfAvailable or Always")
		}
	default:
		fail("invalid interactiveMode %q: must be Never, IfAvailable or Always", c.InteractiveMode)
	}
	return errors.Join(errs...)
}
