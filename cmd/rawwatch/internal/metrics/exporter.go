package metrics

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/cause"
	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/stream"
	"github.com/VictoriaMetrics/metrics"
)

// Source is one watch with the names it goes by.
type Source struct {
	Watcher   *stream.Watcher
	Target    stream.Target
	lag       lag
	labelText string
}

// Exporter makes the pages. Add the sources before it serves.
type Exporter struct {
	// Stale is how long the server may have sent nothing before /healthz says
	// so.
	Stale time.Duration

	sources []*Source
	began   time.Time
}

// New makes an Exporter of watches that are about to begin.
func New(stale time.Duration, sources ...*Source) *Exporter {
	metrics.ExposeMetadata(true) // # TYPE lines; the library has them off
	for _, s := range sources {
		s.labelText = labels("group", s.Target.Group, "resource", s.Target.Resource, "namespace", s.Target.Namespace)
	}
	return &Exporter{Stale: stale, sources: sources, began: time.Now()}
}

// See takes note of an event that is handed out.
func (e *Exporter) See(ev stream.Event) {
	for _, s := range e.sources {
		if s.Watcher == ev.Source {
			s.lag.see(ev, time.Now())
		}
	}
}

// ServeHTTP serves /metrics and /healthz.
func (e *Exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "there is nothing to write here", http.StatusMethodNotAllowed)
	case r.URL.Path == "/metrics":
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		e.write(w, time.Now())
	case r.URL.Path == "/healthz":
		e.health(w, time.Now())
	default:
		http.Error(w, "there is /metrics and /healthz", http.StatusNotFound)
	}
}

// health says ok, or which watch is stale and why.
func (e *Exporter) health(w http.ResponseWriter, now time.Time) {
	var stale []string
	for _, s := range e.sources {
		st := s.Watcher.State()
		// A watch that has nothing yet has had as long as the command runs.
		silent := now.Sub(latest(e.began, st.LastByte))
		torn := now.Sub(latest(e.began, s.lag.lostAt()))
		var text string
		switch {
		case silent > e.Stale:
			text = fmt.Sprintf("%s: nothing from the server for %s", s.Target, silent.Round(time.Second))
		case !st.Synced && torn > e.Stale:
			text = fmt.Sprintf("%s: what exists has not come whole for %s", s.Target, torn.Round(time.Second))
		default:
			continue
		}
		if st.LastError != nil {
			text += ": " + cause.Of(st.LastError)
		}
		stale = append(stale, escape.Text(text))
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if len(stale) > 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, strings.Join(stale, "\n")+"\n")
		return
	}
	io.WriteString(w, "ok\n")
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// write writes all metrics as they are now.
func (e *Exporter) write(w io.Writer, now time.Time) {
	page := metrics.NewSet() // of one page: the numbers live in the watches
	for _, s := range e.sources {
		s.add(page, now)
	}
	page.WritePrometheus(w)
}

func (s *Source) add(page *metrics.Set, now time.Time) {
	st := s.Watcher.State()
	count := func(name string, n int64, more ...string) {
		page.NewCounter("rawwatch_" + name + s.labels(more...)).Set(uint64(n))
	}
	gauge := func(name string, v float64, more ...string) {
		page.NewGauge("rawwatch_"+name+s.labels(more...), func() float64 { return v })
	}
	c := st.Counters
	count("events_total", c.Added, "type", "ADDED")
	count("events_total", c.Modified, "type", "MODIFIED")
	count("events_total", c.Deleted, "type", "DELETED")
	count("inferred_deletes_total", c.Inferred)
	count("bookmarks_total", c.Bookmarks)
	count("duplicates_total", c.Duplicates)
	count("unknown_events_total", c.Unknown)
	count("received_bytes_total", c.Bytes)
	count("requests_total", c.Requests)
	count("reconnects_total", c.Reconnects)
	count("relists_total", c.Relists)
	for ending, n := range st.Endings {
		count("ended_requests_total", n, "cause", ending.Row, "action", ending.Action)
	}
	for _, phase := range []stream.Phase{stream.PhaseIdle, stream.PhaseListing, stream.PhaseWatching, stream.PhaseWaiting} {
		gauge("phase", truth(st.Phase == phase), "phase", string(phase))
	}
	gauge("synced", truth(st.Synced))
	gauge("objects", float64(st.Objects))
	gauge("failures_in_a_row", float64(st.Failures))
	gauge("wait_seconds", max(0, st.NextRequest.Sub(now).Seconds()))
	gauge("checkpoint_failed", truth(st.CheckpointError != nil))
	if !st.LastByte.IsZero() {
		gauge("last_byte_age_seconds", now.Sub(st.LastByte).Seconds())
	}
	if lag, known := s.lag.last(); known {
		gauge("lag_estimate_seconds", lag.Seconds())
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// labels are those of the source, and more pairs of a name and a value.
func (s *Source) labels(more ...string) string {
	return "{" + strings.TrimSuffix(s.labelText+","+labels(more...), ",") + "}"
}

// escapeLabel is for the characters that the text form has names for.
var escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func labels(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(pairs[i] + `="` + escapeLabel.Replace(pairs[i+1]) + `"`)
	}
	return b.String()
}
