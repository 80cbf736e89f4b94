package watch

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/client-go/rest"

	"example.com/rawwatch/kubeconfig/transport"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/bench/endless"
	"example.com/rawwatch/test/bench/process"
)

// source is a server and its events.
type source struct {
	name     string
	resource string
	bytes    int // of a cycle of events

	memory *endless.Server // nil: url is over a connection
	url    *url.URL
	ca     []byte // PEM
}

// dial starts a server of its own process for the source.
func (s source) dial(ctx context.Context, p process.Program, args ...string) (source, func(), error) {
	line, stop, err := p.Serve(ctx, args...)
	if err != nil {
		return source{}, nil, err
	}
	address, certificate, _ := strings.Cut(line, " ")
	if s.url, err = url.Parse(address); err != nil {
		return source{}, stop, err
	}
	raw, err := base64.StdEncoding.DecodeString(certificate)
	if len(raw) > 0 {
		s.ca = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
	}
	s.memory = nil
	return s, stop, err
}

// client is how rawwatch's users reach a server. It is closed with close.
func (s source) client() (client *http.Client, err error) {
	if s.memory != nil {
		return &http.Client{Transport: s.memory}, nil
	}
	config := transport.Config{Server: s.url}
	config.TLS.CA.Data = s.ca
	return transport.NewClient(config)
}

// watcher watches from any version.
func (s source) watcher() (*stream.Watcher, error) {
	client, err := s.client()
	if err != nil {
		return nil, err
	}
	return &stream.Watcher{
		Client: client, Server: s.url, Start: stream.StartAny,
		Target: stream.Target{Version: "v1", Resource: s.resource, Namespace: "default"},
	}, nil
}

// open sends the one request of those who only read.
func (s source) open(ctx context.Context) (*http.Response, error) {
	client, err := s.client()
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url.JoinPath("api/v1/namespaces/default", s.resource).String()+"?watch=true", nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("watch: %s", resp.Status)
	}
	return resp, nil
}

// config is how client-go's users reach a server.
func (s source) config() *rest.Config {
	c := &rest.Config{Host: s.url.String(), QPS: -1}
	c.ContentType = "application/json"
	c.AcceptContentTypes = "application/json"
	if s.memory != nil {
		c.Transport = s.memory
		return c
	}
	c.CAData = s.ca
	return c
}
