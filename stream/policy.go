package stream

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"example.com/rawwatch/status"
)

// Policy is what to do where right clients differ. The zero value is the
// choice for a program that wants to run for ever.
//
// Two published designs can be had from it: see [RetryWatcher] and
// [SoftRestart].
type Policy struct {
	// OnExpired: the server no longer has the history after the resume point.
	OnExpired OnExpired
	// OnErrorEvent: an ERROR event that is no expiry.
	OnErrorEvent OnErrorEvent
	// OnUnknownEvent: an event whose type is none of the five of Kubernetes.
	OnUnknownEvent OnUnknownEvent
	// OnMissingVersion: an event whose object has no resourceVersion.
	OnMissingVersion OnMissingVersion
	// OnFirstContact: the server has never answered yet, and cannot be reached.
	OnFirstContact OnFirstContact

	// Persist turns each stop for 400, 401, 403, 404, 405 and 422 into
	// waiting at the backoff cap.
	Persist bool

	// DeniedFor is how long 401, 403, 404 and 405 are retried once the same
	// verb had worked (a restarting server denies before its rules are
	// loaded). 0 is 2 min; negative stops at the first.
	DeniedFor time.Duration

	// MinDelay is the least time from one request's start to the next one's; the
	// pages of one list are one request.
	MinDelay time.Duration

	// MaxReconnects stops the watch after so many failures in a row that had
	// to back off. 0 is no limit.
	MaxReconnects int
}

// OnExpired chooses what an expired resume point leads to.
type OnExpired int

const (
	RelistExpired OnExpired = iota // send Gap, list again, go on
	StopExpired                    // end with an error that matches status.ErrExpired
)

// OnErrorEvent chooses what an ERROR event leads to, when it is no expiry.
type OnErrorEvent int

const (
	DecideErrorEvent OnErrorEvent = iota // as the verdict table says
	RetryErrorEvent                      // resume, whatever it says
	StopErrorEvent                       // end with the error
)

// OnUnknownEvent chooses what an event of unknown type leads to.
type OnUnknownEvent int

const (
	SkipUnknownEvent OnUnknownEvent = iota // tell Trace, go on; the resume point stays
	StopUnknownEvent                       // end with *UnknownEventError
)

// OnMissingVersion chooses what an event without resourceVersion leads to.
type OnMissingVersion int

const (
	DeliverMissingVersion OnMissingVersion = iota // deliver it; the resume point stays
	StopMissingVersion                            // end with *MissingVersionError
)

// OnFirstContact chooses what a server that cannot be reached leads to, as
// long as it has never answered.
type OnFirstContact int

const (
	// RetryUnreachable keeps trying a server that refuses connections or has
	// no address yet, and stops where waiting helps little: certificates that
	// do not verify, http spoken to https, credentials that cannot be had.
	RetryUnreachable OnFirstContact = iota
	StopFirstContact                // stop at any of them: for a person at a terminal
	RetryFirstContact
)

// RetryWatcher is the policy of client-go's RetryWatcher
// (client-go/tools/watch/retrywatcher.go): stop when history is lost, retry
// every other ERROR event, stop on events that lack a resourceVersion or have
// an unknown type, stop when denied, at least 1 s between requests. Use it
// with StartExact.
func RetryWatcher() Policy {
	return Policy{
		OnExpired:        StopExpired,
		OnErrorEvent:     RetryErrorEvent,
		OnUnknownEvent:   StopUnknownEvent,
		OnMissingVersion: StopMissingVersion,
		DeniedFor:        -1,
		MinDelay:         time.Second,
	}
}

// SoftRestart is the policy of kopf (kopf/_cogs/clients/watching.py): list
// again when history is lost, stop on every other ERROR event, skip unknown
// event types.
func SoftRestart() Policy {
	return Policy{OnErrorEvent: StopErrorEvent}
}

// deniedFor is the default of Policy.DeniedFor.
const deniedFor = 2 * time.Minute

// apply lets the caller's choices override the verdict table.
//
// atCap is the backoff's cap, which Persist waits for.
func (p Policy) apply(v status.Verdict, f status.Failure, atCap time.Duration) status.Verdict {
	answer, isAnswer := errors.AsType[*status.Error](f.Err)
	switch {
	case v.Row == status.RowExpired:
		// next stops at any Gap under StopExpired. A list whose token expired
		// has lost nothing that was promised.
	case isAnswer && answer.Event && p.OnErrorEvent == StopErrorEvent:
		v = stop(v, nil)
	case isAnswer && answer.Event && p.OnErrorEvent == RetryErrorEvent:
		v = retry(v)
	case v.Row == status.RowDeniedAfterWork:
		limit := cmp.Or(p.DeniedFor, deniedFor)
		if v.Run.Age >= limit {
			v = stop(v, v.Err)
		} else {
			v = retry(v)
		}
	case !f.Contact && !isAnswer:
		v = p.firstContact(v)
	}
	if p.Persist && v.Action == status.Stop && isAnswer && persistable(answer.EffectiveCode()) {
		v = retry(v)
		v.AtLeast = max(v.AtLeast, atCap)
	}
	return v
}

// firstContact is about a server that has never answered.
func (p Policy) firstContact(v status.Verdict) status.Verdict {
	switch v.Row {
	case status.RowUnreachable:
		if p.OnFirstContact != StopFirstContact {
			return retry(v)
		}
		return stop(v, nil)
	case status.RowCertificate, status.RowPlainHTTP, status.RowCredentials:
		if p.OnFirstContact == RetryFirstContact {
			return retry(v)
		}
	case status.RowConnect:
		if p.OnFirstContact == StopFirstContact {
			return stop(v, nil)
		}
	}
	return v
}

func retry(v status.Verdict) status.Verdict {
	v.Action, v.Delay, v.Err = status.Resume, status.DelayBackoff, nil
	return v
}

func stop(v status.Verdict, err error) status.Verdict {
	v.Action, v.Delay, v.Err = status.Stop, status.DelayNone, err
	return v
}

// persistable are the refusals that a person may lift while the watch waits.
func persistable(code int) bool {
	switch code {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
		http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity:
		return true
	}
	return false
}
