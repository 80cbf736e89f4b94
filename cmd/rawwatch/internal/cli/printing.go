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
	set.BoolVar(&p.noHeaders, "no-headers", false, "no line of column names")
	set.BoolVar(&p.showLabels, "show-labels", false, "a column with all labels")
	set.StringSliceVarP(&p.labelColumns, "label-columns", "L", nil, "labels that get a column each, with commas between them; may be repeated")
	p.colour = choice{terminal.Auto, []string{terminal.Auto, terminal.Always, terminal.Never}}
	set.Var(&p.colour, "color", "colours: on a terminal without NO_COLOR, always, or never")

	set.BoolVar(&p.managedFields, "show-managed-fields", false, "show metadata.managedFields in yaml and diff")
	set.BoolVar(&p.diffAll, "diff-all", false, "show what changes all the time, too")
	p.diffCache = versions.DefaultLimit
	set.Var(&p.diffCache, "diff-cache", "how much of the objects to keep to compare with")

	p.jq.add(set)
}

// check refuses what a format has no place for.
func (p *printing) check(chosen *choice, given func(string) bool) error {
	if err := p.jq.check(chosen, given); err != nil {
		return err
	}
	format := chosen.value
	for _, flag := range []string{"show-labels", "label-columns"} {
		if given(flag) && !output.Format(format).HasColumns() {
			return usagef("--%s adds columns, and -o %s has none; use -o %s or -o %s", flag, format, output.Text, output.Wide)
		}
	}
	for flag, formats := range map[string][]output.Format{
		"show-managed-fields": {output.YAML, output.Diff}, "diff-all": {output.Diff}, "diff-cache": {output.Diff},
	} {
		if given(flag) && !slices.Contains(formats, output.Format(format)) {
			return usagef("--%s changes nothing of -o %s; it is for -o %s", flag, format, formats[len(formats)-1])
		}
	}
	for _, key := range p.labelColumns {
		if strings.TrimSpace(key) == "" {
			return usagef("--label-columns: a label is empty")
		}
	}
	return nil
}

// options are what they come to, on this output.
func (p *printing) options(ctx context.Context, out io.Writer, format string, markers bool, tell *story.Story) output.Options {
	width := 0
	if terminal.Is(out) {
		width = terminal.Width(out)
	}
	return output.Options{
		Width:        width,
		Format:       output.Format(format),
		Markers:      markers,
		NoHeaders:    p.noHeaders,
		ShowLabels:   p.showLabels,
		LabelColumns: p.labelColumns,
		Colour:       terminal.HasColours(out, p.colour.value),

		Query:         p.jq.query(ctx, tell),
		ManagedFields: p.managedFields,
		Diff:          output.DiffOptions{Noise: p.diffAll, Bodies: int(p.diffCache)},
	}
}
