package stream

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

const aUID, bUID = "9eac3acf-21d5-48dd-8ed7-bddc1ac53b22", "df07d152-0842-4fe6-823e-7733527f7361"

func TestIdentityKeepsWhatItWasGiven(t *testing.T) {
	for _, uid := range []string{"", aUID, "u-a", "9EAC3ACF-21D5-48DD-8ED7-BDDC1AC53B22", "00000000-0000-0000-0000-000000000000", "9eac3acf-21d5-48dd-8ed7-bddc1ac53b2", "9eac3acf021d5-48dd-8ed7-bddc1ac53b22", "9eac3acf-21d5-48dd-8ed7-bddc1ac53b2g", "/eac3acf-21d5-48dd-8ed7-bddc1ac53b22"} {
		for _, version := range []string{"", "1", "10340", "9223372036854775807", "99999999999999999999", "0", "007", "v:7/é"} {
			id := newIdentity([]byte(uid), []byte(version))
			assert.Equal(t, uid, id.uidText())
			assert.Equal(t, version, id.versionText())
		}
	}
}

func TestIdentityCompares(t *testing.T) {
	for _, tt := range []struct {
		a, b                [2]string
		sameObject, sameVer bool
	}{
		{[2]string{aUID, "1"}, [2]string{aUID, "1"}, true, true},
		{[2]string{aUID, "1"}, [2]string{aUID, "2"}, true, false},
		{[2]string{aUID, "1"}, [2]string{bUID, "1"}, false, false},
		{[2]string{aUID, "1"}, [2]string{"", "1"}, true, true},
		{[2]string{aUID, ""}, [2]string{aUID, ""}, true, false},
		{[2]string{aUID, "1"}, [2]string{aUID, ""}, true, false},
		{[2]string{"odd", "x1"}, [2]string{"odd", "x1"}, true, true},
		{[2]string{"odd", "x1"}, [2]string{"other", "x1"}, false, false},
		{[2]string{"odd", "1"}, [2]string{aUID, "1"}, false, false},
		{[2]string{aUID, "007"}, [2]string{aUID, "7"}, true, false},
		{[2]string{"", ""}, [2]string{"", ""}, true, false},
	} {
		a, b := newIdentity([]byte(tt.a[0]), []byte(tt.a[1])), newIdentity([]byte(tt.b[0]), []byte(tt.b[1]))
		for range 2 {
			assert.Equal(t, tt.sameObject, a.sameObject(b), "object %v %v", tt.a, tt.b)
			assert.Equal(t, tt.sameVer, a.sameVersion(b), "version %v %v", tt.a, tt.b)
			a, b = b, a
		}
	}
}

func TestIndexReusesSlots(t *testing.T) {
	var x index
	for round := range 5 {
		for i := range 100 {
			name := fmt.Sprint("n", i)
			x.put(x.find([]byte("t"), []byte(name)), "t", name, newIdentity([]byte(aUID), fmt.Append(nil, round+1)))
		}
		for i := range 100 {
			name := fmt.Sprint("n", i)
			x.remove(x.find([]byte("t"), []byte(name)), "t", name)
		}
	}
	assert.Empty(t, x.places)
	assert.Len(t, x.entries, 100)
	assert.Equal(t, nowhere, x.find([]byte("t"), []byte("n1")))
	x.remove(nowhere, "t", "n1") // nothing to forget
}

func TestIndexSweepFindsTheUnmarkedInOrder(t *testing.T) {
	var x index
	id := newIdentity([]byte(aUID), []byte("1"))
	for _, name := range []string{"c", "a", "b"} {
		x.put(nowhere, "t", name, id)
	}
	x.begin()
	assert.Equal(t, []string{"t/a", "t/b", "t/c"}, x.unmarked())
	x.mark(x.find([]byte("t"), []byte("b")))
	assert.Equal(t, []string{"t/a", "t/c"}, x.unmarked())
	namespace, name := split("/clusterwide")
	assert.Equal(t, "", namespace)
	assert.Equal(t, "clusterwide", name)
}

// BenchmarkIndexSize reports the live heap per object at 100,000 objects, with
// names as long as those of real pods.
func BenchmarkIndexSize(b *testing.B) {
	const objects = 100_000
	for b.Loop() {
		before := LiveHeap()
		var x index
		for i := range objects {
			uid := fmt.Appendf(nil, "%08x-21d5-48dd-8ed7-bddc1ac53b22", i)
			x.put(nowhere, "production", fmt.Sprintf("checkout-7d4b9c6f5d-%05d", i), newIdentity(uid, fmt.Append(nil, 10340+i)))
		}
		b.ReportMetric(float64(LiveHeap()-before)/objects, "B/object")
		runtime.KeepAlive(&x)
	}
}
