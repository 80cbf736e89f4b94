package kubeconfig

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"time"

	"example.com/rawwatch/kubeconfig/internal/limited"
	"example.com/rawwatch/kubeconfig/transport"
)

// A Detail is a part of a configuration, for people who ask which server a
// command would talk to, as whom, and why that one.
type Detail struct {
	Name  string // "server", "context", "credentials", …
	Value string
	// From is where it was set: a file with a line, "Options.Context",
	// "HTTPS_PROXY"; "" if it goes without saying.
	From string
	// Odd is what may be wrong with it, "" if nothing is. What Load noticed by
	// itself is in Config.Warnings.
	Odd string
}

// Details explains the configuration. It reads the files of client certificates
// and looks for the command of a plugin, and neither runs that nor makes a
// request. Nothing in it is secret. A Config that is not from Load has none.
func (c *Config) Details() []Detail {
	if c.plan == nil {
		return nil
	}
	p := c.plan
	details := []Detail{
		{Name: "files", Value: cmp.Or(strings.Join(p.files, ", "), "none"), From: p.filesFrom},
		{Name: "context", Value: cmp.Or(c.Context, "none"), From: p.contextFrom},
		{Name: "cluster", Value: cmp.Or(c.Cluster, "none"), From: p.from(p.cluster.place, "Cluster", p.options.Cluster)},
		{Name: "server", Value: c.Server.String(), From: p.from(p.cluster.place, "Server", p.options.Server)},
		p.tlsDetail(),
		p.proxyDetail(),
		{Name: "user", Value: cmp.Or(c.User, "none"), From: p.from(p.user.place, "User", p.options.User)},
		p.credentialsDetail(),
	}
	if as := p.user.impersonate.User; as != "" {
		details = append(details, Detail{Name: "acting as", Value: as, From: p.from(p.user.place, "As", p.options.As)})
	}
	return append(details, p.namespaceDetail())
}

// from is the option if it is set, else the place.
func (p *plan) from(at place, option, value string) string {
	switch {
	case value != "":
		return "Options." + option
	case at.file != "":
		return fmt.Sprintf("%s:%d", at.file, at.line)
	case at.entry == "Options":
		return ""
	}
	return at.entry
}

func (p *plan) tlsDetail() Detail {
	t, o := p.transport.TLS, p.options
	d := Detail{Name: "TLS", From: p.from(p.cluster.place, "CertificateAuthority", o.CertificateAuthority)}
	switch {
	case p.config.Server.Scheme == "http":
		return Detail{Name: "TLS", Value: "none: plain http", Odd: "everything on the way to the server can be read and changed"}
	case t.Insecure:
		d.Value = "the server's certificate is not checked"
		d.Odd = "insecure-skip-tls-verify: whoever answers at that address gets the credentials"
		if o.InsecureSkipTLSVerify {
			d.From = "Options.InsecureSkipTLSVerify"
		}
	case t.CA.File != "":
		d.Value = "the server's certificate is checked against " + t.CA.File
	case len(t.CA.Data) > 0:
		d.Value = "the server's certificate is checked against certificate-authority-data"
	default:
		d.Value, d.From = "the server's certificate is checked against the system's roots", ""
	}
	if t.ServerName != "" && !t.Insecure {
		d.Value += ", for the name " + t.ServerName
	}
	return d
}

func (p *plan) proxyDetail() Detail {
	d := Detail{Name: "proxy", Value: "none"}
	proxy, err := p.transport.Proxy(&http.Request{URL: p.config.Server})
	switch {
	case err != nil:
		d.Odd = "the proxy variables of the environment cannot be read, and each request will fail"
		return d
	case proxy == nil:
		return d
	}
	d.Value = proxy.Scheme + "://" + proxy.Host // without the password
	if p.cluster.proxyURL != "" {
		d.From = p.from(p.cluster.place, "", "")
		return d
	}
	d.From = strings.ToUpper(p.config.Server.Scheme) + "_PROXY of the environment"
	return d
}

// credentialsDetail names what we show to the server.
func (p *plan) credentialsDetail() Detail {
	u, o := p.user, p.options
	d := Detail{Name: "credentials", Value: p.config.Credentials, From: p.from(u.place, "Token", o.Token)}
	if p.transport.Credential == nil {
		d.From = ""
		if p.config.Server.Scheme == "https" {
			d.Odd = "there are no credentials: most servers answer an anonymous user with 401 or 403"
		}
		return d
	}
	switch {
	case u.tokenFile != "":
		d.Value += " " + u.tokenFile
	case u.exec != nil:
		d.Value += " " + u.exec.config.Name()
		if _, err := exec.LookPath(u.exec.config.Command); err != nil {
			d.Odd = "the exec plugin cannot be run: there is no executable " + u.exec.config.Name()
		}
	}
	if u.cert.File != "" {
		d.Value += " " + u.cert.File
		if o.ClientCertificate != "" {
			d.From = "Options.ClientCertificate"
		}
	}
	switch end, now := certificateEnd(u.cert), time.Now(); {
	case end.IsZero():
	case end.Before(now):
		d.Odd = "the client certificate expired on " + end.UTC().Format(time.DateTime) + " UTC"
		fallthrough
	default:
		d.Value += ", until " + end.UTC().Format(time.DateTime) + " UTC"
	}
	return d
}

// certificateEnd is when a client certificate ends, zero if that is not known.
func certificateEnd(source transport.Source) time.Time {
	content := source.Data
	if len(content) == 0 && source.File != "" {
		content, _ = limited.ReadFile(source.File, maxFile)
	}
	block, _ := pem.Decode(content)
	if block == nil {
		return time.Time{}
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return time.Time{}
	}
	return cert.NotAfter
}

func (p *plan) namespaceDetail() Detail {
	d := Detail{Name: "namespace", Value: p.config.Namespace, From: p.namespaceFrom}
	valid := func(r rune) bool { return r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' }
	if len(d.Value) > 63 || strings.ContainsFunc(d.Value, func(r rune) bool { return !valid(r) }) || slices.Contains([]byte{d.Value[0], d.Value[len(d.Value)-1]}, '-') {
		d.Odd = "no namespace can have that name: it is made of lower-case letters, digits and dashes"
	}
	return d
}
