// Package distant makes a server on this machine as far away as one on the
// network: a TCP proxy that holds every byte back for half a round trip, in
// either direction.
//
// It has all the bandwidth there is and no window of its own: it takes what is
// sent at once, and keeps it for as long as it is on its way. What then limits
// a stream is what its ends allow, which on a real path TCP would limit too. It
// loses nothing, and a connection is made without delay.
package distant
