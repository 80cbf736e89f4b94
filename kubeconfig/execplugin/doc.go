// Package execplugin gets credentials from a command, as Kubernetes' client-go
// credential plugins define it (client.authentication.k8s.io, versions v1 and
// v1beta1): cloud providers' and single-sign-on programs that print an
// ExecCredential.
//
// A [Plugin] is a transport.Credential. The command runs when the first
// request needs a credential, when the credential expires, and when the server
// answers 401; requests that need one at the same time share one run. What it
// printed is kept in memory, in this process only.
//
// The run ends when every request that waits for it has been given up, and in
// any case after Config.Timeout. (In client-go a plugin that hangs, hangs its
// caller for ever.)
//
// What the command prints to its standard error goes to the user. What it
// prints to its standard output goes nowhere else, least of all into an error.
package execplugin
