package status

import (
	"net/http"
	"slices"
	"time"
)

// This file is the verdict table, and what is hard about it is the order: the
// first row that matches decides. From top to bottom:
//
//	answers whose meaning holds whatever else they say     Expired … Redirect
//	answers that lay the fault with the client, if they
//	  come from an API server                              Denied, DeniedAfterWork
//	answers that lay it with the server or a proxy         InvalidVersion … Unavailable
//	what is left of client faults, and of ERROR events     BadRequest … ErrorEvent
//	a server that was never reached                        Certificate … Unreachable
//	streams that went wrong, special ones first            ListBody … BrokenStream
//	everything else                                        Connect, Unknown
//
// Orders that matter, each held by a test:
//
//   - Redirect before Unavailable: a redirect nearly always has an HTML body.
//   - TooLarge before ServerError: on the wire it is a 504.
//   - StorageRead and InvalidVersion before ServerError: on the wire they are
//     500s.
//   - QuietEnd and TimeoutEnd before ShortWatch, and all before BrokenStream,
//     which takes any end.
//   - ErrorEvent after every row that knows its code.

// The IDs of the rows.
const (
	RowExpired         = "Expired"
	RowTooLarge        = "TooLarge"
	RowStorageRead     = "StorageRead"
	RowTooManyRequests = "TooManyRequests"
	RowRedirect        = "Redirect"
	RowDenied          = "Denied"
	RowDeniedAfterWork = "DeniedAfterWork"
	RowInvalidVersion  = "InvalidVersion"
	RowServerError     = "ServerError"
	RowUnavailable     = "Unavailable"
	RowBadRequest      = "BadRequest"
	RowClientError     = "ClientError"
	RowErrorEvent      = "ErrorEvent"
	RowCertificate     = "Certificate"
	RowPlainHTTP       = "PlainHTTP"
	RowCredentials     = "Credentials"
	RowUnreachable     = "Unreachable"
	RowListBody        = "ListBody"
	RowFrameSize       = "FrameSize"
	RowBadFrame        = "BadFrame"
	RowUnknownType     = "UnknownType"
	RowQuietEnd        = "QuietEnd"
	RowTimeoutEnd      = "TimeoutEnd"
	RowShortWatch      = "ShortWatch"
	RowIdle            = "Idle"
	RowBrokenStream    = "BrokenStream"
	RowConnect         = "Connect"
	RowUnknown         = "Unknown"
)

// Preamble is what holds for all rows.
const Preamble = `The first row that matches decides.
An ERROR event ends its stream, whatever it carries: nothing after it is delivered. Its Status then decides like that of a response.
Every wait by backoff is at least what the server asked for (Retry-After, details.retryAfterSeconds), and at most 5 min.
A relist that would wait 0-1.55 s comes at once if the request that was answered so had waited by chance already.`

// Table returns the rows in their order.
func Table() []Row { return slices.Clone(table) }

func rowByID(id string) *Row {
	for i := range table {
		if table[i].ID == id {
			return &table[i]
		}
	}
	return nil
}

// Limits of the rows. Those of kubernetes name their source in the row.
const (
	suspicious  = 3               // so many equal failures, and the version itself is suspect
	lastTry     = 3               // so many equal failures, and the next would be no different
	deniedFor   = 2 * time.Minute // a server may take so long to load its access rules
	shortLife   = time.Second     // an empty stream shorter than this never really was one
	emptyStreak = 10              // so many empty streams in a row are no accident
	quietProbe  = 30 * time.Minute
)

