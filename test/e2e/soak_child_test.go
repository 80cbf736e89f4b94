package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/cluster"
)

// soakVariable makes the test binary a client of the soak: a program that
// uses the library, and can be killed.
const soakVariable = "RAWWATCH_SOAK_CLIENT"

// soakOrder is what such a program is to do, as JSON in the variable.
type soakOrder struct {
	Kubeconfig string
	In         cluster.Collection
	Stream     bool // begin with a streaming list
	Checkpoint string
}

// soakWatch is how long the watches of a soak are, or twice that, and
// soakSilence how much of it they bear: more, for a stream that was quiet for
// all its time makes a client ask whether the server went back in time. Links
// that are dead, pings find sooner.
const (
	soakWatch   = 2 * time.Second
	soakSilence = 6 * time.Second
)

// beSoakClient prints each event in the form of the command's -o json, as far
// as the checker reads it, before it asks for the next. It returns the exit
// code.
func beSoakClient(order string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT)
	defer stop()
	err := soakClientOf(ctx, order)
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return 130
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func soakClientOf(ctx context.Context, order string) error {
	var o soakOrder
	if err := json.Unmarshal([]byte(order), &o); err != nil {
		return err
	}
	config, err := kubeconfig.Load(kubeconfig.Options{Path: o.Kubeconfig})
	if err != nil {
		return err
	}
	w := &stream.Watcher{
		Client:     config.Client,
		Server:     config.Server,
		Target:     stream.Target{Group: o.In.Group, Version: o.In.Version, Resource: o.In.Resource, Namespace: o.In.Namespace},
		Policy:     stream.Policy{Persist: true},
		Backoff:    fast,
		PageSize:   20,
		Checkpoint: stream.CheckpointFile(o.Checkpoint),
		// A header comes late from a server that is starting.
		IdleTimeout: soakSilence, WatchTimeout: soakWatch, HeaderTimeout: 10 * time.Second,
		Trace: toldTo(func(line string) { fmt.Fprintln(os.Stderr, line) }),
	}
	if o.Stream {
		w.Start = stream.StartStream
	}
	for ev, err := range w.Watch(ctx) {
		if err != nil {
			return err
		}
		if err := printEvent(ev); err != nil {
			return err
		}
		if rand.IntN(200) == 0 {
			time.Sleep(rand.N(500 * time.Millisecond)) // some events take long
		}
	}
	return nil
}

// printEvent writes a line at once: what is in a buffer at the time of a
// SIGKILL would never have been told, but be in the checkpoint.
func printEvent(ev stream.Event) error {
	line := map[string]any{"type": ev.Type}
	switch {
	case ev.Name == "":
		line["resourceVersion"] = ev.ResourceVersion
	default:
		line["inferred"] = ev.Inferred
		line["object"] = cluster.Manifest{"metadata": cluster.Manifest{
			"namespace": ev.Namespace, "name": ev.Name, "uid": ev.UID, "resourceVersion": ev.ResourceVersion,
		}}
	}
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(text, '\n'))
	return err
}
