package server

import (
	"io"
	"net/url"

	"example.com/rawwatch/cmd/rawwatch/internal/playback"
	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream/replay"
)

// Load reads a recording and makes a Server of it, with faults in it. open is
// called twice, and again for each object that is asked for by name. With speed
// 1 the pauses are those of the recording, with 0 there are none.
func Load(open func() (*replay.Reader, error), speed float64, faults []replay.Fault) (*Server, error) {
	seen, err := look(open)
	if err != nil {
		return nil, err
	}
	r, err := open()
	if err != nil {
		return nil, err
	}
	script, err := r.Script(speed)
	if err != nil {
		return nil, err
	}
	// Events alone and answers alone are recordings, too. They say what they
	// are about, if not what was asked.
	for n := range script {
		if e := &script[n]; e.Request.Path == "" && len(e.Answer) > 0 && n < len(seen.guesses) {
			e.Request = seen.guesses[n]
		}
	}
	for _, f := range faults {
		if script, err = script.Inject(f); err != nil {
			return nil, err
		}
	}
	s := New(script)
	s.kinds, s.guessed, s.open = seen.kinds, r.Header.Version == 0, open
	return s, nil
}

// sight is what a first look at a recording shows.
type sight struct {
	// guesses are the requests of a file that has none, one for each exchange.
	guesses []replay.Request
	kinds   map[string]kind // of the objects, by path
}

// kind is that of an object, with the group and version.
type kind struct{ name, apiVersion string }

func look(open func() (*replay.Reader, error)) (*sight, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	s, asked := &sight{kinds: map[string]kind{}}, map[int]replay.Request{}
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		request := asked[rec.Exchange]
		switch {
		case rec.Kind == replay.KindRequest:
			if u, err := url.Parse(rec.URL); err == nil {
				request.Path = u.EscapedPath()
			}
			asked[rec.Exchange] = request
			s.guesses = append(s.guesses, request)
			continue
		case rec.Kind != replay.KindEvent && rec.Kind != replay.KindBody:
			continue
		}
		k := kindOf(rec)
		if request.Path == "" && k.name != "" {
			request = guess(rec, k)
			asked[rec.Exchange], s.guesses[len(s.guesses)-1] = request, request
		}
		if _, known := s.kinds[request.Path]; !known && rec.Kind == replay.KindEvent && k.name != "" && k.name != "Status" {
			s.kinds[request.Path] = k
		}
	}
}

// kindOf is the kind of a record's object, or list; zero if there is none.
func kindOf(rec *replay.Record) kind {
	var (
		scanner decode.Scanner
		ev      decode.Event
	)
	if rec.Kind == replay.KindEvent {
		if scanner.ScanEvent(rec.Bytes, &ev) != nil {
			return kind{}
		}
	} else if scanner.ScanObject(rec.Bytes, &ev.Meta) != nil {
		return kind{}
	}
	return kind{string(ev.Kind), string(ev.APIVersion)}
}

// guess is the request that rec is the answer to.
func guess(rec *replay.Record, k kind) replay.Request {
	request := replay.Request{Path: playback.Path(k.name, k.apiVersion), Query: map[string]string{}}
	if rec.Kind == replay.KindEvent {
		request.Query["watch"], request.Query["resourceVersion"] = "true", unknownVersion
	}
	return request
}
