package kubeconfig

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"example.com/rawwatch/kubeconfig/incluster"
	"example.com/rawwatch/kubeconfig/internal/limited"
	"example.com/rawwatch/kubeconfig/transport"
)

// The way through this file, from top to bottom:
//
//	Load      the plan, then the client
//	  plan      everything that can be known without a client
//	    entries   which cluster, which user: decoded, still as the file has them
//	    override  flags
//	    check     contradictions, and settings without effect
//	    url       the address
//
// Errors are collected in a report on the way and looked at where going on
// would make no sense, so that somebody with three faults in a file is told of
// three.

// Config is what a client needs to know.
type Config struct {
	// Server is the API server's URL: scheme, host, and the path in front of
	// every request's own, without a slash at its end.
	Server *url.URL
	// Client has the credentials in it and is for Server only. It has no
	// Timeout and follows no redirects.
	Client *http.Client
	// Namespace is the one to use when none is asked for. It is never empty.
	Namespace string
	// Context, Cluster and User are the names of the chosen entries, "" where
	// there is none.
	Context, Cluster, User string
	// Credentials is for people: "token", "token file", "client certificate",
	// "exec plugin", "basic", "anonymous", or "client certificate and …".
	Credentials string
	// Warnings are things that work, but may not be what was meant; one line
	// each.
	Warnings []string

	plan *plan // for Details
}

// Load finds the configuration, reads it, and makes a client for it. No
// request is made, and no plugin is run.
//
// Its errors are of type *Error, or hold several of them (errors.As finds the
// first), and name the file, the entry and the field at fault. One that
// matches ErrNoConfiguration says that there is nothing that configures a
// server.
func Load(o Options) (*Config, error) {
	return new(loader).load(o)
}

// loader is where the environment comes in. The zero value uses the real one;
// tests replace it, which is why nothing else here calls os.Getenv.
type loader struct {
	env        func(string) string
	read       func(path string) ([]byte, error) // of kubeconfig files only
	accountDir string                            // of the pod's service account
}

func (l *loader) readFile(path string) ([]byte, error) {
	if l.read != nil {
		return l.read(path)
	}
	return limited.ReadFile(path, maxFile)
}

func (l *loader) getenv(name string) string {
	if l.env != nil {
		return l.env(name)
	}
	return os.Getenv(name)
}

func (l *loader) account() incluster.Account {
	return incluster.Account{Dir: l.accountDir, Getenv: l.getenv}
}

func (l *loader) load(o Options) (*Config, error) {
	plan, err := l.plan(o)
	if err != nil {
		return nil, err
	}
	client, err := transport.NewClient(plan.transport)
	if err != nil {
		return nil, plan.located(err)
	}
	plan.config.Client, plan.config.plan = client, plan
	return &plan.config, nil
}

// plan is all that is known before a client is made.
type plan struct {
	config    Config // without Client
	options   Options
	inPod     bool // the service account's, not a file's
	cluster   *cluster
	user      *user
	transport transport.Config

	// For Details: the files that were read, and where things come from.
	files                                 []string
	filesFrom, contextFrom, namespaceFrom string
}

// plan does everything but making the client.
func (l *loader) plan(o Options) (*plan, error) {
	report := new(report)
	o.checkPaths(report)
	p, err := l.entries(o, report)
	if err != nil {
		return nil, err
	}
	p.cluster.override(o)
	p.user.override(o, report)
	p.user.check(report)
	p.config.Server = p.url(report)
	proxy, err := proxyFor(p.cluster.proxyURL)
	if err != nil {
		report.fail(p.cluster.error("proxy-url", err))
	}
	impersonate, err := p.user.impersonate.Header()
	if err != nil {
		report.fail(p.locate("as", errors.Unwrap(err)))
	}
	if err := report.err(); err != nil {
		return nil, err
	}

	p.transport = transport.Config{
		Server:             p.config.Server,
		Impersonate:        impersonate,
		Proxy:              proxy,
		DisableCompression: p.cluster.disableCompression,
		UserAgent:          o.UserAgent,
		RequestTimeout:     o.RequestTimeout,
	}
	// Over plain http the credentials would be there for anybody to read, so
	// they are not even looked up: a token file that is missing, or a plugin
	// that is not installed, does not matter then.
	if p.config.Server.Scheme == "http" {
		p.config.Credentials = "anonymous"
		if p.user.identified() {
			report.warn("the credentials are not sent: the server is reached by plain http (%s)", p.config.Server.Host)
		}
	} else {
		p.transport.TLS = p.cluster.tls
		credential, kind, err := p.user.credential(p.cluster, o)
		if err != nil {
			return nil, p.located(err)
		}
		p.transport.Credential, p.config.Credentials = credential, kind
	}
	p.config.Warnings = report.warnings
	return p, nil
}

