package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"example.com/rawwatch/test/servers"
)

// Open is [Start] for a program that is no test: its owner calls Close, after a
// failure too. Its files are in folder.
func Open(ctx context.Context, folder string, o Options) (*Cluster, error) {
	b, err := servers.Find(ctx, os.Stderr)
	if err != nil {
		return nil, err
	}
	c, err := start(ctx, b, folder, folder, o)
	if err != nil {
		return c, fmt.Errorf("cluster: %w", err)
	}
	return c, nil
}

// Close ends the servers. It may be called of nil.
func (c *Cluster) Close() error {
	if c == nil {
		return nil
	}
	return c.stop()
}

// Stored is an object as the API server keeps it.
type Stored struct {
	Resource, Namespace, Name string // the resource is one of the core group
	JSON                      []byte
}

// Store writes objects into the storage, past the API server, which takes JSON
// there as well as what it writes itself, and sends them to those who watch.
// It is for many objects that are to look as if they had lived for long: with
// status and managedFields, which the API lets nobody write at once. What is
// wrong with one shows only when it is read.
//
// So many as together says are written in one transaction, and have the same
// resourceVersion: for changes that are watched it is 1. etcd allows 128, and
// 1.5 MB.
func (c *Cluster) Store(ctx context.Context, objects []Stored, together int) error {
	type put struct {
		Key   []byte `json:"key"`
		Value []byte `json:"value"`
	}
	type operation struct {
		Put put `json:"request_put"`
	}
	for batch := range slices.Chunk(objects, together) {
		var transaction struct {
			Success []operation `json:"success"`
		}
		for _, o := range batch {
			key := fmt.Appendf(nil, "/registry/%s/%s/%s", o.Resource, o.Namespace, o.Name)
			transaction.Success = append(transaction.Success, operation{put{key, o.JSON}})
		}
		if err := c.etcd.call(ctx, "/v3/kv/txn", transaction, new(json.RawMessage)); err != nil {
			return fmt.Errorf("cluster: store %s/%s: %w", batch[0].Namespace, batch[0].Name, err)
		}
	}
	return nil
}

// AwaitCached waits until the cache of the API server, from which it answers
// lists and watches, has the object. After [Cluster.Store] of many it is some
// seconds behind; who asks for the latest state then is sent away after 3 s.
func (c *Cluster) AwaitCached(ctx context.Context, o Stored) error {
	config, err := c.tls(c.Admin)
	if err != nil {
		return err
	}
	tr := &http.Transport{TLSClientConfig: config}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: bearer{c.Admin.Token, tr}}
	path := Collection{Version: "v1", Resource: o.Resource, Namespace: o.Namespace}.Path()
	// Version 0 is what the cache has at this moment.
	address := c.URL.String() + path + "?resourceVersion=0&fieldSelector=metadata.name=" + url.QueryEscape(o.Name)
	for {
		cached, err := has(ctx, client, address)
		if cached || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// has reports whether a list has items.
func has(ctx context.Context, client *http.Client, address string) (bool, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, err
	}
	resp, err := client.Do(r)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	var list struct{ Items []json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil || resp.StatusCode != http.StatusOK {
		return false, fmt.Errorf("cluster: %s: status %d: %w", address, resp.StatusCode, err)
	}
	return len(list.Items) > 0, nil
}
