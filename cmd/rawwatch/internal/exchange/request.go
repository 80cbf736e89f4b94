package exchange

import (
	"strings"

	"example.com/rawwatch/stream"
)

// IsTrue reads a query value as the server does.
func IsTrue(v string) bool { return v != "" && v != "0" && !strings.EqualFold(v, "false") }

// ViewOf is the view that an Accept header asks for first of all.
func ViewOf(accept string) stream.View {
	first, _, _ := strings.Cut(accept, ",")
	switch {
	case strings.Contains(first, "as=Table"):
		return stream.Table
	case strings.Contains(first, "as=PartialObjectMetadata"):
		return stream.MetadataOnly
	}
	return stream.Object
}
