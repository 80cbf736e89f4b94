package execplugin

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.com/rawwatch/kubeconfig/transport"
)

// A Plugin is a transport.Credential that runs a command.
//
// Invariant: at most one command runs at a time, whatever the number of
// requests. Those that need its result wait for run.done.
type Plugin struct {
	config Config

	mu      sync.Mutex
	current *credential // the last good one, nil before that
	run     *run        // the run in progress, nil if there is none

	hints      int       // shown since hintsSince
	hintsSince time.Time // zero before the first
}

// String names the command; the credential is not shown.
func (p *Plugin) String() string { return "execplugin.Plugin{" + p.config.Name() + "}" }

// GoString is String for %#v.
func (p *Plugin) GoString() string { return p.String() }

// credential is what a run produced.
type credential struct {
	proof transport.Proof
	until time.Time // wall clock; zero: until the server refuses it
}

// run is one execution of the command, shared by all who wait for it.
type run struct {
	done    chan struct{} // closed when credential and err are set
	waiting int           // under Plugin.mu; the last one to leave cancels
	cancel  context.CancelFunc
	killed  chan struct{} // closed when the command has been killed

	credential *credential
	err        error
}

// New returns the plugin that config describes. The command is not run, nor
// looked for.
func New(config Config) (*Plugin, error) {
	if err := config.Check(); err != nil {
		return nil, err
	}
	if config.InteractiveMode == "" {
		config.InteractiveMode = "IfAvailable"
	}
	if config.Timeout == 0 {
		config.Timeout = DefaultTimeout
	}
	return &Plugin{config: config}, nil
}

// Proof returns the credential, and runs the command if there is none or it
// has expired.
func (p *Plugin) Proof(ctx context.Context) (transport.Proof, error) {
	p.mu.Lock()
	if p.current.valid(time.Now()) {
		defer p.mu.Unlock()
		return p.current.proof, nil
	}
	return p.wait(ctx)
}

// Renew runs the command again, unless that has been done since the refused
// credential was handed out. The schedule: requests 1 and 2 are refused with
// credential A; 1 runs the command and gets B; 2 comes here a moment later and
// must not run it again, for B has not been refused.
//
// After a run the request is worth a second try even if the command printed
// the same credential: that costs one request, and a token that was refused
// for being a second too young is accepted now.
func (p *Plugin) Renew(ctx context.Context, refused transport.Proof) (bool, error) {
	p.mu.Lock()
	if p.current.renewedSince(refused) {
		p.mu.Unlock()
		return true, nil
	}
	_, err := p.wait(ctx)
	return err == nil, err
}

// wait joins the run in progress, or starts one. It is called with p.mu held
// and releases it.
func (p *Plugin) wait(ctx context.Context) (transport.Proof, error) {
	if err := ctx.Err(); err != nil {
		p.mu.Unlock()
		return transport.Proof{}, err
	}
	r := p.run
	if r == nil {
		r = p.start(ctx)
	}
	r.waiting++
	p.mu.Unlock()

	select {
	case <-r.done:
		if r.err != nil {
			return transport.Proof{}, r.err
		}
		return r.credential.proof, nil
	case <-ctx.Done():
		p.mu.Lock()
		r.waiting--
		last := r.waiting == 0
		if last {
			// Nobody wants the result. The run is taken off now and not when
			// its process has gone: a request that comes in between would
			// join it and be told of a cancellation that is not its own.
			r.cancel()
			if p.run == r {
				p.run = nil
			}
		}
		p.mu.Unlock()
		if last {
			// The schedule without this wait: a signal ends the context, we
			// return, the program is over before anybody has killed the
			// command, and that is left behind with the terminal.
			select {
			case <-r.killed:
			case <-r.done: // it had ended, or was never started
			}
		}
		return transport.Proof{}, ctx.Err()
	}
}

// start starts the command in a goroutine that ends with it. The run has the
// values of ctx but not its end: the request that starts it may be given up
// while others still wait.
func (p *Plugin) start(ctx context.Context) *run {
	runCtx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), p.config.Timeout, errTimeout)
	r := &run{done: make(chan struct{}), killed: make(chan struct{}), cancel: cancel}
	p.run = r
	go func() {
		defer cancel()
		credential, err := p.config.execute(runCtx, func() { close(r.killed) })
		p.mu.Lock()
		defer p.mu.Unlock()
		if err == nil {
			p.current = credential.keeping(p.current)
			credential = p.current
		}
		r.credential, r.err = credential, p.sparing(err, time.Now())
		if p.run == r {
			p.run = nil
		}
		close(r.done)
	}()
	return r
}

// hintsPerHour is how often the hint of how to install a command is shown: it
// is a whole sentence, and a watch that reconnects meets the error for days.
// The number is client-go's.
const hintsPerHour = 10

// sparing takes the hint out of an error that has shown it often enough. It is
// called with p.mu held.
func (p *Plugin) sparing(err error, now time.Time) error {
	missing, ok := errors.AsType[*NotFoundError](err)
	if !ok || missing.InstallHint == "" {
		return err
	}
	if now.Sub(p.hintsSince) >= time.Hour {
		p.hints, p.hintsSince = 0, now
	}
	if p.hints++; p.hints > hintsPerHour {
		return &NotFoundError{Command: missing.Command}
	}
	return err
}

var errTimeout = errors.New("timeout")

// valid reports whether the credential can still be used. Its end is a time of
// day, so the clock to ask is the wall clock: the monotonic one stands still
// while a laptop sleeps.
func (c *credential) valid(now time.Time) bool {
	return c != nil && (c.until.IsZero() || now.Round(0).Before(c.until))
}

// renewedSince reports whether the credential is not the refused one.
func (c *credential) renewedSince(refused transport.Proof) bool {
	if c == nil {
		return false
	}
	token, cert := c.proof.Authorization, c.proof.Certificate
	return token != "" && token != refused.Authorization || cert != nil && cert != refused.Certificate
}

// keeping keeps the old certificate's pointer if the new one is equal: package
// transport makes new connections for a new pointer.
func (c *credential) keeping(old *credential) *credential {
	if old != nil && c.proof.Certificate != nil && old.proof.Certificate != nil &&
		transport.SameCertificate(c.proof.Certificate, old.proof.Certificate) {
		c.proof.Certificate = old.proof.Certificate
	}
	return c
}

const (
	// bornExpired is how long a credential is used whose end had passed, or
	// nearly, when it was printed. The clocks of this machine and of whoever
	// issued it disagree then, and without a floor every request would run
	// the command.
	bornExpired = 5 * time.Second
	// maxSlack is how long before its end a credential is renewed, at most:
	// a request takes a moment to arrive.
	maxSlack = 10 * time.Second
)

// usableUntil returns until when a credential that was printed at now and ends
// at end is used.
func usableUntil(now, end time.Time) time.Time {
	if end.IsZero() {
		return end
	}
	now, end = now.Round(0), end.Round(0)
	life := end.Sub(now)
	if life <= time.Second {
		return now.Add(bornExpired)
	}
	return end.Add(-min(maxSlack, life/10))
}
