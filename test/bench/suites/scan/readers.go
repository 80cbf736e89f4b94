package scan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/bytedance/sonic"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
	"github.com/valyala/fastjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/rawwatch/decode"
)

var errNotValid = errors.New("scan: not valid")

func eventReaders() []reader {
	var scanner decode.Scanner
	var event decode.Event
	var parser fastjson.Parser
	tokens := jsontext.NewDecoder(bytes.NewReader(nil))
	return []reader{
		{scanName, each(func(line []byte) error { return scanner.ScanEvent(line, &event) })},
		{sonicName, each(valid(sonic.Valid))},
		{"gjson.Valid", each(valid(gjson.ValidBytes))},
		{"fastjson, parsed", each(func(line []byte) error {
			_, err := parser.ParseBytes(line)
			return err
		})},
		{"fastjson.Validate", each(fastjson.ValidateBytes)},
		{"jsontext", each(func(line []byte) error {
			tokens.Reset(bytes.NewReader(line))
			if _, err := tokens.ReadValue(); err != nil {
				return err
			}
			if _, err := tokens.ReadToken(); err != io.EOF {
				return errNotValid
			}
			return nil
		})},
		{validName, each(valid(json.Valid))},
		{"encoding/json, envelope and metadata", each(envelope)},
		{partialName, each(func(line []byte) error {
			return watched(line, func(object []byte) error {
				return json.Unmarshal(object, new(metav1.PartialObjectMetadata))
			})
		})},
		{"client-go, Unstructured", each(func(line []byte) error {
			return watched(line, func(object []byte) error {
				_, _, err := unstructured.UnstructuredJSONScheme.Decode(object, nil, nil)
				return err
			})
		})},
	}
}

func listReaders() []reader {
	return []reader{
		{listName, each(func(body []byte) error {
			list := decode.NewListReader(bytes.NewReader(body), 0)
			for {
				if _, err := list.Next(); err == io.EOF {
					return nil
				} else if err != nil {
					return err
				}
			}
		})},
		{sonicName, each(valid(sonic.Valid))},
		{validName, each(valid(json.Valid))},
		{"encoding/json, raw items", each(func(body []byte) error {
			var list struct{ Items []json.RawMessage }
			return json.Unmarshal(body, &list)
		})},
		{partialName, each(func(body []byte) error {
			return json.Unmarshal(body, new(metav1.PartialObjectMetadataList))
		})},
		{"client-go, Unstructured", each(func(body []byte) error {
			_, _, err := unstructured.UnstructuredJSONScheme.Decode(body, nil, nil)
			return err
		})},
	}
}

func each(read func(line []byte) error) func(lines [][]byte) error {
	return func(lines [][]byte) error {
		for _, line := range lines {
			if err := read(line); err != nil {
				return err
			}
		}
		return nil
	}
}

func valid(check func([]byte) bool) func([]byte) error {
	return func(line []byte) error {
		if !check(line) {
			return errNotValid
		}
		return nil
	}
}

// envelope finds by encoding/json what the scan finds.
func envelope(line []byte) error {
	var event struct {
		Type   string
		Object json.RawMessage
	}
	if err := json.Unmarshal(line, &event); err != nil {
		return err
	}
	var object struct {
		Kind, APIVersion string
		Metadata         struct{ Name, Namespace, UID, ResourceVersion string }
	}
	return json.Unmarshal(event.Object, &object)
}

// watched reads an event in the two steps of client-go: first the frame, then
// the object in it.
func watched(line []byte, read func(object []byte) error) error {
	var event metav1.WatchEvent
	if err := json.Unmarshal(line, &event); err != nil {
		return err
	}
	raw, ok := event.Object.Object.(*runtime.Unknown)
	if ok {
		return read(raw.Raw)
	}
	return read(event.Object.Raw)
}
