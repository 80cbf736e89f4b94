package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/test/cluster"
)

// soakObjects is how many objects of a kind there may be in a namespace.
const soakObjects = 12

// soakWriter changes the objects of one namespace while the server comes and
// goes. No other changes them, so an object itself tells what became of a
// change whose answer was lost.
type soakWriter struct {
	namespace string
	kinds     []kind
	ledgers   []*history.Ledger // of each kind
	client    *cluster.Client
	rand      *rand.Rand
	quiet     *sync.RWMutex // read-locked during a change
	done      *atomic.Int64 // changes of all writers; each carries its number as the label n
	numbers   *atomic.Int64
}

// run makes a change for each permit, until there are no more.
func (w *soakWriter) run(ctx context.Context, permits <-chan struct{}) error {
	for {
		select {
		case _, more := <-permits:
			if !more {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
		if err := w.change(ctx); err != nil {
			return err
		}
		w.done.Add(1)
		time.Sleep(time.Duration(w.rand.IntN(30)) * time.Millisecond) // faults fall between changes too
	}
}

// change makes one, for certain.
func (w *soakWriter) change(ctx context.Context) error {
	i := w.rand.IntN(len(w.kinds))
	k, ledger := w.kinds[i], w.ledgers[i]
	k.in.Namespace = w.namespace
	name := fmt.Sprint("n", w.rand.IntN(soakObjects))
	mayDelete := w.rand.IntN(3) == 0
	for {
		done, err := w.try(ctx, k, ledger, name, mayDelete)
		if done || err != nil {
			return err
		}
	}
}

// try makes a change, if the server lets it, and writes it down.
func (w *soakWriter) try(ctx context.Context, k kind, ledger *history.Ledger, name string, mayDelete bool) (done bool, err error) {
	w.quiet.RLock()
	defer w.quiet.RUnlock()
	key := history.Key{Namespace: w.namespace, Name: name}
	uid := ledger.UID(key)
	n := int(w.numbers.Add(1))

	var a cluster.Answer
	switch {
	case uid == "":
		a, err = w.client.Do(ctx, http.MethodPost, k.in.Path(), "application/json", labelled(k.object(name), n))
	case mayDelete:
		a, err = w.client.Do(ctx, http.MethodDelete, k.in.Object(name), "", nil)
	default:
		a, err = w.client.Do(ctx, http.MethodPatch, k.in.Object(name), "application/merge-patch+json", labelled(k.patch(n), n))
	}
	exists := true
	if err != nil || a.Status != http.StatusOK && a.Status != http.StatusCreated {
		// Nobody knows whether it has happened.
		if a, exists, err = w.ask(ctx, k.in, name); err != nil {
			return false, err
		}
	} else if mayDelete && uid != "" {
		exists = false
	}

	o, number, err := numbered(a.Body)
	switch {
	case !exists && uid == "":
		return false, nil
	case !exists && mayDelete:
		ledger.Gone(key, uid, "")
		return true, nil
	case !exists:
		return false, fmt.Errorf("%s is gone, and nobody deleted it", key)
	case err != nil:
		return false, fmt.Errorf("%s: %w in %s", key, err, a.Body)
	case number == n:
		ledger.Did(key, o.UID, o.ResourceVersion)
		return true, nil
	case uid != o.UID:
		return false, fmt.Errorf("%s has the uid %s, and not %q", key, o.UID, uid)
	}
	return false, nil
}

// numbered reads an object and the number of its last change.
func numbered(body []byte) (o cluster.Object, n int, err error) {
	if o, err = cluster.ParseObject(body); err != nil {
		return o, 0, err
	}
	var labels identity
	if err := json.Unmarshal(body, &labels); err != nil {
		return o, 0, err
	}
	n, _ = strconv.Atoi(labels.Metadata.Labels["n"])
	return o, n, nil
}

// answerWithin bounds the wait for a server that is down: others are busy
// starting it.
const answerWithin = 2 * patience

// ask reads an object as soon as there is a server that can tell.
func (w *soakWriter) ask(ctx context.Context, in cluster.Collection, name string) (a cluster.Answer, exists bool, err error) {
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		a, err = w.client.Do(ctx, http.MethodGet, in.Object(name), "", nil)
		switch {
		case err == nil && a.Status == http.StatusOK:
			return a, true, nil
		case err == nil && a.Status == http.StatusNotFound && isAbout(a.Body, name):
			return a, false, nil
		case ctx.Err() != nil || time.Since(began) > answerWithin:
			return a, false, fmt.Errorf("waited %s in vain for an answer to GET %s: status %d, error %v: %s",
				time.Since(began).Round(time.Second), in.Object(name), a.Status, err, a.Body)
		}
	}
}

// isAbout: a 404 can also mean that the server does not serve the type yet.
func isAbout(body []byte, name string) bool {
	var status struct {
		Reason  string
		Details struct{ Name string }
	}
	return json.Unmarshal(body, &status) == nil && status.Reason == "NotFound" && status.Details.Name == name
}
