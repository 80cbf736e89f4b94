package output

import "example.com/rawwatch/stream"

// rawLines prints nothing of an event: by the time there is one, its line has
// been through [Printer.Line], with those that never become one.
type rawLines struct{}

func (rawLines) append(b []byte, _ stream.Event, _ Source) []byte { return b }

// Line writes one line of the wire as it was received, in one write, if the
// format is Raw. Any other format makes its lines from events, and writes
// nothing here. Watches that are merged may call it at the same time: lines
// come out whole.
func (p *Printer) Line(line []byte) (printed bool, err error) {
	if _, raw := p.format.(rawLines); !raw {
		return false, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.write(append(append(p.line[:0], line...), '\n')); err != nil {
		return false, err
	}
	return true, nil
}
