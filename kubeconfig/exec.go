package kubeconfig

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"example.com/rawwatch/kubeconfig/execplugin"
	"example.com/rawwatch/kubeconfig/internal/limited"
	"example.com/rawwatch/kubeconfig/transport"
)

var pluginKeys = []string{"apiVersion", "command", "args", "env", "interactiveMode", "installHint", "provideClusterInfo"}

// plugin is a decoded exec section. Package execplugin says what its fields
// mean; this file only reads them.
type plugin struct {
	place
	config      execplugin.Config
	clusterInfo bool
}

// decodePlugin reads the section s of the user at a place.
func decodePlugin(s section, at place) *plugin {
	p := &plugin{
		place: at,
		config: execplugin.Config{
			APIVersion:      s.str("apiVersion"),
			Command:         commandPath(s.str("command"), at),
			Args:            s.strs("args"),
			InteractiveMode: s.str("interactiveMode"),
			InstallHint:     s.str("installHint"),
		},
		clusterInfo: s.flag("provideClusterInfo"),
	}
	for i, item := range s.items("env") {
		v := s
		v.path = fmt.Sprintf("%senv[%d].", s.path, i)
		v = v.open(item, []string{"name", "value"})
		p.config.Env = append(p.config.Env, execplugin.Variable{Name: v.str("name"), Value: v.str("value")})
	}
	return p
}

// commandPath makes a path relative to the file that has it. A bare name stays
// one, and is looked up in PATH. (client-go looks for a backslash alone on
// Windows, and so finds ./plugin in the working directory there.)
func commandPath(command string, at place) string {
	separators := "/"
	if runtime.GOOS == "windows" {
		separators = `/\`
	}
	if !strings.ContainsAny(command, separators) {
		return command
	}
	return at.path(filepath.FromSlash(command))
}

// check reports all that is wrong with the section.
func (p *plugin) check(report *report) {
	if err := p.config.Check(); err != nil {
		for _, err := range flatten(err) {
			report.fail(p.error("exec", err))
		}
	}
}

// credential makes the plugin, with what it is to be told about the cluster.
func (p *plugin) credential(target *cluster, o Options) (transport.Credential, error) {
	if o.NoExec {
		return nil, fmt.Errorf("the exec plugin %q must not be run: Options.NoExec is set", p.config.Name())
	}
	config := p.config
	config.StdinUnavailable = o.StdinUnavailable
	config.Stderr = o.Stderr
	config.ToJSON = yamlToJSON
	if p.clusterInfo {
		info, err := target.forPlugin()
		if err != nil {
			return nil, err
		}
		config.Cluster = info
	}
	return execplugin.New(config)
}

// forPlugin describes the cluster to a plugin, which may have to talk to it or
// to choose among several identities. It gets the CA's content, not its path:
// that is how Kubernetes' ExecCredential is defined.
func (c *cluster) forPlugin() (*execplugin.Cluster, error) {
	info := &execplugin.Cluster{
		Server:                   c.server,
		TLSServerName:            c.tls.ServerName,
		InsecureSkipTLSVerify:    c.tls.Insecure,
		CertificateAuthorityData: c.tls.CA.Data,
		ProxyURL:                 c.proxyURL,
		DisableCompression:       c.disableCompression,
	}
	if len(info.CertificateAuthorityData) == 0 && c.tls.CA.File != "" {
		content, err := limited.ReadFile(c.tls.CA.File, maxFile)
		if err != nil {
			return nil, err
		}
		info.CertificateAuthorityData = content
	}
	if c.execConfig != nil {
		config, err := toJSON(c.execConfig)
		if err != nil {
			return nil, errors.New("the extension client.authentication.k8s.io/exec of the cluster cannot be written as JSON: " + err.Error())
		}
		info.Config = config
	}
	return info, nil
}
