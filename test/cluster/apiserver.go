package cluster

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"example.com/rawwatch/test/internal/port"
)

// apiserver is the kube-apiserver of a cluster.
type apiserver struct {
	program string
	folder  string // keys, certificates, tokens
	log     string // file
	port    int
	flags   []string // the test's own, after all others
	pki     *pki
	process *process
}

func (a *apiserver) url() string { return "https://" + port.Address(a.port) }

// writeTokens makes the file of the users that authenticate by token.
func (a *apiserver) writeTokens(admin, denied User) (err error) {
	lines := fmt.Sprintf("%s,%s,uid-admin,\"system:masters\"\n%s,%s,uid-denied\n",
		admin.Token, admin.Name, denied.Token, denied.Name)
	return os.WriteFile(a.tokens(), []byte(lines), 0o600)
}

func (a *apiserver) tokens() string { return filepath.Join(a.folder, "tokens.csv") }

func (a *apiserver) start(ctx context.Context, etcd string, client *http.Client) error {
	flags := []string{
		"--etcd-servers=" + etcd,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", a.port),
		"--cert-dir=" + a.folder,
		"--tls-cert-file=" + a.pki.cert,
		"--tls-private-key-file=" + a.pki.key,
		"--client-ca-file=" + a.pki.ca,
		"--token-auth-file=" + a.tokens(),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + a.pki.verify,
		"--service-account-signing-key-file=" + a.pki.signKey,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--authorization-mode=RBAC",
		// Without it, a pod needs a service account, and that a controller.
		"--disable-admission-plugins=ServiceAccount",
		"--endpoint-reconciler-type=none",
		// Tests compact when they want to.
		"--etcd-compaction-interval=0",
		// At SIGTERM the default is to leave watches running for a minute
		// more; with a grace period they end at once, and clean.
		"--shutdown-watch-termination-grace-period=5s",
	}
	p, err := startProcess("kube-apiserver", a.log, a.program, append(flags, a.flags...)...)
	if err != nil {
		return err
	}
	a.process = p
	return ready(ctx, p, func(ctx context.Context) error { return get(ctx, client, a.url()+"/readyz") })
}

// portTaken tells whether a server ended since another process was faster to
// listen on its port, from the last words in its log.
func portTaken(log string) bool {
	content, err := os.ReadFile(log)
	return err == nil && strings.Contains(string(content), "address already in use")
}
