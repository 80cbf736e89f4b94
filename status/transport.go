package status

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
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
	var (
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		roots     x509.SystemRootsError
	)
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &hostname) ||
		errors.As(err, &invalid) || errors.As(err, &roots)
}

// notTLS: https was spoken to a server that does not speak it. net/http turns
// tls.RecordHeaderError into ErrSchemeMismatch when the answer looks like
// HTTP. The opposite mistake is no transport error but a 400.
func notTLS(err error) bool {
	var record tls.RecordHeaderError
	return errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &record)
}

// unreachable: nobody is there, or the name has no address.
func unreachable(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return true
	}
	for _, errno := range nobodyThere {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

var nobodyThere = [...]error{
	syscall.ECONNREFUSED,
	syscall.EHOSTUNREACH,
	syscall.ENETUNREACH,
	// Windows has numbers of its own for the three (WSAECONNREFUSED,
	// WSAEHOSTUNREACH, WSAENETUNREACH), which package syscall does not equate.
	// No other system uses numbers this high.
	syscall.Errno(10061),
	syscall.Errno(10065),
	syscall.Errno(10051),
}
