package kubeconfig

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// decodeBase64 decodes the standard, padded alphabet, and ignores white space
// anywhere. kubectl ignores line breaks only, and so refuses data that a
// folded block or a plain scalar over several lines has spaces in.
func decodeBase64(text string) ([]byte, error) {
	packed := strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\n', '\r', '\v', '\f':
			return -1
		}
		return r
	}, text)
	decoded, err := base64.StdEncoding.DecodeString(packed)
	if err == nil {
		return decoded, nil
	}
	// The error holds an offset and nothing of the data.
	switch {
	case strings.ContainsAny(packed, "-_"):
		return nil, fmt.Errorf("%w: this is the URL-safe alphabet, not the standard one", err)
	case len(packed)%4 != 0 && !strings.Contains(packed, "="):
		return nil, fmt.Errorf("%w: the padding (=) is missing, or the value was cut", err)
	}
	return nil, err
}
