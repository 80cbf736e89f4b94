package lists

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/bench/endless"
	"example.com/rawwatch/test/bench/measure"
)

// The figures. What is alive is the most at ten places of the list.
const (
	live  = "live MB"
	above = "live MB above the index"
	speed = "MB/s"
)

const (
	ownedName     = "rawwatch stream"
	untrackedName = "rawwatch stream, untracked"
	lentName      = "rawwatch decode, lent"
	clientName    = "client-go, typed"
)

// Suite is the suite.
func Suite() measure.Suite {
	const mebibytes = 1.048576
	return measure.Suite{
		Name:    "lists",
		Title:   "Lists",
		Axis:    "objects",
		Figures: []string{live, above, speed},
		Bars: []measure.Bar{
			{Figure: above, Contender: ownedName, AtMost: 4 * mebibytes},
			{Figure: live, Contender: untrackedName, AtMost: 4 * mebibytes},
			// The short ones are over too soon for a ratio of times.
			{Case: "100000 pods", Figure: speed, Contender: untrackedName, Against: lentName, AtLeast: 0.5},
		},
		Modules: []string{"k8s.io/client-go"},
		Rounds:  5,
		Cases:   cases,
	}
}

func cases(_ context.Context, o measure.Options) (all []measure.Case, _ func(), err error) {
	added, err := endless.Pods()
	if err != nil {
		return nil, nil, err
	}
	sizes := []int{1000, 10_000, 100_000}
	if o.Once {
		sizes = []int{100}
	}
	for _, n := range sizes {
		bytes, err := io.Copy(io.Discard, endless.List(added, n))
		if err != nil {
			return nil, nil, err
		}
		server := server{added: added, items: n, bytes: bytes}
		c := measure.Case{Name: fmt.Sprintf("%d pods", n), Size: float64(n), Contenders: []measure.Contender{
			{Name: lentName, Run: server.lent},
			{Name: untrackedName, Run: server.untracked},
			{Name: ownedName, Run: server.tracked},
		}}
		if n <= 10_000 { // more do not fit into the memory of many machines
			c.Contenders = append(c.Contenders, measure.Contender{Name: clientName, Run: server.client})
		}
		all = append(all, c)
	}
	return all, nil, nil
}

// server answers with its list, from memory.
type server struct {
	added []byte
	items int
	bytes int64 // of the list
}

var address = url.URL{Scheme: "http", Host: "memory.test"}

func (s server) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1,
		Header: http.Header{"Content-Type": {"application/json"}}, Request: r, Body: io.NopCloser(endless.List(s.added, s.items)),
	}, nil
}

func (s server) lent(context.Context) (measure.Figures, error) {
	m := s.meter()
	for r := decode.NewListReader(endless.List(s.added, s.items), 0); ; {
		_, err := r.Next()
		if err == io.EOF {
			return m.figures(), nil
		}
		if err != nil {
			return nil, err
		}
		m.item()
	}
}

func (s server) tracked(ctx context.Context) (measure.Figures, error) { return s.owned(ctx, false) }

func (s server) untracked(ctx context.Context) (measure.Figures, error) { return s.owned(ctx, true) }

func (s server) owned(ctx context.Context, untracked bool) (measure.Figures, error) {
	m := s.meter()
	w := stream.Watcher{
		Client: &http.Client{Transport: s}, Server: &address, Untracked: untracked,
		Target: stream.Target{Version: "v1", Resource: "pods"},
	}
	for ev, err := range w.Watch(ctx) {
		if err != nil {
			return nil, err
		}
		if ev.Type == stream.Synced {
			break
		}
		m.item()
	}
	figures := m.figures()
	// The range is over, and what a Watcher remembers between two is its index.
	index := alive() - m.before
	figures[above] = (m.last - index) / 1e6
	runtime.KeepAlive(&w)
	return figures, nil
}

// client is what a client without a reader of lists does: it holds the body,
// and then all objects.
func (s server) client(ctx context.Context) (measure.Figures, error) {
	m := s.meter()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: address.String(), Transport: s})
	if err != nil {
		return nil, err
	}
	list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for range list.Items {
		m.item()
	}
	figures := m.figures()
	runtime.KeepAlive(list)
	return figures, nil
}
