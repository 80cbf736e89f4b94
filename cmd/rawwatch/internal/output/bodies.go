package output

import (
	"container/list"
	"hash/maphash"

	"example.com/rawwatch/stream"
)

// DefaultBodies is how many bytes of objects are kept to compare with. It holds
// some 8,000 pods of 8 KiB.
const DefaultBodies = 64 << 20

// bodies keeps the last version of objects, up to a number of bytes: those that
// were changed last. It knows of which others there has been one, at 16 bytes
// each, to say so.
type bodies struct {
	limit   int
	size    int
	newest  *list.List // of *body
	entries map[objectKey]*list.Element
	// forgotten are hashes of keys: two objects of the same hash share no more
	// than what is said about them.
	forgotten map[uint64]struct{}
	seed      maphash.Seed
}

// objectKey is an object of one of the sources.
type objectKey struct {
	source          *stream.Watcher
	namespace, name string
}

type body struct {
	key  objectKey
	text []byte
}

// overhead is about what an entry costs beside its bytes: list, map and keys.
const overhead = 300

func newBodies(limit int) *bodies {
	return &bodies{
		limit: limit, newest: list.New(), entries: map[objectKey]*list.Element{},
		forgotten: map[uint64]struct{}{}, seed: maphash.MakeSeed(),
	}
}

// before is what is known of the last version of an object.
type before uint8

const (
	notSeen before = iota
	kept
	forgotten
)

// swap puts the version of an object in the place of the one before, and
// returns that one. text is kept, not copied.
func (b *bodies) swap(key objectKey, text []byte) (old []byte, what before) {
	old, what = b.drop(key)
	if len(text)+overhead > b.limit {
		b.forget(key) // for it, all others would have to go
		return old, what
	}
	b.entries[key] = b.newest.PushFront(&body{key, text})
	b.size += len(text) + overhead
	for b.size > b.limit {
		last := b.newest.Back().Value.(*body)
		b.drop(last.key)
		b.forget(last.key)
	}
	return old, what
}

// drop removes an object, and what is known about it.
func (b *bodies) drop(key objectKey) (old []byte, what before) {
	if e, ok := b.entries[key]; ok {
		old = e.Value.(*body).text
		b.newest.Remove(e)
		delete(b.entries, key)
		b.size -= len(old) + overhead
		return old, kept
	}
	hash := b.hash(key)
	if _, ok := b.forgotten[hash]; ok {
		delete(b.forgotten, hash)
		return nil, forgotten
	}
	return nil, notSeen
}

func (b *bodies) forget(key objectKey) { b.forgotten[b.hash(key)] = struct{}{} }

func (b *bodies) hash(key objectKey) uint64 { return maphash.Comparable(b.seed, key) }
