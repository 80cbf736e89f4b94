// Package transport turns "this server, trusted this way, as this user" into
// an *http.Client. It knows nothing of kubeconfig files: package kubeconfig
// and package incluster find out what to ask for, and this package does it.
//
//	Config ─► NewClient ─► *http.Client ─► roundTripper ─► pool ─► connections
//	             Credential ──► Proof ────────┘     └── TLS files
//
// Terms:
//
//   - A [Credential] answers, for every single request, what proves who we
//     are. Its answer is a [Proof]: an Authorization header, a client
//     certificate, or both.
//   - A pool is one http.Transport, built for one set of trusted roots and one
//     client certificate. When either changes on disk, or a plugin hands out
//     another certificate, new requests go to a new pool. Streams that run on
//     the old one are left alone, so a certificate's rotation cuts no watch.
//   - The origin is the scheme, host and port that the client was made for.
//     Requests to anywhere else are refused, not sent without credentials.
//
// What the client does beyond http.Transport:
//
//   - Credentials are looked up at each request, never kept in a header.
//   - A 401 makes the credential renew itself, and the request is sent once
//     more if that brought something new.
//   - Credentials are only ever sent over TLS. For a server reached by plain
//     http there are none; only impersonation headers are sent, as kubectl
//     does.
//   - Redirects are answered to the caller and never followed.
//
// What it will not do: limit the life of a response body (a watch is a body
// that lasts for hours), retry anything but that one 401, cache on disk, or
// put a secret in an error.
//
// The package imports only the standard library, and of that nothing that
// net/http does not need as well: programs that watch from inside a cluster
// stay small.
package transport