// entries finds and decodes the cluster and the user, of files or of the pod.
func (l *loader) entries(o Options, report *report) (*plan, error) {
	files, origin := l.candidates(o.Path)
	documents, missing := l.readAll(files, origin, report)
	catalog := merge(documents, report)
	if err := report.err(); err != nil {
		return nil, err
	}
	chosen := catalog.choose(o, report)
	if err := report.explained(); err != nil {
		return nil, err
	}

	// What is not in a file is made of options, and says so in messages.
	options := place{entry: "Options"}
	p := &plan{options: o, cluster: &cluster{place: options}, user: &user{place: options}}
	p.config.Context = chosen.context
	p.config.Namespace = chosen.namespace
	p.filesFrom, p.contextFrom = origin, chosen.from
	for _, d := range documents {
		p.files = append(p.files, d.file)
	}
	switch {
	case chosen.cluster != nil:
		p.cluster = decodeCluster(chosen.cluster, report)
		p.config.Cluster = chosen.cluster.name
	case o.Server != "":
		// Flags alone are enough. In a pod too: its token must not go to a
		// server that was named by hand.
	case o.Path == "" && l.account().Possible():
		if err := p.useAccount(l.account(), report); err != nil {
			return nil, err
		}
	default:
		report.fail(catalog.noConfiguration(chosen, origin, files, missing))
		return nil, report.explained()
	}
	if chosen.user != nil && !p.inPod {
		p.user = decodeUser(chosen.user, report)
		p.config.User = chosen.user.name
	}
	p.config.Namespace, p.namespaceFrom = l.namespace(o.Namespace, p.config.Namespace, chosen)
	return p, nil
}

// url returns the server's address, and brings the cluster's own into the same
// form.
func (p *plan) url(report *report) *url.URL {
	c := p.cluster
	if strings.TrimSpace(c.server) == "" {
		report.fail(c.error("server", fmt.Errorf("no server found for cluster %q", c.name)))
		return nil
	}
	server, err := parseServer(c.server, func(text string) { report.warn("%s", p.locate("server", errors.New(text)).detail()) })
	if err != nil {
		report.fail(p.locate("server", err))
		return nil
	}
	c.server = server.String()
	return server
}

// useAccount makes the pod's service account the cluster and the user. The
// context stays: files that set only a namespace are a way to use it.
func (p *plan) useAccount(account incluster.Account, report *report) error {
	server, err := account.Server()
	if err != nil {
		return &Error{Entry: "in-cluster configuration", Err: err}
	}
	trust, warning := account.Trust()
	if warning != "" {
		report.warn("%s", warning)
	}
	p.inPod = true
	p.cluster = &cluster{place: place{entry: "in-cluster configuration"}, server: server.String(), tls: trust}
	p.user = &user{place: place{entry: "in-cluster configuration"}, tokenFile: account.TokenFile()}
	return nil
}

// namespace chooses among the option, the context and, in a pod, the pod's own:
// also if the server comes from a file there, as kubectl does it.
func (l *loader) namespace(option, context string, chosen choice) (namespace, from string) {
	if ns := namespaceOption(option); ns != "" {
		return ns, "Options.Namespace"
	}
	if context != "" {
		return context, chosen.at.String()
	}
	if account := l.account(); account.Possible() {
		if ns := account.Namespace(); ns != "" {
			return ns, "the pod"
		}
	}
	return "default", ""
}
