package watch

import (
	"bufio"
	"context"
	"encoding/json"

	"example.com/rawwatch/decode"
)

// The contenders, each of which calls event for each event until that returns
// true.

func lines(ctx context.Context, s source, event func() bool) error {
	resp, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for r := bufio.NewReaderSize(resp.Body, 64<<10); ; {
		if _, err := r.ReadSlice('\n'); err != nil {
			return err
		}
		if event() {
			return nil
		}
	}
}

func lent(ctx context.Context, s source, event func() bool) error {
	resp, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for r := decode.NewReader(resp.Body, 0); ; {
		if _, err := r.Next(); err != nil {
			return err
		}
		if event() {
			return nil
		}
	}
}

func tracked(ctx context.Context, s source, event func() bool) error {
	return owned(ctx, s, false, event)
}

func untracked(ctx context.Context, s source, event func() bool) error {
	return owned(ctx, s, true, event)
}

func owned(ctx context.Context, s source, untracked bool, event func() bool) error {
	w, err := s.watcher()
	if err != nil {
		return err
	}
	defer w.Client.CloseIdleConnections()
	w.Untracked = untracked
	for _, err := range w.Watch(ctx) {
		if err != nil {
			return err
		}
		if event() {
			break
		}
	}
	return nil
}

// standard is what one writes without a library: the envelope, and of the
// object what tells which one it is.
func standard(ctx context.Context, s source, event func() bool) error {
	resp, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for d := json.NewDecoder(resp.Body); ; {
		var envelope struct {
			Type   string
			Object json.RawMessage
		}
		var object struct {
			Kind, APIVersion string
			Metadata         struct{ Namespace, Name, UID, ResourceVersion string }
		}
		if err := d.Decode(&envelope); err != nil {
			return err
		}
		if err := json.Unmarshal(envelope.Object, &object); err != nil {
			return err
		}
		if event() {
			return nil
		}
	}
}
