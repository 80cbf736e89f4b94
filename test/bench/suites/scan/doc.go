// Package scan measures reading the JSON of one event, from memory: by
// decode.Scanner, which validates it and finds its type and identity, by
// parsers and validators of others, and by what client-go does with it. The
// same for the items of a list.
package scan
