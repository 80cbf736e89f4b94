// Package proxy is a bad network on demand: a TCP proxy between a client and a
// server that stalls, cuts, resets and refuses when a test says so.
//
// It forwards bytes and knows nothing of what they mean, so TLS passes through
// it whole, and so does the server's certificate, as long as that is valid for
// 127.0.0.1.
//
// # Terms
//
//   - link: one connection of a client and the one to the server behind it.
//   - stall: nothing moves, in either direction, and nothing is closed. This is
//     what a lost route or a peer that hangs looks like.
//   - freeze: a stall of the links there are, for good, while new ones work.
//     This is what an entry that a NAT has dropped looks like.
//   - cut: both sides are closed in good order (FIN), in the middle of whatever
//     was being said.
//   - reset: the client gets a RST.
//   - refuse: nobody listens; links that exist go on.
//
// # What it will not do
//
// It drops and reorders nothing within a link, since TCP would not either, and
// it delays nothing by a given time.
package proxy
