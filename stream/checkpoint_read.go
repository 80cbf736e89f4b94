package stream

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"slices"
)

// readCheckpoint reads the file at path. It has to hold a section for each of
// the owners and no other; they come back in the order of owners.
func readCheckpoint(path string, owners []checkpointOwner) ([]section, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &checkpointReader{r: bufio.NewReaderSize(f, 1<<16), sum: crc32.NewIEEE()}
	var lead checkpointLead
	switch err := r.value(&lead); {
	case err != nil:
		return nil, err
	case lead.Rawwatch != "checkpoint":
		return nil, ErrCheckpointCorrupt
	case lead.Format != checkpointFormat:
		return nil, fmt.Errorf("%w (format %d, this one reads %d)", ErrCheckpointFormat, lead.Format, checkpointFormat)
	}
	r.watches = lead.Watches
	sections := make([]section, len(owners))
	for range lead.Watches {
		if err := r.section(owners, sections); err != nil {
			return nil, err
		}
	}
	if _, err := r.r.ReadByte(); err != io.EOF {
		return nil, ErrCheckpointCorrupt
	}
	for i, s := range sections {
		if s.index == nil {
			return nil, fmt.Errorf("%w: it has nothing of %s", ErrCheckpointOther, owners[i].collection())
		}
	}
	return sections, nil
}

// checkpointReader reads line by line. sum is of all lines before the last one
// read.
type checkpointReader struct {
	r       *bufio.Reader
	sum     hash.Hash32
	line    []byte
	watches int // sections in the file
}

func (r *checkpointReader) next() error {
	r.sum.Write(r.line)
	line, err := r.r.ReadBytes('\n')
	if err == io.EOF {
		return ErrCheckpointCorrupt // the last line of a section must be there, whole
	}
	r.line = line
	return err
}

// value reads a line into v.
func (r *checkpointReader) value(v any) error {
	if err := r.next(); err != nil {
		return err
	}
	if json.Unmarshal(r.line, v) != nil {
		return ErrCheckpointCorrupt
	}
	return nil
}

// section reads the next one, into its owner's place.
func (r *checkpointReader) section(owners []checkpointOwner, sections []section) error {
	var head checkpointHead
	if err := r.value(&head); err != nil {
		return err
	}
	i := slices.Index(owners, head.Of)
	switch {
	case i < 0:
		return fmt.Errorf("%w: %s", ErrCheckpointOther, head.Of.stranger(owners, r.watches))
	case sections[i].index != nil:
		return ErrCheckpointCorrupt // the same watch twice
	}
	x := &index{complete: head.Complete}
	for {
		if err := r.next(); err != nil {
			return err
		}
		if r.line[0] != '[' {
			break
		}
		var object [4]string
		if json.Unmarshal(r.line, &object) != nil {
			return ErrCheckpointCorrupt
		}
		id := newIdentity([]byte(object[2]), []byte(object[3]))
		x.put(x.find([]byte(object[0]), []byte(object[1])), object[0], object[1], id)
	}
	var foot checkpointFoot
	if json.Unmarshal(r.line, &foot) != nil || foot.CRC32 != sumText(r.sum) || foot.Objects != len(x.places) {
		return ErrCheckpointCorrupt
	}
	sections[i] = section{head, x}
	return nil
}

// stranger says why o is none of owners: which field is another, if it can be
// told which of them it was meant to be.
func (o checkpointOwner) stranger(owners []checkpointOwner, inFile int) string {
	for _, want := range owners {
		if inFile == 1 && len(owners) == 1 || o.collection() == want.collection() {
			return o.difference(want)
		}
	}
	return "it holds " + o.collection() + " too"
}

// collection names what is watched, and leaves out how.
func (o checkpointOwner) collection() string {
	return Target{Group: o.Group, Version: o.Version, Resource: o.Resource, Namespace: o.Namespace, Name: o.Name}.String()
}

// difference names the first field in which the owner of the file is another.
func (o checkpointOwner) difference(want checkpointOwner) string {
	for _, f := range []struct {
		name      string
		has, want any
	}{
		{"server", o.Server, want.Server}, {"group", o.Group, want.Group}, {"version", o.Version, want.Version},
		{"resource", o.Resource, want.Resource}, {"namespace", o.Namespace, want.Namespace}, {"name", o.Name, want.Name},
		{"label selector", o.LabelSelector, want.LabelSelector}, {"field selector", o.FieldSelector, want.FieldSelector},
		{"view", o.View, want.View},
	} {
		if f.has != f.want {
			return fmt.Sprintf("its %s is %q, not %q", f.name, fmt.Sprint(f.has), fmt.Sprint(f.want))
		}
	}
	return "one of the two keeps no index"
}
