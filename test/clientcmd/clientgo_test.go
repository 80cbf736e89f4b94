package clientcmd

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"example.com/rawwatch/internal/kubecase"
)

// load puts a case through client-go as kubectl does it, flags included, and
// goes on to where a request would be written: what its configuration says is
// not yet what is sent.
func load(t *testing.T, c *kubecase.Case) outcome {
	config, namespace, err := clientConfig(t, c)
	if err != nil {
		return outcome{"error": err.Error()}
	}
	config.NegotiatedSerializer = serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return outcome{"error": err.Error()}
	}
	server := client.Get().AbsPath("/x").URL()
	request, err := http.NewRequest("GET", server.String(), nil)
	if err != nil {
		return outcome{"error": err.Error()}
	}
	o := outcome{
		"server":          c.Show(strings.TrimSuffix(server.String(), "/x")),
		"ca":              source(c, config.CAFile, config.CAData),
		"cert":            source(c, config.CertFile, config.CertData),
		"key":             source(c, config.KeyFile, config.KeyData),
		"tls-server-name": config.ServerName,
		"as-user-extra":   sorted(config.Impersonate.Extra),
	}
	if namespace != "default" {
		o["namespace"] = namespace
	}
	if config.Insecure {
		o["insecure"] = "true"
	}
	if config.DisableCompression {
		o["disable-compression"] = "true"
	}
	if config.Proxy != nil {
		proxy, err := config.Proxy(request)
		require.NoError(t, err)
		if proxy != nil {
			o["proxy"] = proxy.String()
		}
	}
	// The plugin is not run: what would be run is compared.
	if e := config.ExecProvider; e != nil && config.BearerToken == "" && config.Username == "" && o["cert"] == "" {
		o["exec"] = c.Show(plugin(e))
		config.ExecProvider = nil
	}
	header, err := sent(config, request)
	if err != nil {
		return outcome{"error": err.Error()}
	}
	o["authorization"] = header.Get("Authorization")
	o["as"], o["as-uid"] = header.Get("Impersonate-User"), header.Get("Impersonate-Uid")
	o["as-groups"] = strings.Join(header.Values("Impersonate-Group"), ", ")
	for name, value := range o {
		if value == "" {
			delete(o, name)
		}
	}
	return o
}

// clientConfig loads the case with client-go. KUBECONFIG and HOME are the
// case's own; the rest of its environment means nothing to client-go.
func clientConfig(t *testing.T, c *kubecase.Case) (*rest.Config, string, error) {
	t.Setenv("KUBECONFIG", c.Env["KUBECONFIG"])
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	if c.Env["KUBECONFIG"] == "" {
		// client-go asks for HOME once, when the program starts.
		rules.Precedence = nil
		if home := c.Env["HOME"]; home != "" {
			rules.Precedence = []string{filepath.Join(home, ".kube", "config")}
		}
	}
	rules.MigrationRules = nil // the same
	rules.WarnIfAllMissing = false
	var overrides clientcmd.ConfigOverrides
	flags := pflag.NewFlagSet(c.Name, pflag.ContinueOnError)
	clientcmd.BindOverrideFlags(&overrides, flags, clientcmd.RecommendedConfigOverrideFlags(""))
	flags.StringVar(&rules.ExplicitPath, "kubeconfig", "", "")
	flags.Bool("no-exec", false, "") // one of ours
	for _, flag := range c.Flags {
		value := flag.Value
		if value == "" && flags.Lookup(flag.Name).Value.Type() == "bool" {
			value = "true"
		}
		require.NoError(t, flags.Set(flag.Name, value))
	}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &overrides)
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, "", err
	}
	namespace, _, err := loader.Namespace()
	return config, namespace, err
}

// sent returns the headers of request as client-go sends it.
func sent(config *rest.Config, request *http.Request) (http.Header, error) {
	var header http.Header
	wire := roundTripperFunc(func(r *http.Request) (*http.Response, error) {
		header = r.Header
		return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
	})
	wrapped, err := rest.HTTPWrappersForConfig(config, wire)
	if err != nil {
		return nil, err
	}
	if _, err := wrapped.RoundTrip(request); err != nil {
		return nil, err
	}
	return header, nil
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// source is a file, or content in place of one, as the cases name it.
func source(c *kubecase.Case, file string, data []byte) string {
	switch {
	case len(data) == 0:
		return c.Show(file)
	case c.ShowPEM(data) != "":
		return c.ShowPEM(data)
	}
	return fmt.Sprintf("%d bytes", len(data))
}

// plugin is an exec section as the cases write it.
func plugin(e *api.ExecConfig) string {
	args := e.Args
	if args == nil {
		args = []string{}
	}
	env := make([]struct{ Name, Value string }, 0, len(e.Env))
	for _, v := range e.Env {
		env = append(env, struct{ Name, Value string }{v.Name, v.Value})
	}
	return fmt.Sprintf("%s %q %q %s", e.Command, args, env, e.InteractiveMode)
}
