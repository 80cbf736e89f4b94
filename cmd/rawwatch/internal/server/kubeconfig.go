package server

import "strings"

// Kubeconfig is a kubeconfig for a Server that is reached at address. If all
// that was recorded is in one namespace, that is the default.
func (s *Server) Kubeconfig(address string) string {
	namespace := ""
	if n := s.Namespace(); n != "" {
		namespace = ", namespace: " + quote(n)
	}
	return strings.NewReplacer("ADDRESS", quote(address), ", NAMESPACE", namespace).Replace(`apiVersion: v1
kind: Config
current-context: recording
clusters:
- name: recording
  cluster: {server: ADDRESS}
contexts:
- name: recording
  context: {cluster: recording, user: recording, NAMESPACE}
users:
- name: recording
  user: {}
`)
}
