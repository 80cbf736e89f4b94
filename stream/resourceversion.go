package stream

import "strings"

// isVersion: "" and "0" are no resourceVersions. They ask for some state, and
// say nothing about where a watch is.
func isVersion(v string) bool { return v != "" && v != "0" }

// isOlder reports whether a is older than b, both being resourceVersions of
// one collection. It is used for one purpose only: to notice a server that
// went back in time after a restored backup. Everywhere else versions are
// compared for equality.
//
// Since Kubernetes 1.35 versions are documented to be decimals without
// leading zeros that compare by length and then by digits
// (apimachinery pkg/util/resourceversion). Anything else is not comparable,
// and then nothing is older.
func isOlder(a, b string) bool {
	if !isDecimal(a) || !isDecimal(b) {
		return false
	}
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

func isDecimal(v string) bool {
	return v != "" && v[0] != '0' && strings.Trim(v, "0123456789") == ""
}
