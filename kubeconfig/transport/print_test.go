package transport

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/testpki"
)

// TestSecretsAreNotPrinted prints everything that a caller can get hold of, and
// what may have it in a field of its own, exported or not.
func TestSecretsAreNotPrinted(t *testing.T) {
	ca := testpki.New(t)
	cert, key := ca.Client(t, "SECRET-NAME")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "token"), []byte("SECRET-FILE"))
	token, err := Token("SECRET-TOKEN")
	require.NoError(t, err)
	file, err := TokenFile(filepath.Join(dir, "token"), "SECRET-FALLBACK")
	require.NoError(t, err)
	source := Source{Data: key}
	pair, err := Certificate(Source{Data: cert}, source)
	require.NoError(t, err)
	all := Join(pair, token, file, Basic("me", "SECRET-PASSWORD"))
	proof, err := all.Proof(context.Background())
	require.NoError(t, err)
	config := Config{Server: mustURL(t, "https://h"), Credential: all, TLS: TLS{CA: source}}
	client, err := NewClient(Config{Server: config.Server, Credential: token})
	require.NoError(t, err)

	encoded := base64.StdEncoding.EncodeToString([]byte("me:SECRET-PASSWORD"))
	keyLine := strings.Split(string(key), "\n")[1]
	type holder struct {
		Exported   any
		unexported any
	}
	// Package fmt calls no methods in unexported fields, so a struct that a
	// caller keeps there shows what it has. Credentials and clients do not even
	// there: nobody thinks of them as values.
	private := []any{token, file, pair, all, client, client.Transport}
	values := append([]any{proof, &proof, source, config, &config, config.TLS}, private...)
	for i, v := range values {
		held := []any{v, holder{v, nil}, []any{v}, map[string]any{"v": v}}
		if i >= len(values)-len(private) {
			held = append(held, holder{nil, v}, &holder{v, v})
		}
		for _, h := range held {
			encodedAsJSON, _ := json.Marshal(h) // some have functions in them, which fails
			for _, text := range []string{sprintf("%v", h), sprintf("%+v", h), sprintf("%#v", h), string(encodedAsJSON)} {
				for _, secret := range []string{"SECRET", encoded, keyLine, base64.StdEncoding.EncodeToString(key)[:40]} {
					assert.NotContains(t, text, secret, "%T", v)
				}
			}
		}
	}
}
