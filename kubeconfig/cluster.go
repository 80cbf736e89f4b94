package kubeconfig

import (
	"errors"

	"go.yaml.in/yaml/v3"

	"example.com/rawwatch/kubeconfig/transport"
)

var clusterKeys = []string{
	"server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority",
	"certificate-authority-data", "proxy-url", "disable-compression", "extensions",
}

// cluster is a decoded cluster entry, or one made of flags or of the pod's
// environment: where the server is, and how we know that it is the right one.
type cluster struct {
	place
	server             string // as it is in the file, until plan.url has read it
	tls                transport.TLS
	proxyURL           string
	disableCompression bool
	// execConfig is the extension that exec plugins get as their
	// cluster's configuration.
	execConfig *yaml.Node
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
	// Extensions are other programs' data, in whatever form they like. One of
	// them is for the user's exec plugin.
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
// the content itself. The format's documentation lets the content win if both
// are there; client-go refuses that, and so do we: they may differ.
func (s section) source(p place, key string) transport.Source {
	source := transport.Source{File: s.filePath(p, key), Data: s.data(key + "-data")}
	if source.File != "" && len(source.Data) > 0 {
		s.fail(key, s.get(key), errors.New("specified together with "+key+"-data"), "remove one of the two")
	}
	return source
}

// override applies the flags. One that is set also clears what would
// contradict it. One that is not set changes nothing: there is no way to say
// "no CA" by a flag, other than asking for no verification.
func (c *cluster) override(o Options) {
	if o.Server != "" {
		// The name belonged to the server that is replaced.
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
