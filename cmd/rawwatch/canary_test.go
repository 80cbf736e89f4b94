//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/cmd/rawwatch/internal/cli"
	"example.com/rawwatch/internal/kubecase"
	"example.com/rawwatch/internal/testpki"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/stream"
)

// The canaries. Every secret that the program is given, or meets, is one of
// these, and none may come out anywhere.
const (
	canaryToken    = "CANARY-token-0123456789"
	canaryPassword = "CANARY-password-0123456789"
	canaryPlugin   = "CANARY-plugin-0123456789"
	canaryOutput   = "CANARY-output-0123456789" // of a plugin that prints nonsense
	canaryEnv      = "CANARY-env-0123456789"
	canaryProxy    = "CANARY-proxy-0123456789"
	canarySecret   = "CANARY-secret-0123456789" // in a Secret
	canaryQuery    = "CANARY-query-0123456789"  // in URLs
)

// searchForCanaries looks for all of them in a text, as they are and in the
// encodings that they travel in.
func searchForCanaries(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, canary := range []string{canaryToken, canaryPassword, canaryPlugin, canaryOutput, canaryEnv, canaryProxy, canarySecret, canaryQuery} {
		for _, form := range []string{
			canary[:len("CANARY-")+4], url.QueryEscape(canary), base64.StdEncoding.EncodeToString([]byte(canary))[:20],
			base64.StdEncoding.EncodeToString([]byte("me:" + canary))[4:24],
		} {
			if at := bytes.Index(text, []byte(form)); at >= 0 {
				t.Errorf("%s: %s is there, as %s: %q", where, canary, form, text[max(0, at-60):min(len(text), at+60)])
			}
		}
	}
}

// echoes are servers that repeat whatever they were told, in every kind of
// answer.
var echoes = map[string]func(w http.ResponseWriter, r *http.Request, told string){
	"401":  echoStatus(401, "Unauthorized"),
	"403":  echoStatus(403, "Forbidden"),
	"404":  echoStatus(404, "NotFound"),
	"410":  echoStatus(410, "Expired"),
	"422":  echoStatus(422, "Invalid"),
	"429":  echoStatus(429, "TooManyRequests"),
	"500":  echoStatus(500, "InternalError"),
	"text": func(w http.ResponseWriter, _ *http.Request, told string) { http.Error(w, told, http.StatusBadGateway) },
	"html": func(w http.ResponseWriter, _ *http.Request, told string) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<html><body>%s", told)
	},
	"redirect": func(w http.ResponseWriter, r *http.Request, told string) {
		http.Redirect(w, r, "https://u:"+canaryQuery+"@elsewhere.test/"+canaryQuery+"?token="+canaryQuery+"&told="+url.QueryEscape(told), http.StatusFound)
	},
	"headers": func(w http.ResponseWriter, _ *http.Request, told string) {
		w.Header().Set("Set-Cookie", "session="+canaryQuery)
		w.Header().Set("Warning", "299 - "+fmt.Sprintf("%q", told))
		w.Header().Set("Audit-Id", told)
		w.WriteHeader(500)
	},
	"torn list": func(w http.ResponseWriter, _ *http.Request, told string) {
		fmt.Fprintf(w, `{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"s"},"data":{"k":%q`, b64(canarySecret))
	},
	"watch": func(w http.ResponseWriter, r *http.Request, told string) {
		secret := fmt.Sprintf(`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"t","uid":"u","resourceVersion":"%%d","annotations":{"kubectl.kubernetes.io/last-applied-configuration":%q}},"data":{"k":%q},"stringData":{"k":%q}}`,
			`{"data":{"k":"`+b64(canarySecret)+`"}}`, b64(canarySecret), canarySecret)
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprintf(w, `{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[%s]}`, fmt.Sprintf(secret, 9))
			return
		}
		status, _ := json.Marshal(statusOf(500, "InternalError", told))
		fmt.Fprintf(w, `{"type":"MODIFIED","object":%s}`+"\n", fmt.Sprintf(secret, 11))
		fmt.Fprintf(w, `{"type":"STRANGE","object":%s}`+"\n", fmt.Sprintf(secret, 12))
		fmt.Fprintf(w, `{"type":"ERROR","object":%s}`+"\n", status)
		fmt.Fprintf(w, `{"type":"ADDED","object":{"kind":"Secret","data":{"k":%q`, b64(canarySecret))
	},
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func statusOf(code int, reason, told string) map[string]any {
	return map[string]any{
		"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": told,
		"details": map[string]any{"name": told, "causes": []any{map[string]any{"reason": "x", "message": told, "field": told}}},
	}
}

