package cli

import (
	"bytes"
	"context"
	"io"
	"time"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/stream/replay"
)

// lines is replay -o raw: it reads a record and prints it. There is nothing to
// decide about what came, and so no Watcher.
func (f *replayed) lines(ctx context.Context, r *replay.Reader, file *recorded, streams Streams, tell *story.Story) error {
	p := output.New(streams.Out, f.printing.options(ctx, streams.Out, tell))
	shown := 0
	began := time.Now()
	for f.count == 0 || shown < int(f.count) {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return file.failed(err)
		}
		var pause time.Duration
		if f.speed > 0 {
			pause = time.Duration(float64(rec.After) / float64(f.speed))
		}
		if err := backoff.Sleep(ctx, pause); isClosedPipe(err) {
			return nil
		} else if err != nil {
			return err
		}
		line, whole := rec.Bytes, rec.Kind == replay.KindEvent
		if rec.Kind == replay.KindRaw { // a line that is no event, or a piece of one
			line, whole = bytes.CutSuffix(line, []byte("\n"))
		}
		if !whole {
			continue
		}
		if _, err := p.Line(line); isClosedPipe(err) {
			return nil
		} else if err != nil {
			return err
		}
		shown++
	}
	tell.Say("%s: %s in %s", file.name, human.Count(shown, "line"), human.Short(time.Since(began)))
	return nil
}
