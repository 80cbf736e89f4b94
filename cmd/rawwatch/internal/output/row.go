package output

import (
	"encoding/json"
	"strings"

	"example.com/rawwatch/stream"
)

// row is what an event shows of its object: the cells that the server made, if
// it sent a Table, and the metadata.
type row struct {
	isTable bool
	cells   []json.RawMessage
	object  json.RawMessage // of a Table, what is in its row; may be metadata alone
}

// isTable: the group is looked at too, as a custom resource may well have a
// kind called Table.
func isTable(ev stream.Event) bool {
	return ev.Kind == "Table" && strings.HasPrefix(ev.APIVersion, "meta.k8s.io/")
}

// rowOf reads the row of an event. Only columns are left for [columnsOf]: they
// come once, and mostly with another event.
func rowOf(ev stream.Event) row {
	if !isTable(ev) {
		return row{object: ev.Object}
	}
	var table struct {
		Rows []struct {
			Cells  []json.RawMessage
			Object json.RawMessage
		}
	}
	if json.Unmarshal(ev.Object, &table) != nil || len(table.Rows) == 0 {
		return row{isTable: true}
	}
	return row{isTable: true, cells: table.Rows[0].Cells, object: table.Rows[0].Object}
}

// ObjectOf is the object of an event, also where it came in the row of a Table
// (whole, if the view was [stream.TableObject]). It is nil if there is none.
func ObjectOf(ev stream.Event) json.RawMessage { return rowOf(ev).object }

// metadata of an object, as far as it is shown.
type metadata struct {
	CreationTimestamp string
	Labels            map[string]string
}

func (r row) metadata() metadata {
	var object struct{ Metadata metadata }
	if r.object != nil && json.Unmarshal(r.object, &object) != nil {
		return metadata{} // a label that is no string, say: then nothing is known
	}
	return object.Metadata
}

// column is a column of the server's.
type column struct {
	Name, Type, Format string
	// Priority is 0 for what is always shown; others need room.
	Priority int
}

// columnsOf are the columns that object, a Table, defines; nil if it defines
// none or is no Table. Only the first Table of a list or a watch does.
func columnsOf(object json.RawMessage) []column {
	var table struct {
		Kind, APIVersion  string
		ColumnDefinitions []column
	}
	if json.Unmarshal(object, &table) != nil || !isTable(stream.Event{Kind: table.Kind, APIVersion: table.APIVersion}) {
		return nil
	}
	return table.ColumnDefinitions
}

// isName: it holds the name of the object.
func (c column) isName() bool {
	return c.Format == "name" || c.Format == "" && strings.EqualFold(c.Name, "name")
}

// isTime: its cells may be moments, which are shown as ages. Servers built
// with Kubernetes' own library send ages as text instead, and that is shown as
// it is: it was right when it was sent.
func (c column) isTime() bool {
	return c.Type == "date" || c.Format == "date" || c.Format == "date-time"
}

// isAge: it says how old the object is.
func (c column) isAge() bool { return strings.EqualFold(c.Name, "age") }
