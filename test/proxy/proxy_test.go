package proxy_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/rawwatch/test/proxy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit bounds every wait; on loopback nothing here takes that long.
const limit = 10 * time.Second

// echo answers each line with the same line, until the test ends.
func echo(t *testing.T) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				io.Copy(c, c)
			}()
		}
	}()
	return l.Addr().String()
}

// peer is a client behind the proxy.
type peer struct {
	net.Conn
	lines *bufio.Reader
}

func dial(t *testing.T, p *proxy.Proxy) peer {
	c, err := net.Dial("tcp", p.Address())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(limit)))
	return peer{c, bufio.NewReader(c)}
}

func (c peer) say(t *testing.T, line string) {
	_, err := io.WriteString(c, line+"\n")
	require.NoError(t, err)
}

func (c peer) hear(t *testing.T, line string) {
	got, err := c.lines.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, line+"\n", got)
}

func TestBytesPassBothWaysUnchanged(t *testing.T) {
	p := proxy.Start(t, echo(t))
	c := dial(t, p)
	long := strings.Repeat("x", 1<<20)
	go io.WriteString(c, long+"\n")
	c.hear(t, long)
	assert.EqualValues(t, len(long)+1, p.Received())
	assert.Equal(t, 1, p.Accepted())
}

func TestEndOfOneSideReachesTheOther(t *testing.T) {
	p := proxy.Start(t, echo(t))
	c := dial(t, p)
	c.say(t, "last")
	require.NoError(t, c.Conn.(*net.TCPConn).CloseWrite())
	rest, err := io.ReadAll(c.lines)
	require.NoError(t, err)
	assert.Equal(t, "last\n", string(rest))
	require.Eventually(t, func() bool { return p.Open() == 0 }, limit, time.Millisecond)
}

func TestStallHoldsBytesUntilFlow(t *testing.T) {
	p := proxy.Start(t, echo(t))
	before := dial(t, p)
	before.say(t, "one")
	before.hear(t, "one")

	p.Stall()
	before.say(t, "two")
	during := dial(t, p)
	during.say(t, "three")
	require.NoError(t, before.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err := before.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "nothing may pass")
	require.NoError(t, before.SetReadDeadline(time.Now().Add(limit)))

	p.Flow()
	before.hear(t, "two")
	during.hear(t, "three")
}

func TestStalledLinkCanBeCut(t *testing.T) {
	p := proxy.Start(t, echo(t))
	c := dial(t, p)
	c.say(t, "one")
	c.hear(t, "one")
	p.Stall()
	p.Cut()
	_, err := c.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF)
}

func TestFreezeHoldsTheLinksThereAreForGood(t *testing.T) {
	p := proxy.Start(t, echo(t))
	before := dial(t, p)
	before.say(t, "one")
	before.hear(t, "one")

	p.Freeze()
	before.say(t, "two")
	after := dial(t, p)
	after.say(t, "three")
	after.hear(t, "three")
	p.Flow()
	require.NoError(t, before.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err := before.Read(make([]byte, 1))
	assert.ErrorIs(t, err, os.ErrDeadlineExceeded, "nothing may pass")

	p.Freeze() // twice is once
	p.Cut()
	require.Eventually(t, func() bool { return p.Open() == 0 }, limit, time.Millisecond)
}

func TestCutAfterLetsExactlySoManyBytesThrough(t *testing.T) {
	for _, n := range []int{0, 1, 5, 6, 7} {
		p := proxy.Start(t, echo(t))
		c := dial(t, p)
		c.say(t, "one")
		c.hear(t, "one")
		p.CutAfter(int64(n))
		c.say(t, "hello world")
		got, err := io.ReadAll(c.lines)
		require.NoError(t, err, "a cut is a FIN")
		assert.Equal(t, "hello world\n"[:n], string(got))

		next := dial(t, p)
		next.say(t, "a cut happens once")
		next.hear(t, "a cut happens once")
	}
}

func TestCutAfterCountsOverAllLinks(t *testing.T) {
	p := proxy.Start(t, echo(t))
	a, b := dial(t, p), dial(t, p)
	p.CutAfter(10)
	a.say(t, "12345")
	a.hear(t, "12345")
	b.say(t, "1234567")
	got, err := io.ReadAll(b.lines)
	require.NoError(t, err)
	assert.Equal(t, "1234", string(got))
	_, err = a.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF, "the other link is cut too")
}

func TestResetIsSeenAsReset(t *testing.T) {
	p := proxy.Start(t, echo(t))
	c := dial(t, p)
	c.say(t, "one")
	c.hear(t, "one")
	p.Reset()
	_, err := c.Read(make([]byte, 1))
	assert.ErrorIs(t, err, syscall.ECONNRESET)
}

func TestRefuseLeavesLinksAlone(t *testing.T) {
	p := proxy.Start(t, echo(t))
	c := dial(t, p)
	c.say(t, "one")
	c.hear(t, "one")

	p.Refuse()
	p.Refuse() // twice is once
	_, err := net.Dial("tcp", p.Address())
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	c.say(t, "two")
	c.hear(t, "two")

	p.Accept(t)
	p.Accept(t)
	d := dial(t, p)
	d.say(t, "three")
	d.hear(t, "three")
	assert.Equal(t, 2, p.Accepted())
}

func TestTargetThatIsDownResetsTheClient(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	p := proxy.Start(t, l.Addr().String())

	// The reset may be there before the dial has returned.
	c, err := net.Dial("tcp", p.Address())
	if err == nil {
		defer c.Close()
		_, err = c.Read(make([]byte, 1))
	}
	assert.ErrorIs(t, err, syscall.ECONNRESET)
	assert.Equal(t, 1, p.Accepted())
}
