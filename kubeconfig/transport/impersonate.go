package transport

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Impersonation asks the server to treat requests as another user's. The
// client's own user needs the right to do so.
type Impersonation struct {
	User   string
	UID    string
	Groups []string
	Extra  map[string][]string
}

// Header returns the headers that ask for i, nil for none. What they are
// called is set down in Kubernetes' documentation of user impersonation.
// Errors are of type *InputError.
func (i Impersonation) Header() (http.Header, error) {
	if i.User == "" {
		if i.UID != "" || len(i.Groups) > 0 || len(i.Extra) > 0 {
			return nil, &InputError{Field: "as", Err: fmt.Errorf("requesting uid, groups or user-extra without impersonating a user")}
		}
		return nil, nil
	}
	h := http.Header{"Impersonate-User": {i.User}}
	if i.UID != "" {
		h.Set("Impersonate-Uid", i.UID)
	}
	for _, group := range i.Groups {
		h.Add("Impersonate-Group", group)
	}
	for key, values := range i.Extra {
		for _, value := range values {
			h.Add("Impersonate-Extra-"+escapeHeaderKey(key), value)
		}
	}
	for name, values := range h {
		if slices.ContainsFunc(values, func(v string) bool { return strings.ContainsAny(v, "\r\n\x00") }) {
			return nil, &InputError{Field: "as", Err: fmt.Errorf("%s has a line break or a NUL byte in its value", name)}
		}
	}
	return h, nil
}

// escapeHeaderKey writes the bytes that a header name cannot hold, and the
// percent sign, as %XX. The server undoes it.
func escapeHeaderKey(key string) string {
	const legal = "!#$&'*+-.^_`|~" // RFC 7230 token characters besides letters and digits, without '%'
	var b strings.Builder
	for i := range len(key) {
		c := key[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(legal, c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
