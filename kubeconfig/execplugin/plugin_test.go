package execplugin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/rawwatch/internal/testpki"
	"example.com/rawwatch/kubeconfig/transport"
)

// TestMain lets this program be the plugin: a script would not run everywhere.
func TestMain(m *testing.M) {
	if os.Getenv("PLUGIN_DIR") != "" {
		os.Exit(actAsPlugin())
	}
	goleak.VerifyTestMain(m)
}

// actAsPlugin does what the files in PLUGIN_DIR say:
//
//	output    is printed; %d in it is the number of the run
//	hang      is there: never ends
//	exit      is the exit code
//	huge      is there: prints 2 MiB
//
// It leaves the number of runs in the file runs, and what it saw in seen.
func actAsPlugin() int {
	dir := os.Getenv("PLUGIN_DIR")
	read := func(name string) string {
		content, _ := os.ReadFile(filepath.Join(dir, name))
		return string(content)
	}
	runs := len(read("runs")) + 1
	os.WriteFile(filepath.Join(dir, "runs"), bytes.Repeat([]byte("x"), runs), 0o644)
	cwd, _ := os.Getwd()
	stdin, _ := io.ReadAll(os.Stdin)
	seen, _ := json.Marshal(map[string]string{
		"info": os.Getenv("KUBERNETES_EXEC_INFO"), "A": os.Getenv("A"), "PARENT": os.Getenv("PARENT"),
		"args": strings.Join(os.Args[1:], " "), "cwd": cwd, "stdin": string(stdin),
	})
	os.WriteFile(filepath.Join(dir, "seen"), seen, 0o644)
	fmt.Fprint(os.Stderr, "please log in")
	if _, err := os.Stat(filepath.Join(dir, "hang")); err == nil {
		time.Sleep(time.Hour)
	}
	if _, err := os.Stat(filepath.Join(dir, "huge")); err == nil {
		os.Stdout.Write(make([]byte, 2<<20))
	}
	fmt.Print(strings.ReplaceAll(read("output"), "%d", strconv.Itoa(runs)))
	code, _ := strconv.Atoi(read("exit"))
	return code
}

// fake is a plugin whose command is this program.
type fake struct {
	t      *testing.T
	dir    string
	config Config
	stderr bytes.Buffer
}

func newFake(t *testing.T, output string) *fake {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	f := &fake{t: t, dir: t.TempDir()}
	f.set("output", output)
	f.config = Config{
		APIVersion: versionV1, Command: self, InteractiveMode: "Never",
		// The race detector makes a program linger for a second at its end.
		Env:    []Variable{{"PLUGIN_DIR", f.dir}, {"GORACE", "atexit_sleep_ms=0"}},
		Stderr: &f.stderr,
	}
	return f
}

func (f *fake) set(name, content string) {
	f.t.Helper()
	require.NoError(f.t, os.WriteFile(filepath.Join(f.dir, name), []byte(content), 0o644))
}

func (f *fake) plugin() *Plugin {
	f.t.Helper()
	p, err := New(f.config)
	require.NoError(f.t, err)
	return p
}

func (f *fake) runs() int {
	content, err := os.ReadFile(filepath.Join(f.dir, "runs"))
	if err != nil {
		return 0
	}
	return len(content)
}

func (f *fake) seen() map[string]string {
	f.t.Helper()
	content, err := os.ReadFile(filepath.Join(f.dir, "seen"))
	require.NoError(f.t, err)
	var seen map[string]string
	require.NoError(f.t, json.Unmarshal(content, &seen))
	return seen
}

const tokens = `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t%d"}}`

func expiring(at time.Time) string {
	return fmt.Sprintf(`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t%%d","expirationTimestamp":%q}}`, at.Format(time.RFC3339))
}

func authorization(t *testing.T, p *Plugin) string {
	t.Helper()
	proof, err := p.Proof(context.Background())
	require.NoError(t, err)
	return proof.Authorization
}

func TestCredentialWithoutEndIsKept(t *testing.T) {
	f := newFake(t, tokens)
	p := f.plugin()
	assert.Zero(t, f.runs(), "nothing runs before a credential is needed")
	assert.Equal(t, "Bearer t1", authorization(t, p))
	assert.Equal(t, "Bearer t1", authorization(t, p))
	assert.Equal(t, 1, f.runs())
}

