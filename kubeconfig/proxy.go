package kubeconfig

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxyFor returns how the proxy for a request is chosen. A proxy-url is used
// for everything: the proxy variables of the environment and NO_PROXY do not
// count then. Without one they do; NO_PROXY may hold CIDR ranges.
func proxyFor(proxyURL string) (func(*http.Request) (*url.URL, error), error) {
	if proxyURL == "" {
		fromEnvironment := httpproxy.FromEnvironment().ProxyFunc()
		return func(r *http.Request) (*url.URL, error) { return fromEnvironment(r.URL) }, nil
	}
	u, err := url.Parse(strings.TrimSpace(proxyURL))
	if err != nil {
		var reason *url.Error
		if errors.As(err, &reason) {
			err = withoutURL(reason.Err)
		}
		return nil, err
	}
	// Refused, and not tried directly: where a proxy is configured a direct
	// connection hangs, or goes where it was not meant to go. socks5h is not
	// among them, in client-go neither, and socks5 does what it says: names
	// are resolved at the proxy.
	switch u.Scheme {
	case "http", "https", "socks5":
	default:
		return nil, errors.New("unsupported scheme: use http://, https:// or socks5://")
	}
	if u.Hostname() == "" {
		return nil, errors.New("the host is missing")
	}
	return http.ProxyURL(u), nil
}
