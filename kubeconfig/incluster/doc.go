// Package incluster finds the API server and the identity that Kubernetes
// gives to every container: two environment variables, and the files of the
// pod's service account.
//
//	config, err := incluster.Load()
//	if err != nil { … errors.Is(err, incluster.ErrNotInCluster) … }
//	w := stream.Watcher{Client: config.Client, Server: config.Server, …}
//
// The token is read again about once a minute and after a 401, as Kubernetes
// requires of clients: it is replaced long before the pod ends. The CA bundle
// is read again too.
//
// HTTPS_PROXY and NO_PROXY apply, as they do in client-go. Where they are set
// for a pod, NO_PROXY should hold the cluster's service range.
//
// The package does not read kubeconfig files, and links neither a YAML parser
// nor os/exec; package kubeconfig does, and falls back to this one.
package incluster
