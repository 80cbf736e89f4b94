// Package clientcmd holds the comparison of package kubeconfig with
// client-go's package of this name: the cases of testdata/kubeconfig go
// through client-go, and what comes out has to be what the cases want of us.
// Where it is not, differences.txt beside the cases says so, and why.
package clientcmd
