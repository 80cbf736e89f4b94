package kubeconfig

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Options are kubectl's connection flags. The zero value means: the files of
// KUBECONFIG, else ~/.kube/config, else the pod's service account.
type Options struct {
	// Path is the only file to read (--kubeconfig). It has to exist, it is
	// one path and not a list, and there is no fallback from it.
	Path string

	// Context, Cluster and User choose entries by name. Cluster and User
	// replace that part of the context.
	Context, Cluster, User string

	// Namespace replaces the context's. A prefix "ns/" or "namespace/" is
	// dropped.
	Namespace string

	// Server replaces the chosen cluster's server, and clears its
	// tls-server-name. With it no file is needed.
	Server string
	// CertificateAuthority is a file. It replaces the cluster's CA and clears
	// its insecure-skip-tls-verify.
	CertificateAuthority string
	TLSServerName        string
	// InsecureSkipTLSVerify also clears the cluster's CA.
	InsecureSkipTLSVerify bool

	// Token is a bearer token. It replaces every other way in which the
	// chosen user would prove who it is.
	Token string `json:"-"`
	// ClientCertificate and ClientKey are files.
	ClientCertificate, ClientKey string

	// As, AsUID and AsGroups ask the server to treat us as another user. As
	// replaces all the as fields of the chosen user.
	As       string
	AsUID    string
	AsGroups []string

	// RequestTimeout limits each request that is not a watch, its body
	// included. 0 means no limit.
	RequestTimeout time.Duration
	// UserAgent is for requests that bring none. "" is "rawwatch (os/arch)".
	UserAgent string

	// NoExec refuses to run exec plugins: a user that needs one is an error.
	// It is for files that come from elsewhere, since a plugin is any program
	// that the file names.
	NoExec bool
	// StdinUnavailable says why exec plugins may not read from standard input
	// ("it is the list of objects to watch"). "" means that they may, if it
	// is a terminal.
	StdinUnavailable string
	// Stderr is where exec plugins write their messages, from goroutines of
	// their own; nil is os.Stderr.
	Stderr io.Writer
}

// String keeps the token out of whatever is printed.
func (o Options) String() string {
	if o.Token != "" {
		o.Token = "hidden"
	}
	type withoutMethods Options
	return fmt.Sprintf("%+v", withoutMethods(o))
}

// GoString is String for %#v.
func (o Options) GoString() string { return o.String() }

// checkPaths reports options that hold the content of a file in place of its
// path.
func (o *Options) checkPaths(report *report) {
	for _, option := range []struct{ name, value string }{
		{"Options.CertificateAuthority", o.CertificateAuthority},
		{"Options.ClientCertificate", o.ClientCertificate},
		{"Options.ClientKey", o.ClientKey},
	} {
		if wrong := notAPath(option.value); wrong != "" {
			report.fail(&Error{Field: option.name, Err: errors.New(wrong)})
		}
	}
}

// ParseTimeout reads a timeout as kubectl's --request-timeout takes it: a
// duration such as "30s", or a whole number of seconds.
func ParseTimeout(s string) (time.Duration, error) {
	if n, err := strconv.ParseInt(s, 10, 32); err == nil && n >= 0 {
		return time.Duration(n) * time.Second, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("kubeconfig: invalid timeout %q: use seconds (30) or a duration (1m30s)", s)
	}
	return d, nil
}
