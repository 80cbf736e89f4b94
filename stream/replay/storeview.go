package replay

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// A view is how a client wants to see objects, by its Accept header.
type view struct {
	resource *Resource
	as       string // "", "Table" or "PartialObjectMetadata"
	include  string // of a Table: None, Metadata, Object
	columns  bool   // the next Table is the first one, and has the columns
}

func newView(r *http.Request, resource *Resource) *view {
	v := &view{resource: resource, include: r.URL.Query().Get("includeObject"), columns: true}
	for clause := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		for param := range strings.SplitSeq(clause, ";") {
			if as, ok := strings.CutPrefix(strings.TrimSpace(param), "as="); ok {
				as = strings.TrimSuffix(as, "List")
				if as == "Table" || as == "PartialObjectMetadata" {
					v.as = as
					return v
				}
			}
		}
		if strings.HasPrefix(strings.TrimSpace(clause), "application/json") {
			return v // the first clause that fits counts
		}
	}
	return v
}

// meta is the object's metadata with a resourceVersion: its own, or that of
// the deletion.
func (o *object) meta(rv uint64) string {
	ns := ""
	if o.namespace != "" {
		ns = `"namespace":` + quote(o.namespace) + `,`
	}
	return fmt.Sprintf(`{"name":%s,%s"uid":%s,"resourceVersion":"%d","creationTimestamp":%s%s}`,
		quote(o.name), ns, quote(o.uid), rv, quote(o.created), o.extra)
}

func (v *view) typed(o *object, rv uint64) string {
	return fmt.Sprintf(`{"kind":%s,"apiVersion":%s,"metadata":%s%s}`,
		quote(v.resource.Kind), quote(v.resource.apiVersion()), o.meta(rv), o.rest)
}

const partialHead = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":`

// object is one object of an event. It has its kind in all views, unlike the
// items of a list.
func (v *view) object(o *object, rv uint64) string {
	switch v.as {
	case "Table":
		return v.table(fmt.Sprintf(`{"resourceVersion":"%d"}`, rv), []string{v.row(o, rv)})
	case "PartialObjectMetadata":
		return partialHead + o.meta(rv) + "}"
	}
	return v.typed(o, rv)
}

// row is one object of a Table.
func (v *view) row(o *object, rv uint64) string {
	shown := partialHead + o.meta(rv) + "}"
	switch v.include {
	case "None":
		shown = "null"
	case "Object":
		shown = v.typed(o, rv)
	}
	return fmt.Sprintf(`{"cells":[%s,"0s"],"object":%s}`, quote(o.name), shown)
}

func (v *view) table(meta string, rows []string) string {
	// The columns come once for each list or stream, as on a real server.
	columns := "null"
	if v.columns {
		columns = `[{"name":"Name","type":"string","format":"name","description":"Name must be unique within a namespace.","priority":0},` +
			`{"name":"Age","type":"string","format":"","description":"Time since the object was created.","priority":0}]`
		v.columns = false
	}
	return fmt.Sprintf(`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":%s,"columnDefinitions":%s,"rows":[%s]}`,
		meta, columns, strings.Join(rows, ","))
}

// list is a list's body.
func (v *view) list(rv uint64, token string, remaining int, objects []*object) string {
	meta := fmt.Sprintf(`{"resourceVersion":"%d"`, rv)
	if token != "" {
		meta += `,"continue":` + quote(token)
		if remaining > 0 {
			meta += `,"remainingItemCount":` + strconv.Itoa(remaining)
		}
	}
	meta += "}"
	items := make([]string, len(objects))
	for i, o := range objects {
		switch {
		case v.as == "Table":
			items[i] = v.row(o, o.rv)
		case v.as == "PartialObjectMetadata":
			items[i] = partialHead + o.meta(o.rv) + "}"
		case v.resource.Custom:
			items[i] = v.typed(o, o.rv)
		default: // items of built-in types have no kind
			items[i] = `{"metadata":` + o.meta(o.rv) + o.rest + `}`
		}
	}
	all := "[" + strings.Join(items, ",") + "]"
	switch {
	case v.as == "Table":
		return v.table(meta, items) + "\n"
	case v.as == "PartialObjectMetadata":
		return fmt.Sprintf(`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":%s,"items":%s}`+"\n", meta, all)
	case v.resource.Custom:
		return fmt.Sprintf(`{"apiVersion":%s,"items":%s,"kind":%s,"metadata":%s}`+"\n",
			quote(v.resource.apiVersion()), all, quote(v.resource.Kind+"List"), meta)
	}
	return fmt.Sprintf(`{"kind":%s,"apiVersion":%s,"metadata":%s,"items":%s}`+"\n",
		quote(v.resource.Kind+"List"), quote(v.resource.apiVersion()), meta, all)
}

// bookmark is the object of a BOOKMARK event.
func (v *view) bookmark(rv uint64, end bool) string {
	meta := fmt.Sprintf(`{"resourceVersion":"%d"`, rv)
	if end {
		meta += `,"annotations":{"k8s.io/initial-events-end":"true"}`
	}
	meta += "}"
	switch v.as {
	case "Table":
		// One junk row; the end marker shows its object even to those who
		// want none, for it is nowhere else.
		object := partialHead + strings.Replace(meta, "{", `{"creationTimestamp":null,`, 1) + "}"
		if v.include == "None" && !end {
			object = "null"
		}
		return v.table(fmt.Sprintf(`{"resourceVersion":"%d"}`, rv), []string{`{"cells":["","\u003cunknown\u003e"],"object":` + object + `}`})
	case "PartialObjectMetadata":
		return partialHead + meta + "}"
	}
	return fmt.Sprintf(`{"kind":%s,"apiVersion":%s,"metadata":%s}`, quote(v.resource.Kind), quote(v.resource.apiVersion()), meta)
}
