package status

import "net/http"

// The questions the table asks about an answer. Each looks at every field
// that could speak: an answer may be put together by an aggregated server, a
// proxy and a gateway, and any one of its fields may be missing or wrong.

// opinions returns the codes that the fields of the answer name, in order of
// weight, zeros left out. The 200 around an ERROR event is no opinion: it was
// sent before the failure was known.
func (e *Error) opinions() []int {
	all := make([]int, 0, 3)
	for _, code := range [...]int{e.httpOpinion(), e.Code, CodeOf(e.Reason)} {
		if code != 0 {
			all = append(all, code)
		}
	}
	return all
}

func (e *Error) httpOpinion() int {
	if e.Event {
		return 0
	}
	return e.HTTPStatus
}

// says reports whether any field names one of the codes.
func (e *Error) says(codes ...int) bool {
	for _, opinion := range e.opinions() {
		for _, code := range codes {
			if opinion == code {
				return true
			}
		}
	}
	return false
}

// expired: any hint is enough. Holding on to a version that is gone can never
// succeed, while a relist too many costs one LIST.
func (e *Error) expired() bool { return e.says(http.StatusGone) }

func (e *Error) tooMany() bool { return e.says(http.StatusTooManyRequests) }

func (e *Error) tooLarge() bool {
	for _, cause := range e.Causes {
		if cause.Type == causeTooLarge {
			return true
		}
	}
	return false
}

func (e *Error) redirect() bool { return !e.Event && e.HTTPStatus/100 == 3 }

// clientFault: the server lays the failure at our door, and no field disagrees.
// These rows end a watch, so one contradiction is enough to keep trying.
func (e *Error) clientFault() bool {
	all := e.opinions()
	for _, code := range all {
		if code/100 != 4 || code == http.StatusRequestTimeout {
			return false
		}
	}
	return len(all) > 0
}

// clientCode reports whether the answer is a client fault with one of the
// codes.
func (e *Error) clientCode(codes ...int) bool {
	if !e.clientFault() {
		return false
	}
	for _, code := range codes {
		if e.EffectiveCode() == code {
			return true
		}
	}
	return false
}

// serverFault: some field says 408 or 5xx.
func (e *Error) serverFault() bool {
	for _, code := range e.opinions() {
		if code == http.StatusRequestTimeout || code/100 == 5 {
			return true
		}
	}
	return false
}
