// Package cluster starts real Kubernetes API servers for tests: etcd and
// kube-apiserver on free loopback ports, without a node, a scheduler or a
// controller. That is all a watch needs.
//
//	etcd.go, apiserver.go ─► process.go          what runs
//	            │
//	       cluster.go (Start) ─┐
//	       external.go ────────┴─► Server ─► client.go, objects.go   what tests talk to
//	       shared.go (Shared) ─┘          └► kubeconfig.go ─► kubectl.go
//
// # Terms
//
//   - Server: an API server that answers, and its users. Tests talk to it.
//   - Cluster: a Server started here, with the etcd behind it. Its owner may
//     stop it, kill it, start it again, and turn its storage back.
//   - shared server: one for all tests of a process that leave it running. Each
//     test gets a namespace of its own in it.
//   - user: who a client or a kubeconfig authenticates as.
//
// # Which server
//
// [servers.Find] decides between binaries that are there and a build. When
// [KubeconfigVariable] names a kubeconfig, the shared server is that cluster,
// and nothing is built; tests that restart a server are then skipped, unless
// there are ready-made binaries for one.
//
// A server that was asked for and does not come up fails the test.
//
// # How it ends
//
// Cleanup ends each process by its id, with SIGKILL if need be. On Linux the
// kernel does so too when the test process itself dies, by panic, timeout or
// signal. Logs are printed only for tests that failed; go test -artifacts
// keeps those of a Cluster.
//
// # What it will not do
//
// It runs on Unix only. It has no types for Kubernetes objects: a manifest is
// a map, an answer is JSON with its identity read out. It is independent of
// the packages it helps to test, so that a fault in them cannot hide in here.
package cluster
