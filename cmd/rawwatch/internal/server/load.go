package server

import (
	"example.com/rawwatch/cmd/rawwatch/internal/exchange"
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
	s, guesses := &sight{kinds: map[string]kind{}}, map[*exchange.Exchange]int{}
	sorter := exchange.Sorter{Each: func(p exchange.Part) error {
		switch p.Kind {
		case exchange.Asked:
			guesses[p.Exchange] = len(s.guesses)
			s.guesses = append(s.guesses, replay.Request{Path: p.URL.EscapedPath()})
		case exchange.Line, exchange.Answer:
			s.meet(&p, &s.guesses[guesses[p.Exchange]])
		case exchange.Ended:
			delete(guesses, p.Exchange)
		}
		return nil
	}}
	return s, sorter.All(r)
}

// meet takes note of what a line or an answer to request says it is.
func (s *sight) meet(p *exchange.Part, request *replay.Request) {
	object := p.Event.Meta
	if p.Kind == exchange.Answer && decode.ScanObject(p.Bytes, &object) != nil {
		return
	}
	k := kind{string(object.Kind), string(object.APIVersion)}
	if k.name == "" {
		return
	}
	if request.Path == "" {
		*request = replay.Request{Path: playback.Path(k.name, k.apiVersion), Query: map[string]string{}}
		if p.Kind == exchange.Line {
			request.Query["watch"], request.Query["resourceVersion"] = "true", unknownVersion
		}
	}
	if _, known := s.kinds[request.Path]; !known && p.Kind == exchange.Line && k.name != "Status" {
		s.kinds[request.Path] = k
	}
}
