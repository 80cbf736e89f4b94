// Package report writes what was measured for people: tables into a Markdown
// page, between markers, and plots as SVG beside the results. What is outside
// of the markers is written by hand and left as it is.
//
// A section begins with `<!-- bench:NAME -->` and ends with `<!-- /bench -->`.
// It holds the bars of the suite and what was measured for them, a table of all
// figures, the plots, and where all that comes from.
package report
