package replay

import (
	"fmt"
	"slices"
	"strings"
)

// A selector decides which objects a client sees. All of its terms must hold.
type selector []func(*object) bool

func (s selector) matches(o *object) bool {
	if o == nil {
		return false
	}
	for _, term := range s {
		if !term(o) {
			return false
		}
	}
	return true
}

// newSelector reads labelSelector and fieldSelector.
func newSelector(labels, fields string) (selector, error) {
	var s selector
	for _, text := range splitTerms(labels) {
		term, err := labelTerm(text)
		if err != nil {
			return nil, err
		}
		s = append(s, term)
	}
	for _, text := range splitTerms(fields) {
		key, op, value := splitOperator(text)
		var get func(*object) string
		switch key {
		case "metadata.name":
			get = func(o *object) string { return o.name }
		case "metadata.namespace":
			get = func(o *object) string { return o.namespace }
		}
		if get == nil || op == "" {
			return nil, fmt.Errorf("unable to parse field selector %q: field label not supported: %s", text, key)
		}
		s = append(s, func(o *object) bool { return (get(o) == value) == (op != "!=") })
	}
	return s, nil
}

// splitTerms divides at the commas outside of parentheses.
func splitTerms(text string) (terms []string) {
	depth, start := 0, 0
	for i, c := range text + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			if t := strings.TrimSpace(text[start:i]); t != "" {
				terms = append(terms, t)
			}
			start = i + 1
		}
	}
	return terms
}

func splitOperator(text string) (key, op, value string) {
	// The longest first, or != and == would be cut at their =.
	for _, op := range []string{"!=", "==", "="} {
		if key, value, ok := strings.Cut(text, op); ok {
			return strings.TrimSpace(key), op, strings.TrimSpace(value)
		}
	}
	return text, "", "" // no operator: a key alone, or a set
}

// labelTerm reads key, !key, key=value, key!=value, key in (…), key notin (…).
func labelTerm(text string) (func(*object) bool, error) {
	if key, op, value := splitOperator(text); op != "" {
		return func(o *object) bool { // a label that is missing is not equal
			v, ok := o.labels[key]
			return (ok && v == value) == (op != "!=")
		}, nil
	}
	if before, set, ok := strings.Cut(text, "("); ok {
		key, op, _ := strings.Cut(strings.TrimSpace(before), " ")
		op = strings.TrimSpace(op)
		set, closed := strings.CutSuffix(strings.TrimSpace(set), ")")
		if !closed || op != "in" && op != "notin" {
			return nil, fmt.Errorf("unable to parse requirement: %q", text)
		}
		values := strings.Split(set, ",")
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		return func(o *object) bool {
			v, ok := o.labels[key]
			return (ok && slices.Contains(values, v)) == (op == "in")
		}, nil
	}
	key, not := strings.CutPrefix(text, "!")
	if key == "" || strings.ContainsAny(key, " !,()") {
		return nil, fmt.Errorf("unable to parse requirement: %q", text)
	}
	return func(o *object) bool { _, ok := o.labels[key]; return ok != not }, nil
}
