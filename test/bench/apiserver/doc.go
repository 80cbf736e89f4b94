// Package apiserver is the real API server that suites measure with, one for
// all suites of a run, and what peers have to be told of it.
//
// Objects are written into its storage, past the API: there a pod takes two
// requests (the object, then its status), admission and managedFields that are
// computed, and 5,000 of them half a minute; here it takes three seconds, and
// the API server, which reads JSON in its storage as well, sends the same bytes
// as if the pods had lived there for long.
package apiserver
