package transport

import "fmt"

// A CredentialError reports that a request was not sent because its
// credentials could not be had: a plugin failed, or a token file cannot be
// read and was never read before.
type CredentialError struct {
	// Err is the reason. It holds no secret, and neither plugin output nor
	// the content of a file.
	Err error
}

func (e *CredentialError) Error() string {
	return "transport: getting credentials: " + e.Err.Error()
}

func (e *CredentialError) Unwrap() error { return e.Err }

// FailureKind returns "credentials". Code that decides whether an error is
// worth another try can ask for this method and need not import this package.
func (e *CredentialError) FailureKind() string { return "credentials" }

// An InputError reports a setting that no client can be made from.
type InputError struct {
	// Field names the setting as kubeconfig files do, for instance
	// "certificate-authority" or "client-key".
	Field string
	// Err is the reason, without any of the setting's content.
	Err error
}

func (e *InputError) Error() string { return fmt.Sprintf("transport: %s: %v", e.Field, e.Err) }

func (e *InputError) Unwrap() error { return e.Err }

// A ForeignRequestError reports a request that was refused because it would
// have left the server that the client was made for, or because it follows a
// redirect. Its credentials would have gone along.
type ForeignRequestError struct {
	// Origin and Target are scheme://host:port.
	Origin, Target string
	// Redirect says that the request was made by following a redirect.
	Redirect bool
}

func (e *ForeignRequestError) Error() string {
	if e.Redirect {
		return fmt.Sprintf("transport: redirect to %s not followed: this client never follows redirects", e.Target)
	}
	return fmt.Sprintf("transport: request to %s refused: this client is for %s", e.Target, e.Origin)
}