func echoStatus(code int, reason string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, told string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		json.NewEncoder(w).Encode(statusOf(code, reason, told))
	}
}

// identities are the users of the kubeconfig, one for each way to be somebody.
var identities = map[string]string{
	"token":     "{token: " + canaryToken + "}",
	"tokenFile": "{tokenFile: token}",
	"basic":     "{username: me, password: " + canaryPassword + "}",
	"plugin":    plugin("./plugin"),
	"nonsense":  plugin("./nonsense"),
	"failing":   plugin("./failing"),
	"missing":   plugin("./gone"),
}

func plugin(command string) string {
	return "{exec: {apiVersion: client.authentication.k8s.io/v1, command: " + command + ", args: [--secret, " + canaryEnv +
		"], env: [{name: SECRET, value: " + canaryEnv + "}], interactiveMode: Never, provideClusterInfo: true}}"
}

// canaryHome writes a kubeconfig with all users, and what it names.
func canaryHome(t *testing.T, server, ca string) (path string) {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	fmt.Fprintf(&b, "clusters:\n- {name: k, cluster: {server: %q, certificate-authority-data: %s}}\n", server, b64(ca))
	fmt.Fprintf(&b, "- {name: plain, cluster: {server: %q}}\n", strings.Replace(server, "https:", "http:", 1))
	fmt.Fprintf(&b, "- {name: query, cluster: {server: %q, certificate-authority-data: %s}}\n", server+"?token="+canaryQuery+"#"+canaryQuery, b64(ca))
	fmt.Fprintf(&b, "- {name: userinfo, cluster: {server: %q}}\n", strings.Replace(server, "https://", "https://me:"+canaryQuery+"@", 1))
	fmt.Fprintf(&b, "- {name: proxied, cluster: {server: %q, proxy-url: %q}}\n", server, "http://me:"+canaryProxy+"@"+refusingProxy(t))
	fmt.Fprintf(&b, "- {name: no-proxy, cluster: {server: %q, proxy-url: %q}}\n", server, "http://me:"+canaryProxy+"@127.0.0.1:1")
	b.WriteString("users:\n")
	for name, user := range identities {
		fmt.Fprintf(&b, "- {name: %s, user: %s}\n", name, user)
	}
	write := func(name, text string, mode os.FileMode) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), mode))
	}
	write("token", canaryToken, 0o600)
	write("plugin", "#!/bin/sh\necho '"+`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"`+canaryPlugin+`"}}'`+"\n", 0o755)
	write("nonsense", "#!/bin/sh\necho 'token: ["+canaryOutput+"'\n", 0o755)
	write("failing", "#!/bin/sh\necho "+canaryOutput+"\nexit 3\n", 0o755)
	write("config", b.String(), 0o600)
	return filepath.Join(dir, "config")
}

// refusingProxy is a proxy that repeats what it was told in its refusal.
func refusingProxy(t *testing.T) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			head := make([]byte, 4096)
			n, _ := conn.Read(head)
			line := strings.Join(strings.Fields(string(head[:n])), " ")
			fmt.Fprintf(conn, "HTTP/1.1 407 %s\r\nProxy-Authenticate: %s\r\nContent-Length: 0\r\n\r\n", line, line)
			conn.Close()
		}
	}()
	return l.Addr().String()
}

