package measure

// Shared has what several suites of one run use, each started by the first that
// needs it: an API server takes seconds. The zero value has nothing yet.
type Shared struct {
	things map[string]any
	ends   []func()
}

// Share returns the thing of a name, which start makes if there is none yet.
// The function that start returns ends it, after the last suite; it may be nil.
// A name has one type.
func Share[T any](s *Shared, name string, start func() (T, func(), error)) (T, error) {
	if thing, ok := s.things[name]; ok {
		return thing.(T), nil
	}
	thing, end, err := start()
	if end != nil {
		s.ends = append(s.ends, end)
	}
	if err != nil {
		return thing, err
	}
	if s.things == nil {
		s.things = map[string]any{}
	}
	s.things[name] = thing
	return thing, nil
}

// Close ends what was started, the last first.
func (s *Shared) Close() {
	for i := range s.ends {
		s.ends[len(s.ends)-1-i]()
	}
	*s = Shared{}
}
