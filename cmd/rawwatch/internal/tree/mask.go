package tree

import (
	"hash/maphash"
	"strings"
)

// masked is what is shown of a value that must not be. kubectl diff writes the
// same.
const masked = "***"

// LastApplied is the annotation in which kubectl apply keeps the whole object as
// text, values of Secrets included.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// seed makes masks useless to whoever would try likely values against them; and
// they are never shown.
var seed = maphash.MakeSeed()

// IsSecret reports whether n says that it is a Secret.
func IsSecret(n *Node) bool { return strings.EqualFold(n.Get("kind").String(), "Secret") }

// MaskSecret masks what a Secret keeps: the values in data and stringData, and
// the copy of them that kubectl apply makes. Keys stay.
func MaskSecret(n *Node) {
	for _, values := range []*Node{n.Get("data"), n.Get("stringData"), n.Get("metadata", "annotations", LastApplied)} {
		if values != nil {
			mask(values)
		}
	}
}

func mask(n *Node) {
	if !n.IsContainer() {
		if n.Kind != Null {
			*n = Node{Kind: String, Text: masked, Mask: maphash.String(seed, n.Text) | 1}
		}
		return
	}
	for i := range n.Items {
		mask(&n.Items[i])
	}
}
