// Package tree holds a JSON text so that it can be walked through and shown as
// the server wrote it: keys in its order, numbers by their text.
//
// # Terms
//
//   - node: one value, with all that is in it.
//   - mask: what stands for a value that must not be shown. Masked values still
//     tell equal ones from others.
//
// # How JSON is read
//
// As package decode reads it: RFC 8259, bytes that are not UTF-8 kept, and of
// duplicate keys the last one counts, as a whole; it stands where the first one
// stood.
//
// # What it will not do
//
// It changes nothing and writes no JSON for machines: whoever wants that has
// the server's own bytes.
package tree
