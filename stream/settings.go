package stream

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/decode"
)

// settings are a Watcher's fields with the defaults filled in. The Watcher
// itself is never written to, so what a caller reads there is what they set.
type settings struct {
	client    *http.Client
	server    *url.URL
	target    Target
	view      View
	start     Start
	version   string
	policy    Policy
	backoff   backoff.Policy
	userAgent string
	trace     Trace
	rand      *rand.Rand

	pageSize      int // 0: all in one
	maxFrame      int
	watchTimeout  time.Duration
	headerTimeout time.Duration
	idleTimeout   time.Duration // 0: by the request
	checkpoint    *Checkpoint
	listFirst     bool
	cachedList    bool
	tracked       bool
	bookmarks     bool
}

// Defaults of a Watcher.
const (
	defaultPageSize      = 500 // as client-go's pager
	defaultWatchTimeout  = 5 * time.Minute
	defaultHeaderTimeout = 5 * time.Minute
	listIdleTimeout      = 75 * time.Second // servers give a list 60 s
	streamIdleTimeout    = 30 * time.Second // before the end of what exists
	bookmarkIdleTimeout  = 75 * time.Second // once a stream has shown a bookmark: they come once a minute
	watchIdleGrace       = 15 * time.Second // beyond the length a watch asked for
)

// resolve checks the fields of w and fills in the defaults.
func (w *Watcher) resolve() (*settings, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	s := &settings{
		client:        plain(w.Client),
		server:        w.Server,
		target:        w.Target,
		view:          w.View,
		start:         w.Start,
		version:       w.ResourceVersion,
		policy:        w.Policy,
		backoff:       w.Backoff,
		userAgent:     w.UserAgent,
		rand:          w.Rand,
		pageSize:      cmp.Or(w.PageSize, defaultPageSize),
		maxFrame:      cmp.Or(w.MaxFrame, decode.DefaultLimit),
		watchTimeout:  cmp.Or(w.WatchTimeout, defaultWatchTimeout),
		headerTimeout: cmp.Or(w.HeaderTimeout, defaultHeaderTimeout),
		idleTimeout:   w.IdleTimeout,
		checkpoint:    w.Checkpoint,
		listFirst:     w.ListFirst,
		cachedList:    w.CachedList,
		tracked:       !w.Untracked,
		bookmarks:     w.Bookmarks,
	}
	s.pageSize = max(s.pageSize, 0)
	if w.Trace != nil {
		s.trace = *w.Trace
	}
	if s.userAgent == "" {
		s.userAgent = defaultUserAgent
	}
	if s.rand == nil {
		s.rand = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return s, nil
}

func (w *Watcher) check() error {
	switch {
	case w.Server == nil:
		return &ConfigError{"Server", "is nil"}
	case w.Server.Scheme != "http" && w.Server.Scheme != "https":
		return &ConfigError{"Server", "needs the scheme http or https"}
	case w.Server.Host == "":
		return &ConfigError{"Server", "has no host"}
	case w.Target.Version == "":
		return &ConfigError{"Target.Version", "is empty"}
	case w.Target.Resource == "":
		return &ConfigError{"Target.Resource", "is empty"}
	case w.Target.misleads() != "":
		return &ConfigError{"Target." + w.Target.misleads(), `is no name: it is "." or "..", or has "/" or "%" in it`}
	case w.Start == StartExact && !isVersion(w.ResourceVersion):
		return &ConfigError{"ResourceVersion", `is "` + w.ResourceVersion + `", which is no version to start after: use StartList, or StartMostRecent or StartAny if that is what is meant`}
	case w.Start != StartExact && w.ResourceVersion != "":
		return &ConfigError{"ResourceVersion", "goes with StartExact only"}
	case w.Start < StartList || w.Start > StartAny:
		return &ConfigError{"Start", "is unknown"}
	case w.View < Object || w.View > TableObject:
		return &ConfigError{"View", "is unknown"}
	case w.ListFirst && w.Untracked:
		return &ConfigError{"ListFirst", "compares with the index, which Untracked does not keep"}
	case w.MaxFrame < 0:
		return &ConfigError{"MaxFrame", "is negative"}
	case w.HeaderTimeout < 0:
		return &ConfigError{"HeaderTimeout", "is negative"}
	case w.IdleTimeout < 0:
		return &ConfigError{"IdleTimeout", "is negative"}
	case w.WatchTimeout != 0 && w.WatchTimeout < time.Second:
		return &ConfigError{"WatchTimeout", "is under 1 s, the unit the server counts in"}
	}
	return nil
}

// plain copies a client without what would break a watch: a Timeout that also
// ends a running body, and redirects, which would carry the bearer token to
// whatever host they name.
func plain(client *http.Client) *http.Client {
	if client == nil {
		client = http.DefaultClient
	}
	c := *client
	c.Timeout = 0
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}
