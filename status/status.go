package status

import "time"

// Status is what is read of a Kubernetes Status object
// (k8s.io/apimachinery, meta/v1 types.go). Absent and malformed fields are
// zero. The strings are the server's, clipped to 4 KiB for Message and 256
// bytes for the others, and may contain anything: escape before printing.
type Status struct {
	Status  string // "Failure", as a rule
	Message string // for people, never to be parsed
	Reason  string // one word for programs: Expired, Forbidden; may be empty
	Code    int    // an HTTP status, 0 if absent or not within 100 to 999

	Group, Kind, Name string // details: what it is about; Kind is often the plural resource

	Causes     []Cause       // details.causes, at most 32
	RetryAfter time.Duration // details.retryAfterSeconds, 0 to 5 min
}

// Cause is one entry of details.causes. The wire calls its Type "reason".
type Cause struct {
	Type    string
	Message string
	Field   string
}

// causeTooLarge is the cause of a request for a resourceVersion that the
// server has not reached (meta/v1, CauseTypeResourceVersionTooLarge).
const causeTooLarge = "ResourceVersionTooLarge"

// Reasons the table names.
const (
	reasonExpired     = "Expired"
	reasonGone        = "Gone" // servers up to 1.17 say this for Expired
	reasonStorageRead = "StorageReadError"
	reasonTooMany     = "TooManyRequests"
)

// CodeOf returns the HTTP status that goes with a reason, 0 for a reason that
// is not known. (meta/v1 types.go, StatusReason.)
func CodeOf(reason string) int {
	switch reason {
	case "BadRequest":
		return 400
	case "Unauthorized":
		return 401
	case "Forbidden":
		return 403
	case "NotFound":
		return 404
	case "MethodNotAllowed":
		return 405
	case "NotAcceptable":
		return 406
	case "AlreadyExists", "Conflict":
		return 409
	case reasonExpired, reasonGone:
		return 410
	case "RequestEntityTooLarge":
		return 413
	case "UnsupportedMediaType":
		return 415
	case "Invalid":
		return 422
	case reasonTooMany:
		return 429
	case "InternalError", "ServerTimeout", reasonStorageRead:
		// ServerTimeout is a 500 on the wire, though it reads like a 504.
		return 500
	case "ServiceUnavailable":
		return 503
	case "Timeout":
		return 504
	}
	return 0
}
