// Package cause says in a few words why something failed: the words of the
// innermost error that has any. Where it happened is for the caller to say.
package cause

import (
	"errors"
	"io"
	"net/url"
	"strings"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
)

// Of is what the server said, if err holds an answer of it, else what the
// network or the reader of its bytes said. What is left out are the names of
// the packages it went through, and the URL that net/http repeats. It may hold
// anything a server can write: escape it before it is shown.
func Of(err error) string {
	var (
		answer *status.Error
		end    *status.End
		failed *url.Error
		ended  *stream.Error
	)
	switch {
	case errors.As(err, &answer):
		err = answer
	case errors.As(err, &end) && end.Err != nil:
		err = end.Err
	case errors.As(err, &failed) && errors.Is(failed.Err, io.EOF):
		return "the server closed the connection without an answer"
	case errors.As(err, &failed):
		err = failed.Err
	case errors.As(err, &ended):
		err = ended.Err // what was asked, and where, is for the caller, too
	}
	return bare(err.Error())
}

// packages whose names stand in front of an error's text.
var packages = []string{"stream: ", "status: ", "decode: ", "kubeconfig: ", "transport: "}

func bare(text string) string {
	for {
		before := text
		for _, name := range packages {
			text = strings.TrimPrefix(text, name)
		}
		if text == before {
			return text
		}
	}
}
