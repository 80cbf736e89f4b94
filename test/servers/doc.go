// Package servers finds the real kube-apiserver and the real etcd that the
// end-to-end tests run against, and the kubectl they compare with, and builds
// them when they are not there.
//
// All are built from the Go modules that go.mod pins, so the Go toolchain is
// all it takes: no container, and no download of binaries. Who has them
// already names their folder in [AssetsVariable], and nothing is built.
//
// # Terms
//
//   - assets: the folder with the binaries, named as envtest of
//     controller-runtime names them: etcd, kube-apiserver and kubectl.
//   - stamp: a file beside a binary that says what it was built from.
//
// # What it will not do
//
// It starts nothing (package cluster does), and it never falls back: when the
// folder somebody named lacks a binary, that is an error and no reason to
// build, for the test would then run against another server than was asked
// for.
package servers