var table = []Row{
	{
		ID:        RowExpired,
		Condition: "410, or reason Expired or Gone: as HTTP status with any body, in an ERROR event, for a list or a page of one",
		Action:    Relist, Delay: DelaySpread, Again: DelayBackoff,
		Why:    "the server has forgotten what came after this version, so asking for it again can never succeed",
		Source: "apiserver storage/cacher/cacher.go (newErrWatcher), etcd3/errors.go; kubernetes#25369",
		match:  func(f *facts) bool { return f.isAnswer((*Error).expired) },
	},
	{
		ID:        RowTooLarge,
		Condition: "cause ResourceVersionTooLarge",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Escalation: Escalation{After: lastTry, Action: Relist},
		Why:        "this replica lags behind and will mostly catch up; one that does not was restored from a backup",
		Source:     "apiserver storage/errors.go (NewTooLargeResourceVersionError), watch_cache.go (blockTimeout)",
		match:      func(f *facts) bool { return f.isAnswer((*Error).tooLarge) },
	},
	{
		ID:        RowStorageRead,
		Condition: "reason StorageReadError",
		Action:    Relist, Delay: DelaySpread, Again: DelayBackoff,
		Why:    "an object was removed whose last state cannot be read: only a list shows that it is gone",
		Source: "apiserver storage/etcd3/errors.go (interpretWatchError)",
		match:  func(f *facts) bool { return f.isAnswer(func(e *Error) bool { return e.Reason == reasonStorageRead }) },
	},
	{
		ID:        RowTooManyRequests,
		Condition: "429, or reason TooManyRequests",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Why:    "the server is starting or overloaded; a relist would add to its load and bring nothing",
		Source: "kubernetes#100878; apiserver util/flowcontrol, storage/cacher/util.go",
		match:  func(f *facts) bool { return f.isAnswer((*Error).tooMany) },
	},
	{
		ID:        RowRedirect,
		Condition: "HTTP 3xx",
		Action:    Stop,
		Why:       "API servers do not redirect, and the credentials would go along to wherever it points",
		Hint:      "check the server address: it may be a login page or plain http",
		match:     func(f *facts) bool { return f.isAnswer((*Error).redirect) },
	},
	{
		ID:        RowDenied,
		Condition: "401, 403, 404 or 405 before this verb has worked; as HTML: before any request has",
		Action:    Stop,
		Why:       "credentials, access rules, names and verbs do not change by waiting",
		Source:    "apiserver endpoints/filters (authentication.go, authorization.go)",
		Hint:      "check credentials, access rules (kubectl auth can-i), and that the server has the resource",
		match:     func(f *facts) bool { return !f.Worked && f.denied() },
	},
	{
		ID:        RowDeniedAfterWork,
		Condition: "401, 403, 404 or 405, not as HTML, after this verb had worked",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Escalation: Escalation{For: deniedFor, Action: Stop},
		Why:        "a restarting server denies until it has loaded its access rules and resource types",
		Source:     "apiserver server/config.go (DefaultBuildHandlerChain), apiextensions customresource_handler.go",
		Hint:       "access was withdrawn, the credentials ended, or the resource type was deleted",
		match:      func(f *facts) bool { return f.Worked && f.denied() },
	},
	{
		ID:        RowInvalidVersion,
		Condition: "500 without a reason, for a resourceVersion given by the user that has never worked",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Escalation: Escalation{After: lastTry, Action: Stop, Err: ErrInvalidResourceVersion},
		Why:        "a version that is not a number is answered like this, though the 500 says to try again",
		Source:     "apiserver storage/errors.go (InvalidError), which nothing on the watch path turns into a 400",
		Hint:       "check the resourceVersion",
		match: func(f *facts) bool {
			return f.UserVersion && f.isAnswer(func(e *Error) bool {
				return e.Body == BodyStatus && e.Reason == "" && e.EffectiveCode() == http.StatusInternalServerError
			})
		},
	},
	{
		ID:        RowServerError,
		Condition: "500 or 504, with any body",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Escalation: Escalation{After: suspicious, Action: Probe},
		Why:        "mostly storage that is away for a moment; if it stays, it may be this version that cannot be served",
		Source:     "apimachinery meta/v1 types.go (StatusReasonServerTimeout, StatusReasonTimeout)",
		match: func(f *facts) bool {
			return f.isAnswer(func(e *Error) bool {
				return e.says(http.StatusInternalServerError, http.StatusGatewayTimeout)
			})
		},
	},
	{
		ID:        RowUnavailable,
		Condition: "408, 502, 503 or other 5xx; an HTML page with any status; after first contact, any 4xx whose body is not a Status",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Why:    "a server that is away, or a proxy in front of it, says nothing about the version",
		Source: "apiserver server/filters (waitgroup.go, timeout.go), kube-aggregator handler_proxy.go",
		match:  (*facts).unavailable,
	},
	{
		ID:        RowBadRequest,
		Condition: "400 or 422",
		Action:    Stop,
		Why:       "the same request will be refused in the same way",
		Source:    "apimachinery internalversion/validation, apiserver endpoints/handlers/get.go",
		Hint:      "check the selectors and the resourceVersion",
		match: func(f *facts) bool {
			return f.isAnswer(func(e *Error) bool {
				return e.clientCode(http.StatusBadRequest, http.StatusUnprocessableEntity)
			})
		},
	},
	{
		ID:        RowClientError,
		Condition: "406, 413, 415 or other 4xx",
		Action:    Stop,
		Why:       "the same request will be refused in the same way",
		Source:    "apiserver endpoints/handlers/negotiation",
		Hint:      "check that the address is that of an API server",
		match:     func(f *facts) bool { return f.isAnswer((*Error).clientFault) },
	},
	{
		ID:        RowErrorEvent,
		Condition: "ERROR event with null, with no Status, or with a code that is unknown or contradicts its reason",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Escalation: Escalation{After: suspicious, Action: Probe},
		Why:        "the stream is over for a reason that cannot be read, which need not be the version's fault",
		Source:     "client-go tools/watch/retrywatcher.go",
		match:      func(f *facts) bool { return f.isAnswer(func(e *Error) bool { return e.Event }) },
	},
	{
		ID:        RowCertificate,
		Condition: "the server's certificate does not verify, before first contact",
		Action:    Stop,
		Why:       "waiting does not make a certificate trusted, and it may be somebody else's",
		Hint:      "check the server address and the certificate authority",
		match:     func(f *facts) bool { return f.never(certificate) },
	},
	{
		ID:        RowPlainHTTP,
		Condition: "https spoken to a server that does not speak it, before first contact",
		Action:    Stop,
		Why:       "waiting does not change what a port speaks",
		Hint:      "check the scheme and port of the server address",
		match:     func(f *facts) bool { return f.never(notTLS) },
	},
	{
		ID:        RowCredentials,
		Condition: "credentials could not be had (exec plugin), before first contact",
		Action:    Stop,
		Why:       "most often a missing program or an ended login, which a person has to put right",
		Hint:      "run the plugin by hand, or log in again",
		match:     func(f *facts) bool { return !f.Contact && f.kind == EndCredentials },
	},
	{
		ID:        RowUnreachable,
		Condition: "connection refused, no route, or no address for the name, before first contact",
		Action:    Stop,
		Why:       "an address that has never answered is mostly wrong; a program that starts before its server keeps trying instead",
		Hint:      "check the server address, and that the server is up",
		match:     func(f *facts) bool { return f.never(unreachable) },
	},
	{
		ID:        RowListBody,
		Condition: "200 with a List in place of a stream",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Escalation: Escalation{After: lastTry, Action: Stop, Err: ErrNotStream},
		Why:        "a proxy dropped watch=true from the query, or the path names a single object",
		Hint:       "check the proxy, or go round it",
		match:      func(f *facts) bool { return f.kind == EndListBody },
	},
	{
		ID:        RowFrameSize,
		Condition: "an event or list item over the size limit",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Escalation: Escalation{After: 2, Action: Stop},
		Why:        "a second time at the same version it is the object, not the transfer: it will come for ever",
		Source:     "client-go gives up at 16 MiB: apimachinery runtime/serializer/streaming/streaming.go",
		Hint:       "raise the size limit, or ask for metadata only",
		match:      func(f *facts) bool { return f.kind == EndFrameSize },
	},
	{
		ID:        RowBadFrame,
		Condition: "an event or list that cannot be decoded",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Escalation: Escalation{After: suspicious, Action: Probe},
		Why:        "damage on the way does not repeat itself; damage at the source does",
		match:      func(f *facts) bool { return f.kind == EndBadFrame },
	},
	{
		ID:        RowUnknownType,
		Condition: "an event of unknown type",
		Action:    Skip,
		Why:       "a newer server may have more to say; what is known of the others still holds",
		match:     func(f *facts) bool { return f.kind == EndUnknownType },
	},
	{
		ID:        RowQuietEnd,
		Condition: "a stream of full length that brought no event and no bookmark",
		Action:    Probe, Delay: DelaySoon, Again: DelaySoon, Every: quietProbe,
		Why:    "mostly a quiet resource, but a server that went back in time is silent in the same way, so after any other end the first one is probed",
		Source: "apiserver storage/cacher/cache_watcher.go (events up to the version asked for are dropped)",
		match:  func(f *facts) bool { return f.kind == EndClean && f.fullLength() && f.Stream.quiet() },
	},
	{
		ID:        RowTimeoutEnd,
		Condition: "a stream that ended at its own timeoutSeconds, within 1 s",
		Action:    Resume, Delay: DelaySoon, Again: DelaySoon,
		Why:    "the normal end of a watch",
		Source: "apiserver endpoints/handlers/get.go, watch.go",
		match:  func(f *facts) bool { return f.kind == EndClean && f.fullLength() },
	},
	{
		ID:        RowShortWatch,
		Condition: "a stream that ended clean and early with no event and no bookmark: under 1 s, or 10 times in a row",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Escalation: Escalation{After: suspicious, Action: Probe},
		Why:        "silence is not success: some servers end a watch like this whose version they have lost",
		Source:     "kubernetes#104171; client-go tools/cache/reflector.go (very short watch)",
		match: func(f *facts) bool {
			return f.kind == EndClean && f.Stream != nil && f.Stream.quiet() &&
				(f.Stream.lived() < shortLife || f.Stream.EmptyInARow >= emptyStreak)
		},
	},
	{
		ID:        RowIdle,
		Condition: "no byte for the idle limit",
		Action:    Resume, Delay: DelaySpread, Again: DelayBackoff,
		Why:    "the peer is gone and nothing said so",
		Source: "apiserver storage/cacher (a bookmark about once a minute)",
		match:  func(f *facts) bool { return f.kind == EndIdle },
	},
	{
		ID:        RowBrokenStream,
		Condition: "any other end or transport error after the headers, GOAWAY and resets included",
		Action:    Resume, Delay: DelaySpread, Again: DelayBackoff,
		Why:    "connections end; what was missed is still in the server's history. Others may have lost theirs in the same moment",
		Source: "apiserver server/genericapiserver.go, cacher.go (slow watchers are closed)",
		match:  func(f *facts) bool { return f.afterHeaders() },
	},
	{
		ID:        RowConnect,
		Condition: "any transport error before the headers; of those above, after first contact",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Why:   "the server or the way to it is away; the version is as good as before",
		match: func(f *facts) bool { return f.transport() },
	},
	{
		ID:        RowUnknown,
		Condition: "anything else, such as an HTTP status without meaning here",
		Action:    Resume, Delay: DelayBackoff, Again: DelayBackoff,
		Why:   "what is not understood is not given up for",
		match: func(*facts) bool { return true },
	},
}