// echoServer plays one of echoes. What it was told is its request: all of it.
func echoServer(t *testing.T, ca *testpki.Authority, echo func(http.ResponseWriter, *http.Request, string)) string {
	return ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		var told strings.Builder
		fmt.Fprintf(&told, "%s %s ", r.Method, r.URL)
		r.Header.Write(&told)
		_, password, _ := r.BasicAuth()
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		fmt.Fprintf(&told, " bad credentials: %s, or %q, or token=%s, or password %s", token, token, url.QueryEscape(token), password)
		echo(w, r, told.String())
	}).URL
}

// TestNoCanaryComesOutOfTheCommand plants secrets in everything that the command
// reads, lets servers, proxies and plugins repeat what they know, and searches
// all that it writes: both streams, recordings and checkpoints.
func TestNoCanaryComesOutOfTheCommand(t *testing.T) {
	ca := testpki.New(t)
	runs := 0
	run := func(t *testing.T, args ...string) {
		runs++
		dir := t.TempDir()
		recording, checkpoint := filepath.Join(dir, "r.rwr"), filepath.Join(dir, "c")
		args = append(args, "--timeout", "2s", "--max-reconnects", "1", "--backoff-min", "1ms", "--backoff-max", "2ms", "--markers")
		if !slices.Contains(args, "--dry-run") {
			args = append(args, "--record", recording, "--checkpoint", checkpoint)
		}
		var out, errs bytes.Buffer
		cli.Run(context.Background(), args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
		where := strings.Join(args, " ")
		searchForCanaries(t, "stdout of "+where, out.Bytes())
		searchForCanaries(t, "stderr of "+where, errs.Bytes())
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			searchForCanaries(t, filepath.Base(file)+" of "+where, content)
		}
	}
	const path = "/api/v1/namespaces/t/secrets"
	for name, echo := range echoes {
		t.Run(name, func(t *testing.T) {
			config := canaryHome(t, echoServer(t, ca, echo), string(ca.PEM))
			for user := range identities {
				run(t, path, "--kubeconfig", config, "--cluster", "k", "--user", user, "-v", "4", "-o", "name")
				run(t, "secrets", "--kubeconfig", config, "--cluster", "k", "--user", user, "-o", "name")
			}
			run(t, path, "--kubeconfig", config, "--cluster", "k", "--user", "token", "-v", "3", "--start", "stream", "-o", "name")
			run(t, path, "--kubeconfig", config, "--cluster", "k", "--token", canaryToken, "-v", "4", "--log-format", "json")
			for _, cluster := range []string{"plain", "query", "userinfo", "proxied", "no-proxy"} {
				run(t, path, "--kubeconfig", config, "--cluster", cluster, "--user", "token", "-v", "4", "-o", "name")
			}
		})
	}
	config := canaryHome(t, "https://127.0.0.1:1", string(ca.PEM))
	for user := range identities {
		for _, cluster := range []string{"k", "plain", "query", "userinfo", "proxied"} {
			run(t, "secrets", "--kubeconfig", config, "--cluster", cluster, "--user", user, "--dry-run")
		}
	}
	for _, wrong := range [][]string{
		{"pods", "a", "b", "--token", canaryToken}, {"pods", "--token", canaryToken, "--tokn", canaryToken}, {"--token", canaryToken},
		{"pods", "--kubeconfig", canaryToken + "\nx"}, {"pods", "--client-key", "-----BEGIN " + canaryToken},
		{"https://me:" + canaryQuery + "@h/api/v1/pods?token=" + canaryQuery}, {"pods", "-s", "https://me:" + canaryQuery + "@h:1"},
		{"pods", "-s", "https://h/%zz?" + canaryQuery}, {"pods", "-s", "https://127.0.0.1:1/?token=" + canaryQuery, "--token", "a " + canaryToken},
		{"/api/v1/pods?token=" + canaryQuery}, {"/api/v1/pods?labelSelector=a&token=%zz" + canaryQuery},
	} {
		run(t, wrong...)
	}
	require.Greater(t, runs, 200)
}

