package status

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"slices"
	"syscall"
)

// Transport errors are told apart by their types, as net/http hands them out
// inside a *url.Error. Only what a person has to put right is told apart;
// resets, timeouts, HTTP/2 errors and the rest need no names, since all of
// them mean: try again.

// certificate: the server's certificate was not accepted. (The other way
// round, a server that refuses ours, is an alert that looks like any other
// broken connection.)
func certificate(err error) bool {
	return within(err, func(err error) bool {
		switch err.(type) {
		case *tls.CertificateVerificationError, x509.UnknownAuthorityError, x509.HostnameError,
			x509.CertificateInvalidError, x509.SystemRootsError:
			return true
		}
		return false
	})
}

// notTLS: https was spoken to a server that does not speak it. net/http turns
// tls.RecordHeaderError into ErrSchemeMismatch when the answer looks like
// HTTP. The opposite mistake is no transport error but a 400.
func notTLS(err error) bool {
	return within(err, func(err error) bool {
		_, record := err.(tls.RecordHeaderError)
		return record || err == http.ErrSchemeMismatch
	})
}

// unreachable: nobody is there, or the name has no address.
func unreachable(err error) bool {
	return within(err, func(err error) bool {
		switch err := err.(type) {
		case *net.DNSError:
			return true
		case syscall.Errno:
			return slices.Contains(nobodyThere[:], err)
		}
		return false
	})
}

// within reports whether is holds of err, or of an error within it. (A type
// switch in here asks for many types at once; errors.As would walk, and link
// code, for each of them.)
func within(err error, is func(error) bool) bool {
	if err == nil || is(err) {
		return err != nil
	}
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		return within(err.Unwrap(), is)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(err.Unwrap(), func(err error) bool { return within(err, is) })
	}
	return false
}

var nobodyThere = [...]syscall.Errno{
	syscall.ECONNREFUSED,
	syscall.EHOSTUNREACH,
	syscall.ENETUNREACH,
	// Windows has numbers of its own for the three (WSAECONNREFUSED,
	// WSAEHOSTUNREACH, WSAENETUNREACH), which package syscall does not equate.
	// No other system uses numbers this high.
	10061,
	10065,
	10051,
}
