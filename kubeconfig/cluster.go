package kubeconfig

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"example.com/rawwatch/kubeconfig/transport"
)

var clusterKeys = []string{
	"server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority",
	"certificate-authority-data", "proxy-url", "disable-compression", "extensions",
}

// cluster is a decoded cluster entry, or one made of flags or of the pod's
// environment.
type cluster struct {
	place
	server             string
	tls                transport.TLS // without our own certificate
	proxyURL           string
	disableCompression bool
	// execConfig is the extension that exec plugins get as their
	// cluster's configuration.
	execConfig *yaml.Node
}

// place is where an entry stands, for messages, and what its relative paths
// are relative to.
type place struct {
	file, entry, name string
	line              int
}

func (e *entry) place() place {
	return place{file: e.file, line: e.node.Line, entry: e.String(), name: e.name}
}

// String is the place as warnings name it.
func (p place) String() string { return strings.TrimSuffix(p.error("", nil).location(), ": ") }

func (p place) error(field string, err error) *Error {
	return &Error{File: p.file, Line: p.line, Entry: p.entry, Field: field, Err: err}
}

// decodeCluster reads the chosen cluster.
func decodeCluster(e *entry, report *report) *cluster {
	s := e.content(report, clusterKeys)
	c := &cluster{
		place:              e.place(),
		server:             s.str("server"),
		proxyURL:           s.str("proxy-url"),
		disableCompression: s.flag("disable-compression"),
		tls: transport.TLS{
			ServerName: s.str("tls-server-name"),
			Insecure:   s.flag("insecure-skip-tls-verify"),
			CA:         s.source(e.place(), "certificate-authority"),
		},
	}
	for _, item := range s.items("extensions") {
		item = resolve(item)
		if item.Kind != yaml.MappingNode {
			continue
		}
		x := section{file: s.file, entry: s.entry, node: item, report: report}
		if n := x.get("name"); n != nil && n.Value == "client.authentication.k8s.io/exec" {
			c.execConfig = x.get("extension")
		}
	}
	return c
}

// source reads a pair of fields of which one names a file and the other holds
// the content itself.
func (s section) source(p place, key string) transport.Source {
	source := transport.Source{File: s.filePath(p, key), Data: s.data(key + "-data")}
	if source.File != "" && len(source.Data) > 0 {
		s.fail(key, s.get(key), errors.New("specified together with "+key+"-data"), "remove one of the two")
	}
	return source
}

// override applies the flags. One that is set also clears what would
// contradict it.
func (c *cluster) override(o Options) {
	if o.Server != "" {
		c.server, c.tls.ServerName = o.Server, ""
	}
	if o.TLSServerName != "" {
		c.tls.ServerName = o.TLSServerName
	}
	if o.InsecureSkipTLSVerify {
		c.tls.Insecure, c.tls.CA, c.tls.SystemRootsWithoutCA = true, transport.Source{}, false
	}
	if o.CertificateAuthority != "" {
		c.tls.CA, c.tls.SystemRootsWithoutCA = transport.Source{File: absolute(o.CertificateAuthority)}, false
		c.tls.Insecure = o.InsecureSkipTLSVerify
	}
}
