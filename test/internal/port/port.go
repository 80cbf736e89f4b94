// Package port finds TCP ports for servers that are stopped and started again.
package port

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// The range lies below the one that systems take the local ports of outgoing
// connections from (32768 and up on Linux, 49152 and up elsewhere). A port of
// that range would not stay free while its server is down:
//
//  1. a test stops the server on port P, and its client keeps dialling P;
//  2. the system picks P as the local port of one of those attempts;
//  3. TCP lets the attempt meet itself: the client is connected to itself, and
//     the server cannot come back to P.
const (
	lowest  = 20000
	highest = 32000
)

// Free returns a port of 127.0.0.1 that nobody listened on a moment ago. It
// is not reserved: another process may take it first, so try again with
// another one when a server cannot listen.
func Free() (int, error) {
	for range 100 {
		port := lowest + rand.IntN(highest-lowest)
		l, err := net.Listen("tcp", Address(port))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			return 0, fmt.Errorf("port: %w", err)
		}
		return port, nil
	}
	return 0, fmt.Errorf("port: none of 100 tried between %d and %d is free", lowest, highest)
}

// Address is host and port on loopback.
func Address(port int) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}
