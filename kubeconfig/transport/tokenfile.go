package transport

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// tokenFile is a bearer token that lives in a file and is replaced there.
type tokenFile struct {
	hidden
	mu     sync.Mutex
	file   rotatingFile
	header string // from the last good content, or from the fallback
}

// TokenFile returns a credential that sends the token in the file at path.
// The file is read now, again when our copy is a minute old, and again when
// the server answers 401. While the file is missing, empty or holds no token,
// the last good token stays in use.
//
// The file wins over fallback as soon as it can be read; fallback ("" for
// none) is used until then. Without a fallback a file that cannot be read now
// is an error.
func TokenFile(path, fallback string) (Credential, error) {
	t := &tokenFile{file: rotatingFile{path: path}}
	err := t.reload(time.Now())
	if err == nil {
		return t, nil
	}
	if fallback == "" {
		return nil, err
	}
	if t.header, err = Bearer(fallback); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *tokenFile) Proof(context.Context) (Proof, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); t.file.due(now) {
		// Not reported: there is a good token from before, and if it is good
		// no longer the server says so with a 401.
		_ = t.reload(now)
	}
	return Proof{Authorization: t.header}, nil
}

// Renew looks at the file even if it was read a moment ago. The schedule that
// needs it: the file is read at 0 s with token A; the kubelet writes B at 10 s;
// A expires at 40 s; a request at 41 s would go on with A until 60 s.
//
// A second try is worth it only with another token. The refused one may be
// older than ours already: of ten requests refused together, the first to get
// here finds B, and the other nine must not conclude from an unchanged file
// that there is nothing new for them.
func (t *tokenFile) Renew(_ context.Context, refused Proof) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.header != refused.Authorization {
		return true, nil
	}
	_ = t.reload(time.Now())
	return t.header != refused.Authorization, nil
}

func (t *tokenFile) reload(now time.Time) error {
	changed, err := t.file.read(now)
	if err != nil {
		return err
	}
	if !changed {
		return nil
	}
	header, err := Bearer(string(t.file.content))
	if err != nil {
		return fmt.Errorf("%s: %w", t.file.path, err)
	}
	t.header = header
	return nil
}
