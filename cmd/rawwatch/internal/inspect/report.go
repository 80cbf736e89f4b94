package inspect

import "time"

// Report is what happened in a recording. Times are in seconds since its start.
type Report struct {
	Tool      string     `json:"tool,omitempty"`
	Start     *time.Time `json:"start,omitempty"`
	Seconds   float64    `json:"seconds"`
	Truncated string     `json:"truncated,omitempty"` // what is cut off at the end

	Connections []*Connection `json:"connections"`
	Kinds       []*Kind       `json:"kinds"`
	Objects     []*Object     `json:"busiestObjects"`
	// MoreObjects are those that were not counted one by one.
	MoreObjects int       `json:"moreObjects,omitempty"`
	Writers     []*Writer `json:"writers"`

	Modified int            `json:"modified"` // that could be compared with the version before
	Empty    int            `json:"emptyChanges"`
	Only     map[string]int `json:"emptyChangesBy"` // what they were of

	Biggest []Big `json:"biggestEvents"`
	Gaps    []Gap `json:"gaps"`
	// Silences are the longest times without a record.
	Silences []Silence `json:"silences"`
	// Hidden pieces are in the recording by their length only.
	Hidden int `json:"hidden,omitempty"`
	// Broken lines of a watch are no events.
	Broken int `json:"brokenLines,omitempty"`
}

// Connection is one request.
type Connection struct {
	Number  int     `json:"number"`
	At      float64 `json:"at"`
	Seconds float64 `json:"seconds"`
	What    string  `json:"what"` // "list", "watch", "get"
	URL     string  `json:"url,omitempty"`
	Status  int     `json:"status,omitempty"`
	Items   int     `json:"items,omitempty"` // of a list
	Events  int     `json:"events,omitempty"`
	Bytes   int64   `json:"bytes"`
	End     string  `json:"end"` // "" is not recorded

	path string // with the selectors
}

// Kind counts the events of one kind of object.
type Kind struct {
	Kind     string `json:"kind"`
	Listed   int    `json:"listed"`
	Added    int    `json:"added"`
	Modified int    `json:"modified"`
	Deleted  int    `json:"deleted"`
	Bookmark int    `json:"bookmarks"`
	Error    int    `json:"errors"`
	Other    int    `json:"other,omitempty"`
	Bytes    int64  `json:"bytes"`
}

// Object is one object by how often it was written.
type Object struct {
	Name   string `json:"name"` // pod/web-1 -n shop
	Events int    `json:"events"`
	Bytes  int64  `json:"bytes"`
}

// Writer is a field manager by how often it wrote.
type Writer struct {
	Name    string `json:"name"`
	Changes int    `json:"changes"`
	Empty   int    `json:"emptyChanges"`
}

// Big is an event of many bytes.
type Big struct {
	At    float64 `json:"at"`
	Type  string  `json:"type"`
	Name  string  `json:"name"`
	Bytes int     `json:"bytes"`
}

// Gap is a place where events may be missing.
type Gap struct {
	At   float64 `json:"at"`
	What string  `json:"what"`
}

// Silence is a time without a record.
type Silence struct {
	At      float64 `json:"at"`
	Seconds float64 `json:"seconds"`
}

// empty is a report in which nothing has happened: of lists that have nothing
// in them, for programs that go through them.
func empty() Report {
	return Report{
		Connections: []*Connection{}, Kinds: []*Kind{}, Objects: []*Object{}, Writers: []*Writer{},
		Only: map[string]int{}, Biggest: []Big{}, Gaps: []Gap{}, Silences: []Silence{},
	}
}

// How much of each is in a report.
const (
	mostObjects  = 10
	mostWriters  = 10
	mostBiggest  = 5
	mostSilences = 3
	// mostCounted objects are counted one by one: some 20 MB of counts.
	mostCounted = 100_000
	// mostBody is how much of an answer is held to look into it.
	mostBody = 64 << 20
	// silent: shorter times without a record are nothing to speak of.
	silent = 10 * time.Second
)
