package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/cmd/rawwatch/internal/versions"
)

// printing are the flags that a watch and a replay share: how events look.
type printing struct {
	output    choice
	bookmarks bool
	markers   bool

	noHeaders    bool
	showLabels   bool
	labelColumns []string
	colour       choice

	managedFields bool
	diffAll       bool
	diffCache     size

	jq jq
}

func (p *printing) add(set *pflag.FlagSet) {
	var formats []string
	for _, format := range output.Formats() {
		formats = append(formats, string(format))
	}
	p.output = choice{formats[0], formats}
	set.VarP(&p.output, "output", "o", "the format")
	set.BoolVar(&p.bookmarks, "bookmarks", false, "print bookmarks too")
	set.BoolVar(&p.markers, "markers", false, "print SYNCED, GAP and RESET too")

	set.BoolVar(&p.noHeaders, "no-headers", false, "no line of column names")
	set.BoolVar(&p.showLabels, "show-labels", false, "a column with all labels")
	set.StringSliceVarP(&p.labelColumns, "label-columns", "L", nil, "labels that get a column each, with commas between them; may be repeated")
	addColour(set, &p.colour)

	set.BoolVar(&p.managedFields, "show-managed-fields", false, "show metadata.managedFields in yaml and diff")
	set.BoolVar(&p.diffAll, "diff-all", false, "show what changes all the time, too")
	p.diffCache = versions.DefaultLimit
	set.Var(&p.diffCache, "diff-cache", "how much of the objects to keep to compare with")

	p.jq.add(set)
}

// addColour adds --color.
func addColour(set *pflag.FlagSet, to *choice) {
	*to = choice{terminal.Auto, []string{terminal.Auto, terminal.Always, terminal.Never}}
	set.Var(to, "color", "colours: on a terminal without NO_COLOR, always, or never")
}

func (p *printing) format() output.Format { return output.Format(p.output.value) }

// check refuses what a format has no place for.
func (p *printing) check(given func(string) bool) error {
	if err := p.jq.check(&p.output, given); err != nil {
		return err
	}
	format := p.format()
	for _, flag := range []string{"show-labels", "label-columns"} {
		if given(flag) && !format.HasColumns() {
			return usagef("--%s adds columns, and -o %s has none; use -o %s or -o %s", flag, format, output.Text, output.Wide)
		}
	}
	for _, only := range []struct {
		flag    string
		formats []output.Format
	}{
		{"show-managed-fields", []output.Format{output.YAML, output.Diff}},
		{"diff-all", []output.Format{output.Diff}},
		{"diff-cache", []output.Format{output.Diff}},
	} {
		if given(only.flag) && !slices.Contains(only.formats, format) {
			return usagef("--%s changes nothing of -o %s; it is for -o %s", only.flag, format, only.formats[len(only.formats)-1])
		}
	}
	if p.markers && format == output.Raw {
		return usagef("-o raw shows the lines of the wire alone, and --markers are none of them; leave out one of them")
	}
	for _, key := range p.labelColumns {
		if strings.TrimSpace(key) == "" {
			return usagef("--label-columns: a label is empty")
		}
	}
	return nil
}

// options are what they come to, on this output.
func (p *printing) options(ctx context.Context, out io.Writer, tell *story.Story) output.Options {
	width := 0
	if terminal.Is(out) {
		width = terminal.Width(out)
	}
	return output.Options{
		Width:        width,
		Format:       p.format(),
		Markers:      p.markers,
		NoHeaders:    p.noHeaders,
		ShowLabels:   p.showLabels,
		LabelColumns: p.labelColumns,
		Colour:       terminal.HasColours(out, p.colour.value),

		Query:         p.jq.query(ctx, tell),
		ManagedFields: p.managedFields,
		Diff:          output.DiffOptions{Noise: p.diffAll, Bodies: int(p.diffCache)},
	}
}