func TestFailureB48CredentialIsKeptUntilItExpires(t *testing.T) {
	f := newFake(t, "")
	synctest.Test(t, func(t *testing.T) {
		f.set("output", expiring(time.Now().Add(2*time.Second)))
		p := f.plugin()
		assert.Equal(t, "Bearer t1", authorization(t, p))
		time.Sleep(time.Second)
		assert.Equal(t, "Bearer t1", authorization(t, p))
		time.Sleep(2 * time.Second)
		f.set("output", expiring(time.Now().Add(time.Hour)))
		assert.Equal(t, "Bearer t2", authorization(t, p))
		assert.Equal(t, 2, f.runs())
		time.Sleep(time.Hour - maxSlack - time.Second)
		assert.Equal(t, "Bearer t2", authorization(t, p))
		time.Sleep(time.Second)
		assert.Equal(t, "Bearer t3", authorization(t, p), "renewed a moment before its end")
	})
}

func TestCredentialThatIsBornExpired(t *testing.T) {
	f := newFake(t, "")
	synctest.Test(t, func(t *testing.T) {
		f.set("output", expiring(time.Now().Add(-time.Hour)))
		p := f.plugin()
		for range 3 {
			assert.Equal(t, "Bearer t1", authorization(t, p))
		}
		time.Sleep(bornExpired)
		assert.Equal(t, "Bearer t2", authorization(t, p))
	})
}

func TestRefusedCredentialRunsThePluginOnce(t *testing.T) {
	f := newFake(t, tokens)
	p := f.plugin()
	refused, err := p.Proof(context.Background())
	require.NoError(t, err)
	for range 3 { // three requests were refused with it
		again, err := p.Renew(context.Background(), refused)
		require.NoError(t, err)
		assert.True(t, again)
	}
	assert.Equal(t, "Bearer t2", authorization(t, p))
	assert.Equal(t, 2, f.runs())

	// A plugin that fails now leaves the old credential to other requests.
	f.set("exit", "3")
	_, err = p.Renew(context.Background(), must(p.Proof(context.Background())))
	require.ErrorContains(t, err, "failed with exit code 3")
	assert.Equal(t, "Bearer t2", authorization(t, p))
}

func must(proof transport.Proof, err error) transport.Proof {
	if err != nil {
		panic(err)
	}
	return proof
}

func TestOneRunForAllWhoWait(t *testing.T) {
	f := newFake(t, tokens)
	p := f.plugin()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			proof, err := p.Proof(context.Background())
			assert.NoError(t, err)
			assert.Equal(t, "Bearer t1", proof.Authorization)
		})
	}
	wg.Wait()
	assert.Equal(t, 1, f.runs())
}

func TestPluginThatHangs(t *testing.T) {
	t.Run("ends at its timeout", func(t *testing.T) {
		f := newFake(t, tokens)
		f.set("hang", "")
		f.config.Timeout = 100 * time.Millisecond
		_, err := f.plugin().Proof(context.Background())
		require.ErrorContains(t, err, "did not finish within 100ms")
	})
	t.Run("ends with the last request that waits", func(t *testing.T) {
		f := newFake(t, tokens)
		f.set("hang", "")
		p := f.plugin()
		first, cancelFirst := context.WithCancel(context.Background())
		second, cancelSecond := context.WithCancel(context.Background())
		defer cancelSecond()
		results := make(chan error, 2)
		for _, ctx := range []context.Context{first, second} {
			go func() {
				_, err := p.Proof(ctx)
				results <- err
			}()
		}
		waiting := func(n int) func() bool {
			return func() bool {
				p.mu.Lock()
				defer p.mu.Unlock()
				return p.run != nil && p.run.waiting == n
			}
		}
		require.Eventually(t, waiting(2), 5*time.Second, time.Millisecond)
		require.Eventually(t, func() bool { return f.runs() == 1 }, 5*time.Second, time.Millisecond)
		run := p.run
		cancelFirst()
		require.ErrorIs(t, <-results, context.Canceled)
		require.True(t, waiting(1)(), "the run goes on for the second request")
		select {
		case <-run.done:
			t.Error("the first request ended a run that the second waits for")
		default:
		}
		cancelSecond()
		require.ErrorIs(t, <-results, context.Canceled)
		<-run.done // the command was killed: it would have slept for an hour

		// The next request is not told of a cancellation that is not its own.
		require.NoError(t, os.Remove(filepath.Join(f.dir, "hang")))
		assert.Equal(t, "Bearer t2", authorization(t, p))
	})
	t.Run("is not started for a request that is over", func(t *testing.T) {
		f := newFake(t, tokens)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := f.plugin().Proof(ctx)
		require.ErrorIs(t, err, context.Canceled)
		assert.Zero(t, f.runs())
	})
}

