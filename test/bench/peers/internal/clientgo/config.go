// Package clientgo has what the peers that use client-go have in common.
package clientgo

import "k8s.io/client-go/rest"

// Config is what a program in a pod would have, without a limit of its own (five
// requests a second would be one).
func Config(server, ca, token string) *rest.Config {
	return &rest.Config{
		Host: server, BearerToken: token, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAFile: ca},
	}
}
