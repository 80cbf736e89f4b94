package story

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"time"
)

// The keys of a line are those of log/slog, which log collectors know: time,
// level (INFO, WARN, ERROR) and msg; and watch, the name of one among several.

// logLine is a line of the story in JSON. The words are the same, so that what
// was seen at a terminal can be searched for in a log.
func logLine(now time.Time, name, text string) []byte {
	level := slog.LevelInfo
	if rest, ok := strings.CutPrefix(text, "warning: "); ok {
		level, text = slog.LevelWarn, rest
	}
	return encode(now, level, name, text)
}

// ErrorJSON is the line for the error that ended a command.
func ErrorJSON(now time.Time, text string) []byte { return encode(now, slog.LevelError, "", text) }

func encode(now time.Time, level slog.Level, name, text string) []byte {
	var line bytes.Buffer
	record := slog.NewRecord(now.UTC(), level, text, 0)
	if name != "" {
		record.AddAttrs(slog.String("watch", name))
	}
	// It writes into memory, so it cannot fail.
	slog.NewJSONHandler(&line, nil).Handle(context.Background(), record)
	return line.Bytes()
}