func TestPluginEnvironment(t *testing.T) {
	t.Setenv("PARENT", "kept")
	t.Setenv("A", "overridden")
	f := newFake(t, tokens)
	f.config.Args = []string{"--cluster", "x"}
	f.config.Env = append(f.config.Env, Variable{"A", "first"}, Variable{"A", "last"}, Variable{"KUBERNETES_EXEC_INFO", "mine"})
	authorization(t, f.plugin())
	seen := f.seen()
	assert.Equal(t, "kept", seen["PARENT"])
	assert.Equal(t, "last", seen["A"])
	assert.Equal(t, "--cluster x", seen["args"])
	cwd, err := os.Getwd()
	require.NoError(t, err)
	assert.Equal(t, cwd, seen["cwd"])
	assert.JSONEq(t, `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}`, seen["info"])
	assert.Equal(t, "please log in", f.stderr.String())
}

func TestPluginIsToldAboutItsVersionAndCluster(t *testing.T) {
	f := newFake(t, strings.ReplaceAll(tokens, "/v1", "/v1beta1"))
	f.config.APIVersion = versionBeta
	f.config.InteractiveMode = ""
	f.config.Cluster = &Cluster{
		Server: "https://h", TLSServerName: "n", CertificateAuthorityData: []byte("PEM"),
		ProxyURL: "http://p", DisableCompression: true, Config: json.RawMessage(`{"audience":"x"}`),
	}
	authorization(t, f.plugin())
	assert.JSONEq(t, `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","spec":{"interactive":false,"cluster":{
		"server":"https://h","tls-server-name":"n","certificate-authority-data":"UEVN","proxy-url":"http://p",
		"disable-compression":true,"config":{"audience":"x"}}}}`, f.seen()["info"])
}

// withStdin replaces standard input, which the plugin gets or does not get.
func withStdin(t *testing.T, path string) {
	f, err := os.Open(path)
	require.NoError(t, err)
	old := os.Stdin
	os.Stdin = f
	t.Cleanup(func() { os.Stdin = old; f.Close() })
}

func TestStdin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "typed")
	require.NoError(t, os.WriteFile(file, []byte("typed"), 0o644))
	for name, tc := range map[string]struct {
		mode, stdin, unavailable, want string
	}{
		"never":                       {"Never", file, "", ""},
		"if available, a file":        {"IfAvailable", file, "", ""},
		"if available, null device":   {"IfAvailable", os.DevNull, "", ""},
		"if available, but in use":    {"IfAvailable", file, "it is read by -f -", ""},
		"always, a file":              {"Always", file, "", "standard input is not a terminal"},
		"always, null device":         {"Always", os.DevNull, "", "standard input is not a terminal"},
		"always, but in use":          {"Always", file, "it is read by -f -", "standard input is unavailable: it is read by -f -"},
		"beta default, null device":   {"", os.DevNull, "", ""},
		"if available, closed before": {"IfAvailable", "closed", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, tokens)
			f.config.InteractiveMode = tc.mode
			if tc.mode == "" {
				f.config.APIVersion = versionBeta
				f.set("output", strings.ReplaceAll(tokens, "/v1", "/v1beta1"))
			}
			f.config.StdinUnavailable = tc.unavailable
			if tc.stdin == "closed" {
				withStdin(t, file)
				os.Stdin.Close()
			} else {
				withStdin(t, tc.stdin)
			}
			_, err := f.plugin().Proof(context.Background())
			if tc.want != "" {
				require.ErrorContains(t, err, tc.want)
				assert.Zero(t, f.runs())
				return
			}
			require.NoError(t, err)
			assert.Empty(t, f.seen()["stdin"])
			assert.Contains(t, f.seen()["info"], `"interactive":false`)
		})
	}
}

