// Package discovery finds out which collection a person means by "deploy".
//
// A server tells what it has in one of two forms:
//
//   - aggregated: /api and /apis answer with everything at once
//     (kubernetes.io/docs/concepts/overview/kubernetes-api, "Aggregated
//     discovery": 1.26 and later).
//   - plain: /api and /apis only name the groups; each version of each group
//     is a request of its own.
//
// Both become a list of groups in the server's order of priority, and
// [Client.Resolve] looks a name up in it. Beside types it knows of namespaces
// whether they are there.
//
// # Terms
//
//   - type: what a person writes, TYPE[.VERSION][.GROUP]. TYPE is the plural,
//     the singular, the kind or a short name; case does not matter.
//   - resource: the plural, as it stands in a URL.
//   - broken group: one whose own server does not answer. It fails only the
//     types that belong to it.
//
// # What it will not do
//
// It keeps nothing between two runs of the command: a cache on disk is wrong
// exactly when a person has just installed the thing they want to see.
package discovery
