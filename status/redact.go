package status

import (
	"net/http"
	"net/url"
	"strings"
)

const redacted = "[redacted]"

// redact cuts credentials out of text that a server sent. Debugging proxies
// and login gateways like to show the request they refused, its Authorization
// header included, and error texts end in logs.
func redact(text string, request *http.Request) string {
	for _, secret := range credentials(request) {
		text = strings.ReplaceAll(text, secret, redacted)
	}
	text = redactAfter(text, "authorization", headerValue)
	text = redactAfter(text, "bearer", schemeValue)
	return redactAfter(text, "basic", schemeValue)
}

// credentials returns what the request itself carried. The request of a
// response is the one that was sent, as the innermost RoundTripper saw it.
func credentials(request *http.Request) []string {
	if request == nil {
		return nil
	}
	var secrets []string
	for _, name := range [...]string{"Authorization", "Proxy-Authorization", "Cookie"} {
		for _, value := range request.Header.Values(name) {
			if value == "" {
				continue
			}
			secrets = append(secrets, value)
			// Without its scheme too, unless it is so short that cutting it
			// out would only garble the text.
			if _, token, ok := strings.Cut(value, " "); ok && len(token) >= 4 {
				secrets = append(secrets, token)
			}
		}
	}
	// A server that takes a password apart has it as it was typed.
	if _, password, ok := request.BasicAuth(); ok && len(password) >= 4 {
		secrets = append(secrets, password)
	}
	for _, secret := range secrets {
		if escaped := url.QueryEscape(secret); escaped != secret {
			secrets = append(secrets, escaped)
		}
	}
	return secrets
}

// redactAfter finds word, itself in lower case, in any case, and cuts out the
// part of what follows that value delimits.
func redactAfter(text, word string, value func(after string) (from, to int)) string {
	var out strings.Builder
	for i := 0; i+len(word) <= len(text); {
		if text[i]|0x20 != word[0] || !strings.EqualFold(text[i:i+len(word)], word) {
			i++
			continue
		}
		i += len(word)
		if from, to := value(text[i:]); to > from {
			out.WriteString(text[:i+from])
			out.WriteString(redacted)
			text, i = text[i+to:], 0
		}
	}
	out.WriteString(text)
	return out.String()
}

// headerValue delimits the rest of a header line: `: value` or `": "value"`.
func headerValue(after string) (from, to int) {
	for from < len(after) && strings.IndexByte(" \t\\\"'", after[from]) >= 0 {
		from++
	}
	if from == len(after) || after[from] != ':' && after[from] != '=' {
		return 0, 0
	}
	from++
	if end := strings.IndexAny(after[from:], "\r\n"); end >= 0 {
		return from, from + end
	}
	return from, len(after)
}

// schemeValue delimits a token after its scheme. Words are shorter: "bearer
// token required" stays readable.
func schemeValue(after string) (from, to int) {
	for from < len(after) && after[from] == ' ' {
		from++
	}
	to = from
	for to < len(after) && isToken(after[to]) {
		to++
	}
	if from == 0 || to-from < 16 {
		return 0, 0
	}
	return from, to
}

// isToken reports whether c may be part of a token68 (RFC 9110, 11.2).
func isToken(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' ||
		strings.IndexByte("-._~+/=", c) >= 0
}
