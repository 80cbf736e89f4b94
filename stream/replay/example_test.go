package replay_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// A client meets what was recorded: of a real server, whose connection broke in
// the middle of an event. It has to ask again from where it was.
func ExampleLoad() {
	script, err := replay.Load("../../testdata/replay/real-torn-frame.rwr", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	transport, err := replay.NewTransport(script, replay.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Yours: any client that takes an http.RoundTripper.
	client := &http.Client{Transport: transport}
	for ev, err := range watcher(client).Watch(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(ev.Name, ev.Type)
		if ev.Type == stream.Deleted {
			break
		}
	}
	// Close tells of requests that were not the recorded ones.
	fmt.Println("not as recorded:", transport.Close())
	// Output:
	// a ADDED
	// b ADDED
	// c ADDED
	//  SYNCED
	// a MODIFIED
	// b DELETED
	// not as recorded: <nil>
}

// History is lost: while the client was away, b went, c changed and d came, and
// the server has forgotten it. After the 410 the client has to list, and to find
// out what is missing from the list.
func ExampleLoad_historyLost() {
	script, err := replay.Load("../../testdata/replay/real-expired-relist.rwr", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	transport, err := replay.NewTransport(script, replay.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for ev, err := range watcher(&http.Client{Transport: transport}).Watch(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(ev.Name, ev.Type)
		if ev.Type == stream.Modified && ev.Name == "d" {
			break
		}
	}
	fmt.Println("not as recorded:", transport.Close())
	// Output:
	// a ADDED
	// b ADDED
	// c ADDED
	//  SYNCED
	// a MODIFIED
	//  GAP
	// c MODIFIED
	// d ADDED
	// b DELETED
	//  SYNCED
	// d MODIFIED
	// not as recorded: <nil>
}

// A streaming list: what exists comes as events, and a bookmark ends it. As a
// server of net/http, where the client brings its own transport.
func ExampleHandler() {
	script, err := replay.Load("../../testdata/replay/real-streaming-list.rwr", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	handler := replay.NewHandler(script, false)
	server := httptest.NewServer(handler)
	defer server.Close()
	w := watcher(server.Client())
	w.Server, _ = url.Parse(server.URL) // it is one
	w.Start = stream.StartStream
	for ev, err := range w.Watch(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(ev.Name, ev.Type)
		if ev.Name == "d" {
			break
		}
	}
	fmt.Println("not as recorded:", handler.Err())
	// Output:
	// a ADDED
	// b ADDED
	// c ADDED
	//  SYNCED
	// a MODIFIED
	// b DELETED
	// d ADDED
	// not as recorded: <nil>
}

// A live server, for clients whose requests are not known to the letter. Here
// history is lost between the list and the watch: what came in between is
// found by the list after the 410.
func ExampleStore() {
	store := &replay.Store{}
	store.PutItem("a", "1")
	server := httptest.NewServer(store)
	defer server.Close()
	w := watcher(server.Client())
	w.Server, _ = url.Parse(server.URL) // it is one
	lost := false
	for ev, err := range w.Watch(context.Background()) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(ev.Name, ev.Type)
		if ev.Type == stream.Synced && lost {
			break
		}
		if ev.Type == stream.Synced {
			store.Delete("configmaps", "t", "a")
			store.PutItem("b", "1")
			store.Compact()
			lost = true
		}
	}
	// Output:
	// a ADDED
	//  SYNCED
	//  GAP
	// b ADDED
	// a DELETED
	//  SYNCED
}

func watcher(client *http.Client) *stream.Watcher {
	return &stream.Watcher{
		Client: client,
		Server: &url.URL{Scheme: "http", Host: "recording"},
		Target: stream.Target{Version: "v1", Resource: "configmaps", Namespace: "t"},
	}
}
