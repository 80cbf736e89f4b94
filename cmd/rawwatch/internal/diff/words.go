package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Op is what became of a part of a text.
type Op uint8

const (
	Kept Op = iota
	Removed
	Inserted
)

// Part is a part of two texts that are compared: what they share, or what only
// one of them has.
type Part struct {
	Op   Op
	Text string
}

// Words compares two texts word by word. The parts that were kept or removed
// are the old text, in order; those that were kept or inserted the new one.
// Where something was replaced, what was removed comes first.
func Words(before, after string) []Part {
	return parts(words(before), words(after), true)
}

// Lines compares two texts line by line. Each part is one line, with its line
// break.
func Lines(before, after string) []Part {
	return parts(lines(before), lines(after), false)
}

// parts compares sequences of texts; join puts those that follow each other
// and fared alike into one part.
func parts(before, after []string, join bool) []Part {
	var out []Part
	add := func(op Op, texts []string) {
		if join && len(texts) > 0 {
			texts = []string{strings.Join(texts, "")}
		}
		for _, text := range texts {
			out = append(out, Part{op, text})
		}
	}
	common := align(len(before), len(after), func(i, j int) bool { return before[i] == after[j] })
	if join {
		common = worthKeeping(common, before, after)
	}
	i, j := 0, 0
	for _, m := range append(common, match{len(before), len(after), 0}) {
		add(Removed, before[i:m.a])
		add(Inserted, after[j:m.b])
		add(Kept, before[m.a:m.a+m.n])
		i, j = m.a+m.n, m.b+m.n
	}
	return out
}

// worthKeeping drops matches between two changes that hold no word: that two
// replaced sentences have their spaces in common helps nobody to read them.
func worthKeeping(common []match, before, after []string) []match {
	kept := common[:0]
	for _, m := range common {
		inside := m.a > 0 && m.b > 0 && m.a+m.n < len(before) && m.b+m.n < len(after)
		if inside && !strings.ContainsFunc(strings.Join(before[m.a:m.a+m.n], ""), isWordRune) && m.n < 3 {
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// words cuts a text into words, white space, and single other characters.
func words(s string) (out []string) {
	class := func(s string) (rune, int) {
		switch r, size := utf8.DecodeRuneInString(s); {
		case isWordRune(r):
			return 'w', size
		case unicode.IsSpace(r):
			return ' ', size
		default:
			return 0, size
		}
	}
	for len(s) > 0 {
		kind, end := class(s)
		for kind != 0 && end < len(s) {
			next, size := class(s[end:])
			if next != kind {
				break
			}
			end += size
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	return out
}

// lines cuts a text into lines, each with its line break.
func lines(s string) []string {
	out := strings.SplitAfter(s, "\n")
	if last := len(out) - 1; out[last] == "" {
		out = out[:last]
	}
	return out
}
