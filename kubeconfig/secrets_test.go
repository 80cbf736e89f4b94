package kubeconfig

import (
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// canary stands for every secret.
const canary = "CANARY7f3a"

// TestNoSecretIsShown puts a secret into every place of a configuration that
// may hold one, in every wrong shape there is, and looks for it in all errors
// and warnings: those of Load, and those of a request.
func TestNoSecretIsShown(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString([]byte(canary))
	pem := "-----BEGIN " + canary + "-----\\n" + b64 + "\\n-----END " + canary + "-----\\n"
	// Each value is written as YAML.
	values := []string{
		canary, `"` + canary + `\n"`, `"a ` + canary + `"`, `"` + canary + `\u0001"`, "Bearer " + canary,
		"*" + canary, "!!int " + canary, "!!binary " + canary, "!!bool " + canary, "!!float " + canary, "!!timestamp " + canary, "!" + canary + " x",
		"[" + canary + "]", "{" + canary + ": " + canary + "}", "&a [*a, " + canary + "]", "|\n      " + canary + "\n      " + canary,
		b64, `"` + pem + `"`, "!!binary " + b64, "eyJ" + canary + ".eyJ.x", `"https://` + canary + `@h"`, `"https://u:` + canary + `@h:port"`,
		`"http://%zz` + canary + `"`, "5" + canary, "0x" + canary, `"` + canary + "\x00" + `"`, "'" + canary, `"` + canary, "{" + canary, "- " + canary, "? " + canary,
		base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(pem, `\n`, "\n"))),
	}
	exec := "\n      apiVersion: client.authentication.k8s.io/v1\n      command: no-such-plugin\n      interactiveMode: Never\n"
	fields := map[string][]string{
		"cluster": {
			"server: %s", "certificate-authority-data: %s", "server: https://h\n    certificate-authority-data: %s",
			"server: https://h\n    proxy-url: %s", "server: https://h\n    insecure-skip-tls-verify: %s", "server: https://h\n    extensions: %s",
		},
		"user": {
			"token: %s", "password: %s", "username: u\n    password: %s", "client-key-data: %s", "client-certificate-data: %s\n    client-key-data: %[1]s",
			"client-certificate: /dev/null\n    client-key-data: %s", "token: a\n    token: %s", "token: %s\n    username: u\n    password: %[1]s",
			"token: %s\n    tokenFile: missing", "token: %s\n    exec: {}", "auth-provider: {name: oidc, config: {id-token: %s}}", "auth-provider: {name: gcp, config: %s}",
			"exec:" + exec + "      args: [a, %s]", "exec:" + exec + "      args: %s", "exec:" + exec + "      env: [{name: A, value: %s}]", "exec:" + exec + "      env: %s",
			"exec:" + exec + "      env: [%s]", "unknown: %s", "as-user-extra: {k: %s}", "token: %s\n    as-groups: [x]", "%s",
			"tokenFile: config", // the whole file, as a token
			"client-certificate: config\n    client-key: config",
		},
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config"), []byte("x: "+canary), 0o644)) // for fields that name a file
	n := 0
	for kind, templates := range fields {
		for _, template := range templates {
			for _, value := range values {
				if template == "server: %s" && !strings.Contains(value, "@") {
					continue // a host is no secret
				}
				cluster, user := "server: https://127.0.0.1:1", "{}"
				text := template
				if strings.Contains(template, "%") {
					text = fmt.Sprintf(template, value)
				}
				switch kind {
				case "cluster":
					cluster = text
				case "user":
					user = text
				}
				yaml := "users:\n- name: other\n  user: {token: " + canary + "}\n- name: u\n  user:\n    " + user +
					"\nclusters:\n- name: k\n  cluster:\n    " + cluster + "\ncontexts: [{name: c, context: {cluster: k, user: u}}]\ncurrent-context: c\n"
				n++
				searchForCanary(t, dir, yaml, Options{})
				searchForCanary(t, dir, yaml, Options{Token: canary + " x"})
			}
		}
	}
	assert.Greater(t, n, 500)
	for _, o := range []Options{{Server: "https://" + canary + "@h"}, {Server: "https://h:" + canary + "@"}, {As: "a\n" + canary}, {Token: "Bearer " + canary}} {
		searchForCanary(t, dir, file("{server: 'https://h'}", "{token: "+canary+"}"), o)
	}

	// Two users of one name: client-go prints both of them.
	searchForCanary(t, dir, file("{server: 'https://h'}", "{token: "+canary+"}")+"users: [{name: u, user: {token: "+canary+"}}, {name: u, user: {token: "+canary+"}}]", Options{})

	assert.NotContains(t, fmt.Sprintf("%v %+v %s", Options{Token: canary}, Options{Token: canary}, Options{Token: canary}), canary)

	// Any file, cut and shuffled.
	whole := "users:\n- name: u\n  user:\n    token: " + canary + "\n    client-key-data: \"" + pem + "\"\n    exec:" + exec + "      env: [{name: A, value: " + canary + "}]\n" +
		"clusters:\n- name: k\n  cluster: {server: 'https://127.0.0.1:1'}\ncontexts: [{name: c, context: {cluster: k, user: u}}]\ncurrent-context: c\n"
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		cut := []byte(whole)
		for range 1 + random.IntN(3) {
			at := random.IntN(len(cut))
			switch random.IntN(3) {
			case 0:
				cut = append(cut[:at:at], cut[min(len(cut), at+1+random.IntN(4)):]...)
			case 1:
				cut[at] = `:"'{}[]&*!|>%@ #-?,`[random.IntN(19)]
			case 2:
				cut = cut[:max(at, 1)]
			}
		}
		searchForCanary(t, dir, string(cut), Options{})
	}
}

// searchForCanary loads text and sends a request if that works. Only what is a
// name (of an entry, a file, a host) may be shown.
func searchForCanary(t *testing.T, dir, text string, o Options) {
	t.Helper()
	o.Stderr = io.Discard
	config, err := loadText(t, dir, text, o)
	said := ""
	if err != nil {
		said = err.Error()
	} else {
		said = strings.Join(config.Warnings, "\n") + config.Credentials
		if config.Server.Host == "127.0.0.1:1" { // nobody is there
			resp, err := config.Client.Get(config.Server.String())
			if err == nil {
				resp.Body.Close()
				t.Fatal("somebody is there")
			}
			said += err.Error()
		}
	}
	for _, secret := range []string{canary, base64.StdEncoding.EncodeToString([]byte(canary))[:12]} {
		if strings.Contains(said, secret) {
			t.Errorf("shown: %s\nof:\n%s\nwith %+v", said, text, o)
		}
	}
}
