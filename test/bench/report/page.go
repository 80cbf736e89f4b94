package report

import (
	"fmt"
	"strings"
)

const (
	begin  = "<!-- bench:"
	beginE = " -->\n"
	end    = "<!-- /bench -->"
)

// Fill returns the page with the text of its sections replaced. Each section of
// the page has to be given, and each given section has to be in the page once.
func Fill(page string, sections map[string]string) (string, error) {
	var filled strings.Builder
	seen := map[string]bool{}
	for {
		before, rest, found := strings.Cut(page, begin)
		filled.WriteString(before)
		if !found {
			break
		}
		name, rest, ok := strings.Cut(rest, beginE)
		if !ok || strings.ContainsAny(name, " \n") {
			return "", fmt.Errorf("report: a marker that is none: %s%.40s", begin, name)
		}
		_, rest, ok = strings.Cut(rest, end)
		if !ok {
			return "", fmt.Errorf("report: section %s has no end", name)
		}
		text, given := sections[name]
		if !given || seen[name] {
			return "", fmt.Errorf("report: section %s is there twice, or nothing measures it", name)
		}
		seen[name] = true
		filled.WriteString(begin + name + beginE + text + end)
		page = rest
	}
	for name := range sections {
		if !seen[name] {
			return "", fmt.Errorf("report: the page has no section %s", name)
		}
	}
	return filled.String(), nil
}
