package replay

import (
	"bytes"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// echoesIn are the secrets that an answer may repeat.
func echoesIn(req *http.Request, resp *http.Response) [][]byte {
	// The request of an answer is the one that was sent: a RoundTripper below
	// the Recorder may have put the credentials on.
	all := credentials(req, resp.Request)
	if location := resp.Header.Get("Location"); len(location) > len(redacted) {
		// The page that comes with a redirect has a link to it. It is first:
		// there may be one of the others in it.
		all = append([][]byte{[]byte(html.EscapeString(location)), []byte(location)}, all...)
	}
	return all
}

// withoutEchoes is b without the credentials of the request: login gateways and
// debugging proxies show what they refused. What takes their place has another
// length than any of them.
func (e *recorded) withoutEchoes(b []byte) []byte {
	for _, secret := range e.echoes {
		if bytes.Contains(b, secret) {
			b = bytes.ReplaceAll(b, secret, []byte(redacted))
		}
	}
	return b
}

// withoutTornEcho is b without the beginning of a credential at its end: the
// answer broke off in the middle of it.
func (e *recorded) withoutTornEcho(b []byte) []byte {
	for _, secret := range e.echoes {
		for n := min(len(b), len(secret)-1); n >= tellingLength; n-- {
			if bytes.HasSuffix(b, secret[:n]) {
				return append(bytes.Clone(b[:len(b)-n]), redacted...)
			}
		}
	}
	return b
}

// tellingLength is how much of a credential's beginning says something of it.
const tellingLength = 4

// credentials are what the requests carry to say who they are from, in the
// forms in which that may be repeated.
func credentials(requests ...*http.Request) [][]byte {
	var found [][]byte
	add := func(text string) {
		for _, form := range []string{text, url.QueryEscape(text)} {
			// What is shorter would garble more than it hides.
			if len(form) > len(redacted) && !slices.ContainsFunc(found, func(b []byte) bool { return string(b) == form }) {
				found = append(found, []byte(form))
			}
		}
	}
	for _, r := range requests {
		if r == nil {
			continue
		}
		for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie"} {
			for _, value := range r.Header.Values(name) {
				add(value)
				if _, token, ok := strings.Cut(value, " "); ok {
					add(token)
				}
			}
		}
		if _, password, ok := r.BasicAuth(); ok {
			add(password)
		}
	}
	return found
}
