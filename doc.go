// Package rawwatch is the root of a Kubernetes watch client made by hand: an
// HTTP JSON stream, without client-go. There is no code in it; start with
//
//   - package stream: watch a collection for ever;
//   - package kubeconfig, or kubeconfig/incluster: the server and the
//     credentials;
//   - package stream/replay: an API server made of a script, for tests;
//   - package decode: the events of any stream of bytes;
//   - package status: what a server means when it says no.
//
// The command is in cmd/rawwatch.
package rawwatch
