package transport

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// projected is a directory as the kubelet keeps it: token is a symbolic link
// through ..data, which is swapped to another directory.
type projected struct {
	t   *testing.T
	dir string
	n   int
}

func newProjected(t *testing.T, token string) *projected {
	p := &projected{t: t, dir: t.TempDir()}
	p.swap(token)
	require.NoError(t, os.Symlink(filepath.Join("..data", "token"), p.path()))
	return p
}

func (p *projected) path() string { return filepath.Join(p.dir, "token") }

func (p *projected) swap(token string) {
	p.n++
	version := filepath.Join(p.dir, "..v"+string(rune('0'+p.n)))
	require.NoError(p.t, os.Mkdir(version, 0o755))
	file := filepath.Join(version, "token")
	require.NoError(p.t, os.WriteFile(file, []byte(token), 0o644))
	// Older than the one it replaces, as restored and copied files are.
	past := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Duration(p.n) * time.Hour)
	require.NoError(p.t, os.Chtimes(file, past, past))
	next := filepath.Join(p.dir, "..next")
	require.NoError(p.t, os.Symlink(filepath.Base(version), next))
	require.NoError(p.t, os.Rename(next, filepath.Join(p.dir, "..data")))
}

func sent(t *testing.T, c Credential) string {
	proof, err := c.Proof(context.Background())
	require.NoError(t, err)
	return proof.Authorization
}

func TestTokenFileIsReadAgainEveryMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := newProjected(t, "T1\n")
		c, err := TokenFile(dir.path(), "")
		require.NoError(t, err)
		assert.Equal(t, "Bearer T1", sent(t, c))

		dir.swap("T2\n")
		time.Sleep(59 * time.Second)
		assert.Equal(t, "Bearer T1", sent(t, c), "read more than once a minute")
		time.Sleep(time.Second)
		assert.Equal(t, "Bearer T2", sent(t, c))
	})
}

func TestTokenFileKeepsTheLastGoodToken(t *testing.T) {
	for name, content := range map[string]string{"empty": "", "blank": " \n", "no token": "a b\n"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := newProjected(t, "T1")
				c, err := TokenFile(dir.path(), "")
				require.NoError(t, err)
				dir.swap(content)
				time.Sleep(recheckEvery)
				assert.Equal(t, "Bearer T1", sent(t, c))
				dir.swap("T2")
				time.Sleep(recheckEvery)
				assert.Equal(t, "Bearer T2", sent(t, c))
			})
		})
	}
	t.Run("missing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "token")
			require.NoError(t, os.WriteFile(path, []byte("T1"), 0o644))
			c, err := TokenFile(path, "")
			require.NoError(t, err)
			require.NoError(t, os.Remove(path))
			time.Sleep(recheckEvery)
			assert.Equal(t, "Bearer T1", sent(t, c))
			require.NoError(t, os.WriteFile(path, []byte("T2"), 0o644))
			time.Sleep(recheckEvery)
			assert.Equal(t, "Bearer T2", sent(t, c))
		})
	})
}

func TestTokenFileWinsOverItsFallbackOnceItIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "token")
		c, err := TokenFile(path, "inline")
		require.NoError(t, err)
		assert.Equal(t, "Bearer inline", sent(t, c))
		require.NoError(t, os.WriteFile(path, []byte("file"), 0o644))
		time.Sleep(recheckEvery)
		assert.Equal(t, "Bearer file", sent(t, c))
		require.NoError(t, os.Remove(path))
		time.Sleep(recheckEvery)
		assert.Equal(t, "Bearer file", sent(t, c), "it does not go back")
	})
}

func TestTokenFileIsReadAtOnceAfterARefusal(t *testing.T) {
	dir := newProjected(t, "T1")
	c, err := TokenFile(dir.path(), "")
	require.NoError(t, err)
	refused, err := c.Proof(context.Background())
	require.NoError(t, err)

	again, err := c.Renew(context.Background(), refused)
	require.NoError(t, err)
	assert.False(t, again, "the same token would be refused again")

	dir.swap("T2")
	again, err = c.Renew(context.Background(), refused)
	require.NoError(t, err)
	assert.True(t, again)
	assert.Equal(t, "Bearer T2", sent(t, c))

	// Another request was refused with T1 as well, and comes later.
	again, err = c.Renew(context.Background(), refused)
	require.NoError(t, err)
	assert.True(t, again)
}

func TestTokenFileThatCannotBeReadAtTheStart(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "token")
	_, err := TokenFile(missing, "")
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, missing)

	_, err = TokenFile(missing, "not a token")
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "not a token")
}

func TestClockThatWasSetBackMakesAFileDue(t *testing.T) {
	now := time.Now()
	f := rotatingFile{path: "x", checked: now}
	assert.False(t, f.due(now.Add(recheckEvery-1)))
	assert.True(t, f.due(now.Add(recheckEvery)))
	assert.True(t, f.due(now.Add(-time.Hour)))
}

func TestRotatingFileIsLimited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big")
	require.NoError(t, os.WriteFile(path, make([]byte, maxFile+1), 0o644))
	f := rotatingFile{path: path}
	_, err := f.read(time.Now())
	require.ErrorContains(t, err, "larger than 4 MiB")
}

func TestBearerRefusesWhatIsNoToken(t *testing.T) {
	for name, tc := range map[string]struct{ token, want string }{
		"plain":         {"abc.def-_~+/=", "Bearer abc.def-_~+/="},
		"trimmed":       {"\n abc\r\n\t", "Bearer abc"},
		"empty":         {" \n", ""},
		"two words":     {"a b", ""},
		"two lines":     {"a\nb", ""},
		"with Bearer":   {"Bearer abc", ""},
		"with bearer":   {"bearer  abc", ""},
		"control":       {"a\x00b", ""},
		"not ASCII":     {"tökén", ""},
		"byte mark":     {"\ufeffabc", ""},
		"named Bearer!": {"Bearerabc", "Bearer Bearerabc"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Bearer(tc.token)
			assert.Equal(t, tc.want, got)
			assert.Equal(t, tc.want == "", err != nil)
		})
	}
}
