package stream

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// index remembers which objects the caller has, and in which version, but
// never the objects.
//
//	places:  "namespace/name" ─► slot
//	entries: slot ─► uid 16 bytes │ version 8 │ other 8 │ mark 4 │ given 4
//
// A uid in the form Kubernetes makes them and a decimal version are kept as
// numbers; whatever else a server sends is kept as it is, in other. The slots
// are apart from the map so that an event of a known object writes to the
// slice alone and allocates nothing.
//
// A relist is mark and sweep: each list item marks its entry with the number
// of the run, and when the list has been read whole, the entries without that
// mark are gone from the server.
type index struct {
	places  map[string]int32
	entries []entry
	free    []int32 // slots of removed entries

	run uint32 // the mark of the current run; entries begin with 0
	// complete: a whole list has been seen, so an object that is not in here
	// does not exist for the caller.
	complete bool

	key []byte // scratch, to look up without allocating
}

type entry struct {
	identity
	mark  uint32 // the last run that showed the object
	given uint32 // the run in which it was last delivered
}

// nowhere is the slot of an object that is not in the index.
const nowhere = int32(-1)

// identity tells one version of one object from every other.
type identity struct {
	uid     [16]byte
	version uint64
	other   *other // nil in nearly every case
}

// other holds what does not fit the numbers.
type other struct{ uid, version string }

// newIdentity reads what a server sent. Absent fields stay zero.
func newIdentity(uid, version []byte) identity {
	var id identity
	decimal := false
	if id.version, decimal = parseVersion(version); !decimal || !parseUID(&id.uid, uid) {
		id.keepOther(uid, version)
	}
	return id
}

// keepOther keeps what is no number. It is apart, so that an identity that is
// two numbers, as nearly all are, costs no memory.
func (id *identity) keepOther(uid, version []byte) {
	var odd other
	if id.uid == [16]byte{} && !parseUID(&id.uid, uid) {
		odd.uid = string(uid)
	}
	if id.version == 0 {
		odd.version = string(version)
	}
	if odd != (other{}) {
		id.other = &odd
	}
}

// parseUID reads the lower-case form 8-4-4-4-12 that Kubernetes makes, which
// can be written back exactly.
func parseUID(dst *[16]byte, s []byte) bool {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	var id [16]byte
	var bad byte
	for i, at := range uidDigits {
		high, low := hexDigits[s[at]], hexDigits[s[at+1]]
		bad |= high | low
		id[i] = high<<4 | low
	}
	// All zeros would read back as "no uid".
	if bad > 0xf || id == [16]byte{} {
		return false
	}
	*dst = id
	return true
}

// uidDigits is where in the text each byte of a uid begins.
var uidDigits = [16]byte{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// hexDigits is the value of a lower-case digit, and 0xff for any other byte. A
// uid is read for each event, and a table does it in a tenth of the time that
// comparisons take.
var hexDigits = func() (t [256]byte) {
	for c := range t {
		t[c] = 0xff
	}
	for i, c := range []byte("0123456789abcdef") {
		t[c] = byte(i)
	}
	return t
}()

// parseVersion reads a decimal that can be written back exactly.
func parseVersion(s []byte) (uint64, bool) {
	if len(s) == 0 || len(s) > 19 || s[0] == '0' {
		return 0, false
	}
	var v uint64
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return v, true
}

// sameObject: not known to be two objects of one name. Only two uids that are
// both there can tell: aggregated APIs may send none.
func (id identity) sameObject(to identity) bool {
	if id.other == nil && to.other == nil {
		none := [16]byte{}
		return id.uid == to.uid || id.uid == none || to.uid == none
	}
	a, b := id.uidText(), to.uidText()
	return a == b || a == "" || b == ""
}

// sameVersion: known to be the same state of the same object. A version that
// is absent proves nothing, so the caller rather gets a state twice than never.
func (id identity) sameVersion(as identity) bool {
	if !id.sameObject(as) {
		return false
	}
	if id.other == nil && as.other == nil {
		return id.version == as.version && id.version != 0
	}
	a := id.versionText()
	return a != "" && a == as.versionText()
}

func (id identity) uidText() string {
	switch {
	case id.uid != [16]byte{}:
		h := hex.EncodeToString(id.uid[:])
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	case id.other != nil:
		return id.other.uid
	}
	return ""
}

func (id identity) versionText() string {
	switch {
	case id.version != 0:
		return strconv.FormatUint(id.version, 10)
	case id.other != nil:
		return id.other.version
	}
	return ""
}

// begin starts a run of a list: nothing is marked yet.
func (x *index) begin() { x.run++ }

// find is the slot of an object, or nowhere.
func (x *index) find(namespace, name []byte) int32 {
	x.key = append(append(append(x.key[:0], namespace...), '/'), name...)
	if slot, ok := x.places[string(x.key)]; ok {
		return slot
	}
	return nowhere
}

// news is what an object that a server shows is to the caller.
type news int

const (
	unknown  news = iota // never seen, or seen and deleted
	changed              // another version of a known object
	repeated             // the caller has had exactly this
	replaced             // another object of the same name: the known one is gone
	stale                // a DELETED with the version of the object and not of its delete
)

// judge compares what a server shows with what the caller has.
func (x *index) judge(kind EventType, slot int32, id identity) news {
	if slot == nowhere {
		if kind == Deleted && x.complete {
			// Reported before. If a relist did, the entry went with it.
			return repeated
		}
		return unknown
	}
	known := x.entries[slot].identity
	switch {
	case kind == Deleted && !known.sameObject(id):
		return repeated // the end of an object that was replaced before
	case kind == Deleted && known.sameVersion(id):
		// Old servers send the object's last version, which may be older
		// than the resume point.
		return stale
	case known.sameVersion(id):
		return repeated
	case !known.sameObject(id):
		return replaced
	}
	return changed
}

// put records a version of an object in its slot, or in a new one.
func (x *index) put(slot int32, namespace, name string, id identity) {
	if slot != nowhere {
		x.entries[slot] = entry{id, x.run, x.run}
		return
	}
	if n := len(x.free); n > 0 {
		slot, x.free = x.free[n-1], x.free[:n-1]
		x.entries[slot] = entry{id, x.run, x.run}
	} else {
		slot = int32(len(x.entries))
		x.entries = append(x.entries, entry{id, x.run, x.run})
	}
	if x.places == nil {
		x.places = make(map[string]int32)
	}
	x.places[namespace+"/"+name] = slot
}

func (x *index) mark(slot int32)             { x.entries[slot].mark = x.run }
func (x *index) marked(slot int32) bool      { return x.entries[slot].mark == x.run }
func (x *index) delivered(slot int32) uint32 { return x.entries[slot].given }

// remove forgets an object.
func (x *index) remove(slot int32, namespace, name string) {
	if slot == nowhere {
		return
	}
	delete(x.places, namespace+"/"+name)
	x.entries[slot] = entry{}
	x.free = append(x.free, slot)
}

// unmarked lists the keys that the current run has not marked, in order.
func (x *index) unmarked() []string {
	var keys []string
	for key, slot := range x.places {
		if !x.marked(slot) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// split takes a key apart: neither namespaces nor names hold a slash.
func split(key string) (namespace, name string) {
	namespace, name, _ = strings.Cut(key, "/")
	return namespace, name
}