// TestNoCanaryComesOutOfTheCases plants one in place of every token of the
// golden cases.
func TestNoCanaryComesOutOfTheCases(t *testing.T) {
	secrets := kubecase.NewSecrets(t)
	for _, file := range kubecase.Files(t, "../../testdata/kubeconfig") {
		t.Run(kubecase.NameOf(file), func(t *testing.T) {
			c := kubecase.Read(t, file, secrets)
			require.NoError(t, filepath.WalkDir(c.Dir, func(path string, entry os.DirEntry, err error) error {
				if err != nil || !entry.Type().IsRegular() {
					return err
				}
				content, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				for _, token := range []string{"abc", "SECRET", "from-file", "passw"} {
					content = bytes.ReplaceAll(content, []byte(token), []byte(canaryToken))
				}
				return os.WriteFile(path, content, 0o600)
			}))
			for name, value := range c.Env {
				t.Setenv(name, strings.ReplaceAll(value, "SECRET", canaryToken))
			}
			args := []string{"pods", "--dry-run", "-v", "2"}
			for _, flag := range c.Flags {
				args = append(args, strings.TrimSuffix("--"+flag.Name+"="+strings.ReplaceAll(flag.Value, "SECRET", canaryToken), "="))
			}
			var out, errs bytes.Buffer
			cli.Run(context.Background(), args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
			require.NotZero(t, out.Len()+errs.Len())
			searchForCanaries(t, "stdout", out.Bytes())
			searchForCanaries(t, "stderr", errs.Bytes())
		})
	}
}

// TestNoCanaryComesOutOfTheLibrary prints whatever the library hands to a
// program, by all verbs.
func TestNoCanaryComesOutOfTheLibrary(t *testing.T) {
	ca := testpki.New(t)
	for name, echo := range echoes {
		t.Run(name, func(t *testing.T) {
			path := canaryHome(t, echoServer(t, ca, echo), string(ca.PEM))
			for user := range identities {
				var told bytes.Buffer
				say := func(v any) {
					text, _ := json.Marshal(v)
					fmt.Fprintf(&told, "%v\n%+v\n%#v\n%s\n", v, v, v, text)
				}
				options := kubeconfig.Options{Path: path, Cluster: "k", User: user}
				say(options)
				config, err := kubeconfig.Load(options)
				require.NoError(t, err)
				t.Cleanup(config.Client.CloseIdleConnections)
				say(config)
				say(*config)
				say(config.Details())
				w := stream.Watcher{
					Client: config.Client, Server: config.Server,
					Target:  stream.Target{Version: "v1", Resource: "secrets", Namespace: "t"},
					Policy:  stream.Policy{OnFirstContact: stream.StopFirstContact, MaxReconnects: 1},
					Backoff: backoff.Policy{Min: time.Millisecond, Max: 2 * time.Millisecond},
				}
				w.Trace = traceAll(say)
				ctx, cancel := context.WithCancel(context.Background())
				for ev, err := range w.Watch(ctx) {
					if err != nil {
						say(err)
						break
					}
					say(ev.Name) // the object is what was asked for
					if ev.Type == stream.Modified {
						cancel()
					}
				}
				cancel()
				say(w.State())
				searchForCanaries(t, name+" as "+user, told.Bytes())
			}
		})
	}
}

// traceAll prints what a Trace is told, but for the server's own bytes, which
// are lent to it as they are.
func traceAll(say func(any)) *stream.Trace {
	return &stream.Trace{
		Request:      func(r stream.Request) { say(r) },
		Response:     func(r stream.Response) { say(r) },
		Ended:        func(e stream.Ended) { say(e) },
		Waiting:      func(w stream.Waiting) { say(w) },
		UnknownEvent: func(eventType string, _ []byte) { say(eventType) },
	}
}
