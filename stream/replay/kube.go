package replay

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
)

// ConfigMaps is the path of the collection that the bodies below belong to.
const ConfigMaps = "/api/v1/namespaces/t/configmaps"

// Item is the ConfigMap name in namespace t, with uid "u-"+name, as it stands
// in the items of a list or as the object of an event:
//
//	{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"t","uid":"u-a","resourceVersion":"9"}}
func Item(name, rv string) string { return ItemUID(name, "u-"+name, rv) }

// ItemUID is [Item] with another uid: an object made anew under an old name.
func ItemUID(name, uid, rv string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%s,"namespace":"t","uid":%s,"resourceVersion":%s}}`,
		quote(name), quote(uid), quote(rv))
}

// Event is one line of a watch, newline included: the type (ADDED, MODIFIED,
// DELETED) with the [Item].
func Event(eventType, name, rv string) string { return EventOf(eventType, Item(name, rv)) }

// EventOf is the line of a watch, newline included, with any object.
func EventOf(eventType, object string) string {
	return fmt.Sprintf(`{"type":%s,"object":%s}`, quote(eventType), object) + "\n"
}

// Bookmark is a BOOKMARK line, as servers before 1.34 send it: with a null
// creationTimestamp.
func Bookmark(rv string) string {
	return EventOf("BOOKMARK", fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":%s,"creationTimestamp":null}}`, quote(rv)))
}

// InitialEventsEnd is the BOOKMARK line that ends the initial events of a
// streaming list.
func InitialEventsEnd(rv string) string {
	return EventOf("BOOKMARK", fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":%s,"creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}}}`, quote(rv)))
}

// StatusBody is a Status object of a failure, with message "m". Reason "" is
// left out, as servers do.
func StatusBody(code int, reason string) string {
	if reason != "" {
		reason = `"reason":` + quote(reason) + `,`
	}
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m",%s"code":%d}`, reason, code)
}

// StatusRetry is [StatusBody] with details.retryAfterSeconds.
func StatusRetry(code int, reason string, seconds int) string {
	before, after, _ := strings.Cut(StatusBody(code, reason), `"code":`)
	return fmt.Sprintf(`%s"details":{"retryAfterSeconds":%d},"code":%s`, before, seconds, after)
}

// ErrorEvent is an ERROR line with a [StatusBody].
func ErrorEvent(code int, reason string) string { return EventOf("ERROR", StatusBody(code, reason)) }

// ListBody is a ConfigMapList with the list's own resourceVersion.
func ListBody(rv string, items ...string) string { return ListPage(rv, "", items...) }

// ListPage is [ListBody] with a continue token: more pages follow.
func ListPage(rv, token string, items ...string) string {
	if token != "" {
		token = `,"continue":` + quote(token)
	}
	return fmt.Sprintf(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":%s%s},"items":[%s]}`,
		quote(rv), token, strings.Join(items, ","))
}

// Gzip is body as one gzip member, trailer included.
func Gzip(body string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(body)) // a bytes.Buffer takes everything
	w.Close()
	return b.String()
}

// quote is s as a JSON string, with < > & as they are: what a test writes is
// what a test finds.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
