package execplugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const (
	// maxOutput bounds what is read of the command's output. A token with
	// many groups has 20 kB, a certificate chain less.
	maxOutput = 1 << 20
	// afterKill is how long we wait for the output of a command that was
	// killed: a child of its own may hold the pipe open.
	afterKill = time.Second
)

// execute runs the command once, in our own working directory, as a shell would:
// only the path of the command is relative to the file that names it. There is
// no shell in between, and no expansion of arguments. killed is called when the
// end of ctx has killed it; its children are not, and may live on.
func (c *Config) execute(ctx context.Context, killed func()) (*credential, error) {
	stdin, err := c.stdin()
	if err != nil {
		return nil, fmt.Errorf("exec: executable %s: %w", c.Name(), err)
	}
	info, err := c.info(stdin != nil)
	if err != nil {
		return nil, err
	}
	var output limitedBuffer
	cmd := exec.CommandContext(ctx, c.Command, c.Args...)
	// Of variables given twice the last one counts (os/exec sees to that), so
	// this is the order of precedence.
	cmd.Env = os.Environ()
	for _, v := range c.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	cmd.Env = append(cmd.Env, "KUBERNETES_EXEC_INFO="+info)
	if stdin != nil { // a nil *os.File in the field would be no nil reader
		cmd.Stdin = stdin
	}
	cmd.Stdout = &output
	cmd.Stderr = c.Stderr
	if c.Stderr == nil {
		cmd.Stderr = os.Stderr
	}
	cmd.Cancel = func() error {
		defer killed()
		return cmd.Process.Kill()
	}
	// A command that was killed, or that has ended, may leave a child which
	// holds its output open: sh -c "something &". Without a limit Run would
	// wait for that child.
	cmd.WaitDelay = afterKill
	if err := cmd.Run(); err != nil {
		return nil, c.runError(ctx, err)
	}
	if output.cut {
		return nil, fmt.Errorf("exec: executable %s printed more than %d bytes", c.Name(), maxOutput)
	}
	return decode(c.json(output.kept.Bytes()), c.APIVersion, time.Now())
}

// json returns output as JSON if that can be done. Only an object can be right:
// a login prompt that went to the wrong place is YAML too, a string.
func (c *Config) json(output []byte) []byte {
	if c.ToJSON == nil || json.Valid(output) {
		return output
	}
	if converted, err := c.ToJSON(output); err == nil && bytes.HasPrefix(converted, []byte("{")) {
		return converted
	}
	return output
}

// Name is the command as messages show it. Whole command lines that were put in
// the field by mistake, secrets and all, are cut before their first option.
func (c *Config) Name() string {
	name, _, _ := strings.Cut(c.Command, " -")
	return printable(name)
}

// runError says why the command gave no output. Arguments and environment stay
// out of it: both are places where secrets are kept.
func (c *Config) runError(ctx context.Context, err error) error {
	var exit *exec.ExitError
	var path *fs.PathError
	switch {
	case context.Cause(ctx) == errTimeout:
		return fmt.Errorf("exec: executable %s did not finish within %v", c.Name(), c.Timeout)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return &NotFoundError{Command: c.Name(), InstallHint: c.InstallHint}
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return fmt.Errorf("exec: executable %s failed with exit code %d", c.Name(), exit.ExitCode())
	case errors.As(err, &exit):
		return fmt.Errorf("exec: executable %s failed: %s", c.Name(), exit.ProcessState)
	case errors.Is(err, exec.ErrWaitDelay):
		return fmt.Errorf("exec: executable %s ended, but a child of it still holds its output open", c.Name())
	case errors.Is(err, exec.ErrDot):
		return fmt.Errorf("exec: executable %s: found in the current directory only, which is not searched", c.Name())
	case errors.As(err, &path):
		return fmt.Errorf("exec: executable %s cannot be run: %w", c.Name(), path.Err)
	}
	return fmt.Errorf("exec: executable %s cannot be run: %w", c.Name(), err)
}

// A NotFoundError says that the command does not exist.
type NotFoundError struct {
	Command     string
	InstallHint string // as it is in the file
}

func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("exec: executable %s not found: the credential plugin is not installed, or not in PATH", e.Command)
	if hint := printable(e.InstallHint); hint != "" {
		text += ": " + hint
	}
	return text
}

func (e *NotFoundError) Unwrap() error { return exec.ErrNotFound }

// printable makes one line of a text from a file, which somebody else may have
// written: what would move the cursor or change colours is escaped.
func printable(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const longest = 500
	var b strings.Builder
	for _, r := range text {
		if b.Len() > longest {
			b.WriteString("…")
			break
		}
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// stdin returns our standard input if the command may have it, and nil for
// none: it then finds the null device, and fails at once if it asks a question.
func (c *Config) stdin() (*os.File, error) {
	switch c.InteractiveMode {
	case "Never":
		return nil, nil
	case "IfAvailable":
		if c.StdinUnavailable == "" && isTerminal(os.Stdin) {
			return os.Stdin, nil
		}
		return nil, nil
	}
	if c.StdinUnavailable != "" {
		return nil, fmt.Errorf("exec plugin cannot support interactive mode: standard input is unavailable: %s", c.StdinUnavailable)
	}
	if !isTerminal(os.Stdin) {
		return nil, errors.New("exec plugin cannot support interactive mode: standard input is not a terminal")
	}
	return os.Stdin, nil
}

// isTerminal asks about standard input, not output: a plugin asks questions
// even if its caller's output goes to a file. The null device is a character
// device like a terminal, and what a service has for standard input.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// info is what the command finds in KUBERNETES_EXEC_INFO: an ExecCredential
// without a status. interactive is there even if it is false, so that plugins
// can tell it from an old client that does not say.
func (c *Config) info(interactive bool) (string, error) {
	type spec struct {
		Cluster     *Cluster `json:"cluster,omitempty"`
		Interactive bool     `json:"interactive"`
	}
	text, err := json.Marshal(struct {
		Kind       string `json:"kind"`
		APIVersion string `json:"apiVersion"`
		Spec       spec   `json:"spec"`
	}{"ExecCredential", c.APIVersion, spec{c.Cluster, interactive}})
	if err != nil {
		return "", fmt.Errorf("exec: describing the cluster to executable %s: %w", c.Name(), err)
	}
	return string(text), nil
}

// limitedBuffer keeps the first maxOutput bytes and takes the rest without
// complaint: an error would let the command die of a closed pipe, and the
// message would be about that. The buffer is not embedded: io.Copy would find
// its ReadFrom and go around the limit.
type limitedBuffer struct {
	kept bytes.Buffer
	cut  bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	fits := p
	if room := maxOutput - b.kept.Len(); len(p) > room {
		b.cut = true
		fits = p[:room]
	}
	b.kept.Write(fits)
	return len(p), nil
}
