// Package versions keeps the last version of objects, to compare the next one
// with, within a number of bytes.
package versions

import (
	"container/list"
	"hash/maphash"
)

// DefaultLimit is how many bytes of objects are kept to compare with. It holds
// some 8,000 pods of 8 KiB.
const DefaultLimit = 64 << 20

// Cache keeps the last version of objects, up to a number of bytes: those that
// were changed last. It knows of which others there has been one, at 16 bytes
// each, to say so.
type Cache struct {
	limit   int
	size    int
	newest  *list.List // of *body
	entries map[Key]*list.Element
	// forgotten are hashes of keys: two objects of the same hash share no more
	// than what is said about them.
	forgotten map[uint64]struct{}
	seed      maphash.Seed
}

// Key is an object of one of several sources.
type Key struct {
	Source          any // comparable
	Namespace, Name string
}

type body struct {
	key  Key
	text []byte
}

// overhead is about what an entry costs beside its bytes: list, map and keys.
const overhead = 300

// New makes a Cache of so many bytes.
func New(limit int) *Cache {
	return &Cache{
		limit: limit, newest: list.New(), entries: map[Key]*list.Element{},
		forgotten: map[uint64]struct{}{}, seed: maphash.MakeSeed(),
	}
}

// Before is what is known of the version before.
type Before uint8

const (
	NotSeen   Before = iota
	Kept             // it is there
	Forgotten        // it was there, and had to make room
)

// Swap puts the version of an object in the place of the one before, and
// returns that one. text is kept, not copied.
func (c *Cache) Swap(key Key, text []byte) (old []byte, what Before) {
	old, what = c.Drop(key)
	if len(text)+overhead > c.limit {
		c.forget(key) // for it, all others would have to go
		return old, what
	}
	c.entries[key] = c.newest.PushFront(&body{key, text})
	c.size += len(text) + overhead
	for c.size > c.limit {
		last := c.newest.Back().Value.(*body)
		c.Drop(last.key)
		c.forget(last.key)
	}
	return old, what
}

// Drop removes an object, and what is known about it.
func (c *Cache) Drop(key Key) (old []byte, what Before) {
	if e, ok := c.entries[key]; ok {
		old = e.Value.(*body).text
		c.newest.Remove(e)
		delete(c.entries, key)
		c.size -= len(old) + overhead
		return old, Kept
	}
	hash := c.hash(key)
	if _, ok := c.forgotten[hash]; ok {
		delete(c.forgotten, hash)
		return nil, Forgotten
	}
	return nil, NotSeen
}

func (c *Cache) forget(key Key) { c.forgotten[c.hash(key)] = struct{}{} }

func (c *Cache) hash(key Key) uint64 { return maphash.Comparable(c.seed, key) }
