// Package kubeconfig finds out where the API server is and who we are, from
// what kubectl reads: flags, KUBECONFIG, ~/.kube/config, and the service
// account of a pod. The result is an *http.Client that has the credentials in
// it, and the server's URL.
//
//	config, err := kubeconfig.Load(kubeconfig.Options{})
//	w := stream.Watcher{Client: config.Client, Server: config.Server, …}
//
// The way from files to a client, one file of this package per step:
//
//	files ─► document ─► merge ─► choose ─► cluster ─┐
//	         (YAML)     (catalog)        └► user ────┴─► load ─► package transport
//
// Terms:
//
//   - A file is a kubeconfig file. Several are merged entry by entry: the
//     first file that defines a name wins, whole.
//   - An entry is a named item of the lists clusters, users and contexts.
//   - A section is a YAML mapping that is being read, with its place for
//     messages.
//
// Only the chosen entries are decoded. What is wrong with somebody else's
// user, or with a cluster that is not in use, never fails the run.
//
// The order is kubectl's, not that of controllers: files first, and the pod's
// service account only if they configure nothing. A program that is to run in
// a pod and nowhere else uses package incluster, which links no YAML parser.
//
// Where this package departs from client-go, it does so to be kinder or
// safer:
//
//   - Never localhost:8080, never a prompt for a user name. What is missing is
//     named, and the names that exist are listed.
//   - A server without a scheme is https. In client-go it is http, and loses
//     its credentials.
//   - An explicit token (Options.Token) is the identity: it wins over all that
//     the chosen user has, its token file and client certificate included.
//   - Options.As replaces the chosen user's whole impersonation.
//   - White space anywhere inside base64 data is ignored.
//   - What client-go does silently is in Config.Warnings: credentials that are
//     not sent over plain http, settings that have no effect, misspelt keys,
//     keys given twice, further documents.
//
// A request whose credentials cannot be had fails with an error that has a
// method FailureKind, which returns "credentials"; see package transport.
//
// Load contacts nobody and runs nothing; [Config.Details] says what it found
// where. It reads files, and so it waits for a pipe that nobody writes to.
//
// No error and no warning holds a token, a password, a key, what a plugin
// printed, or the value of an environment variable of a plugin.
//
// What it will not do: write a kubeconfig file, log in, cache credentials on
// disk, or support auth-provider (its replacement, exec, is supported).
package kubeconfig
