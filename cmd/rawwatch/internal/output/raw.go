package output

import "example.com/rawwatch/stream"

// rawLines prints the lines of the watch as they were received, and nothing of
// a list. {"type":…,"object":…} around the object's bytes is the line: API
// servers send these two keys, in this order, without spaces
// (apimachinery, meta/v1 WatchEvent).
type rawLines struct {
	relisting bool // what comes now is from a list
}

func (r *rawLines) append(b []byte, ev stream.Event) []byte {
	switch ev.Type {
	case stream.Gap, stream.Reset:
		r.relisting = true
		return b
	case stream.Synced:
		r.relisting = false
		return b
	}
	if r.relisting || ev.Inferred {
		return b
	}
	b = append(b, `{"type":"`...)
	b = append(b, ev.Type...)
	b = append(b, `","object":`...)
	b = append(b, ev.Object...)
	return append(b, "}\n"...)
}