func TestConfigurationIsChecked(t *testing.T) {
	good := Config{APIVersion: versionV1, Command: "x", InteractiveMode: "Never"}
	for want, change := range map[string]func(*Config){
		"apiVersion must be specified":      func(c *Config) { c.APIVersion = "" },
		"aws eks update-kubeconfig":         func(c *Config) { c.APIVersion = versionAlpha },
		`invalid apiVersion "v1"`:           func(c *Config) { c.APIVersion = "v1" },
		"command must be specified":         func(c *Config) { c.Command = "" },
		"env item 1: name must":             func(c *Config) { c.Env = []Variable{{"A", ""}, {"", "SECRET"}} },
		"interactiveMode must be specified": func(c *Config) { c.InteractiveMode = "" },
		`invalid interactiveMode "always"`:  func(c *Config) { c.InteractiveMode = "always" },
	} {
		config := good
		change(&config)
		_, err := New(config)
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "SECRET")
	}
	_, err := New(Config{APIVersion: versionBeta, Command: "x"})
	require.NoError(t, err, "v1beta1 has a default for interactiveMode")
}

func TestPluginOutput(t *testing.T) {
	ca := testpki.New(t)
	cert, key := ca.Client(t, "c")
	status := func(fields string) string {
		return `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{` + fields + `}}`
	}
	c, k := strconv.Quote(string(cert)), strconv.Quote(string(key))
	for name, tc := range map[string]struct{ output, want string }{
		"token":              {status(`"token":"abc\n"`), ""},
		"certificate":        {status(`"clientCertificateData":` + c + `,"clientKeyData":` + k), ""},
		"both":               {status(`"token":"abc","clientCertificateData":` + c + `,"clientKeyData":` + k), ""},
		"unknown fields":     {status(`"token":"abc","mood":"good"`), ""},
		"nothing":            {"", "it printed nothing"},
		"no JSON":            {"SECRET", "not JSON at byte 1"},
		"two objects":        {status(`"token":"SECRET"`) + "{}", "not JSON at byte"},
		"token is a number":  {status(`"token":5`), "field status.token has the wrong type"},
		"a list":             {"[]", "has the wrong type"},
		"other kind":         {`{"kind":"SECRET"}`, "not an ExecCredential"},
		"other version":      {strings.ReplaceAll(status(""), "/v1", "/v1beta1"), "configured to use API version client.authentication.k8s.io/v1, plugin returned version client.authentication.k8s.io/v1beta1"},
		"unknown version":    {strings.ReplaceAll(status(""), "client.authentication.k8s.io/v1", "SECRET"), "plugin returned version that is unknown"},
		"no status":          {`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"}`, "didn't return a status field"},
		"empty status":       {status(""), "didn't return a token or cert/key pair"},
		"only a certificate": {status(`"clientCertificateData":` + c), "only a certificate"},
		"only a key":         {status(`"clientKeyData":` + k), "only a key"},
		"bad certificate":    {status(`"clientCertificateData":"SECRET","clientKeyData":` + k), "failed to find any PEM data in certificate input"},
		"bad key":            {status(`"clientCertificateData":` + c + `,"clientKeyData":"SECRET"`), "failed to find any PEM data in key input"},
		"bad token":          {status(`"token":"SECRET SECRET"`), "white space"},
		"bad time":           {status(`"token":"SECRET","expirationTimestamp":"SECRET"`), "not a time in RFC 3339 format"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := decode([]byte(tc.output), versionV1, time.Now())
			if tc.want == "" {
				require.NoError(t, err)
				assert.Equal(t, strings.Contains(tc.output, "abc"), got.proof.Authorization == "Bearer abc")
				assert.Equal(t, strings.Contains(tc.output, "clientKeyData"), got.proof.Certificate != nil)
				return
			}
			require.ErrorContains(t, err, tc.want)
			assert.NotContains(t, err.Error(), "SECRET")
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestPluginFailures(t *testing.T) {
	dir := t.TempDir()
	notExecutable := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(notExecutable, []byte("x"), 0o644))
	command := func(c string) func(*fake) { return func(f *fake) { f.config.Command = c } }
	for name, tc := range map[string]struct {
		change func(*fake)
		want   string
	}{
		"exit code":        {func(f *fake) { f.set("exit", "7") }, "failed with exit code 7"},
		"too much":         {func(f *fake) { f.set("huge", "") }, "printed more than 1048576 bytes"},
		"not found":        {command("no-such-plugin"), "exec: executable no-such-plugin not found: the credential plugin is not installed, or not in PATH"},
		"path not found":   {command(filepath.Join(dir, "gone")), "not found"},
		"not executable":   {command(notExecutable), "permission denied"},
		"a directory":      {command(dir), "cannot be run"},
		"whole command":    {command("no-such-plugin --token SECRET"), "exec: executable no-such-plugin not found"},
		"with a hint":      {func(f *fake) { f.config.Command, f.config.InstallHint = "nope", "run\n\x1b[31mthis" }, `not in PATH: run \x1b[31mthis`},
		"with a long hint": {func(f *fake) { f.config.Command, f.config.InstallHint = "nope", strings.Repeat("x", 600) }, "xxx…"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, tokens)
			f.config.Env = append(f.config.Env, Variable{"PASSWORD", "SECRET"})
			f.config.Args = []string{"SECRET"}
			tc.change(f)
			_, err := f.plugin().Proof(context.Background())
			require.ErrorContains(t, err, tc.want)
			assert.NotContains(t, err.Error(), "SECRET")
			assert.NotContains(t, err.Error(), "please log in")
			if strings.Contains(tc.want, "not in PATH") {
				assert.ErrorIs(t, err, exec.ErrNotFound)
			}
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestEqualCertificateKeepsItsPointer(t *testing.T) {
	ca := testpki.New(t)
	output := func(name string) string {
		cert, key := ca.Client(t, name)
		return fmt.Sprintf(`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"clientCertificateData":%q,"clientKeyData":%q}}`, cert, key)
	}
	f := newFake(t, output("a"))
	p := f.plugin()
	first := must(p.Proof(context.Background()))
	again, err := p.Renew(context.Background(), first)
	require.NoError(t, err)
	require.True(t, again)
	assert.Same(t, first.Certificate, must(p.Proof(context.Background())).Certificate)

	f.set("output", output("b"))
	_, err = p.Renew(context.Background(), first)
	require.NoError(t, err)
	assert.NotSame(t, first.Certificate, must(p.Proof(context.Background())).Certificate)
}

func TestInstallHintIsNotRepeatedForEver(t *testing.T) {
	p, err := New(Config{APIVersion: versionBeta, Command: "no-such-plugin", InstallHint: "brew install it"})
	require.NoError(t, err)
	shown := 0
	for range 3 * hintsPerHour {
		_, err := p.Proof(context.Background())
		require.ErrorContains(t, err, "no-such-plugin not found")
		if strings.Contains(err.Error(), "brew install it") {
			shown++
		}
	}
	assert.Equal(t, hintsPerHour, shown)

	missing := &NotFoundError{Command: "x", InstallHint: "brew install it"}
	assert.NotContains(t, p.sparing(missing, time.Now().Add(59*time.Minute)).Error(), "brew")
	assert.Contains(t, p.sparing(missing, time.Now().Add(61*time.Minute)).Error(), "brew")
}

func TestPluginIsNotPrinted(t *testing.T) {
	config := Config{
		APIVersion: versionBeta, Command: "get --password SECRET", Args: []string{"SECRET"}, Env: []Variable{{"PASSWORD", "SECRET"}},
		Cluster: &Cluster{ProxyURL: "http://me:SECRET@proxy"},
	}
	p, err := New(config)
	require.NoError(t, err)
	p.current = &credential{proof: transport.Proof{Authorization: "Bearer SECRET"}}
	type holder struct{ plugin *Plugin }
	for _, v := range []any{config, &config, config.Env, p, holder{p}, []any{config, p}} {
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v", v, v, v), "SECRET", "%T", v)
	}
	text, err := json.Marshal(config.Env)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "SECRET")
}
