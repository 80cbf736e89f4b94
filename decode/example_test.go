package decode_test

import (
	"fmt"
	"io"
	"strings"

	"example.com/rawwatch/decode"
)

func ExampleReader() {
	body := strings.NewReader(
		`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"default","resourceVersion":"7"}}}` + "\n" +
			`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"9"}}}` + "\n")
	r := decode.NewReader(body, 0)
	for {
		ev, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %s %s, now at %s\n", ev.Type, ev.Kind, ev.Name, ev.ResourceVersion)
	}
	// Output:
	// ADDED Pod a, now at 7
	// BOOKMARK Pod , now at 9
}

func ExampleListReader() {
	body := strings.NewReader(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`)
	l := decode.NewListReader(body, 0)
	for {
		item, err := l.Next()
		if err == io.EOF {
			break // the whole list has arrived: only now it counts
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n", item.Object)
	}
	fmt.Println("watch from", l.Header().ResourceVersion)
	// Output:
	// {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}
	// {"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"}}
	// watch from 9
}
