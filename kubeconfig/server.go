package kubeconfig

import (
	"errors"
	"net/url"
	"strings"
)

// parseServer reads an API server's address. warn is called with what was
// dropped or assumed. No message quotes the address: it may have a password
// in it, and url.Parse quotes all of it.
func parseServer(text string, warn func(string)) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		// client-go takes http here, and then sends no credentials, which
		// ends in a 403 for system:anonymous.
		warn("the server has no scheme: https is used")
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		var reason *url.Error
		if errors.As(err, &reason) {
			err = withoutURL(reason.Err)
		}
		return nil, err
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the scheme has to be https or http")
	case u.User != nil:
		return nil, errors.New("a user name or password in the URL is not supported: give the user an entry of its own")
	case u.Hostname() == "":
		return nil, errors.New("the host is missing")
	// Not all that url.Parse lets through is an address one can dial.
	case strings.Contains(u.Hostname(), ":") && !strings.HasPrefix(u.Host, "["):
		return nil, errors.New("an IPv6 address has to be in brackets: https://[fd00::1]:6443")
	}
	if u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
		warn("the query and fragment of the server's URL are ignored")
	}
	// Only what requests are built on is kept. A slash at the end would be
	// doubled by the path that follows it, and some proxies in front of API
	// servers answer a double slash with a redirect.
	server := &url.URL{Scheme: u.Scheme, Host: u.Host}
	server.Path = strings.TrimRight(u.Path, "/")
	if u.RawPath != "" {
		server.RawPath = strings.TrimRight(u.RawPath, "/")
	}
	return server, nil
}

// withoutURL reduces an error of url.Parse to its kind. Even the reason inside
// of a *url.Error has a piece of the input in it.
func withoutURL(err error) error {
	var escape url.EscapeError
	var host url.InvalidHostError
	switch {
	case errors.As(err, &escape):
		return errors.New("invalid URL: a % is not followed by two hexadecimal digits")
	case errors.As(err, &host):
		return errors.New("invalid URL: the host name has a character that is not allowed")
	case strings.Contains(err.Error(), "port"):
		return errors.New("invalid URL: the port is not a number, or an IPv6 address is not in brackets")
	}
	return errors.New("invalid URL: write it as https://HOST:PORT")
}
