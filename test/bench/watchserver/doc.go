// Package watchserver is an API server that does one thing at a time: streams
// that end after a life, events that come at a rate, or nothing at all. It is
// for what depends on moments, where a real server would add its own.
//
// It speaks HTTP/2 over TLS as a real one does, 100 streams to a connection
// (the default of kube-apiserver's --http2-max-streams-per-connection), and
// serves the configmaps of any namespace: one to begin with, by a list or by a
// streaming list. It knows nothing of credentials.
package watchserver
