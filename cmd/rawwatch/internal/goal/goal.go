package goal

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Goal is what --for asks for: delete, create, condition=NAME[=VALUE] or
// jq=EXPR.
type Goal struct {
	text  string
	judge judge // nil: whether the object exists is all that counts
	gone  bool
}

// judge looks at an object. why is how it stands, in a few words.
type judge func(object []byte) (met bool, why string)

// Query is an expression of jq that has been compiled: it says whether an
// object satisfies it.
type Query func(object []byte) (bool, error)

// Parse reads a goal. compile is asked for the expression of jq=.
func Parse(text string, compile func(expression string) (Query, error)) (Goal, error) {
	kind, rest, hasRest := strings.Cut(text, "=")
	switch kind {
	case "delete", "create":
		if hasRest {
			return Goal{}, fmt.Errorf("%s takes no value", kind)
		}
		return Goal{text: text, gone: kind == "delete"}, nil
	case "condition":
		name, value, hasValue := strings.Cut(rest, "=")
		if name == "" || hasValue && value == "" {
			return Goal{}, errors.New("write condition=NAME or condition=NAME=VALUE, as in condition=Ready")
		}
		if !hasValue {
			value = "True"
		}
		return Goal{text: text, judge: condition(name, value)}, nil
	case "jq":
		query, err := compile(rest)
		if err != nil {
			return Goal{}, err
		}
		return Goal{text: text, judge: satisfies(query)}, nil
	case "jsonpath":
		return Goal{}, errors.New(`jsonpath is kubectl's; write it for jq, as in jq='.status.phase == "Running"'`)
	}
	return Goal{}, errors.New("write delete, create, condition=NAME[=VALUE] or jq=EXPRESSION")
}

func (g Goal) String() string { return g.text }

// Asked: there is a goal at all.
func (g Goal) Asked() bool { return g.text != "" }

// NeedsObject: more than metadata is looked at.
func (g Goal) NeedsObject() bool { return g.judge != nil }

func satisfies(query Query) judge {
	return func(object []byte) (bool, string) {
		met, err := query(object)
		switch {
		case err != nil:
			return false, err.Error()
		case met:
			return true, "satisfies it"
		}
		return false, "does not satisfy it"
	}
}

// subject is what a condition is judged by.
type subject struct {
	Metadata struct{ Generation int64 }
	Status   struct {
		ObservedGeneration *int64
		Conditions         []struct {
			Type, Status, Reason string
			ObservedGeneration   *int64
		}
	}
}

func condition(name, value string) judge {
	return func(object []byte) (bool, string) {
		var s subject
		if json.Unmarshal(object, &s) != nil {
			return false, "has a status of another shape"
		}
		for _, c := range s.Status.Conditions {
			if !strings.EqualFold(c.Type, name) {
				continue
			}
			why := c.Type + " is " + c.Status
			if c.Reason != "" {
				why += ": " + c.Reason
			}
			observed := c.ObservedGeneration
			if observed == nil {
				observed = s.Status.ObservedGeneration
			}
			if observed != nil && *observed < s.Metadata.Generation {
				return false, why + ", but that is about an earlier generation of it"
			}
			return strings.EqualFold(c.Status, value), why
		}
		return false, "has no condition " + name
	}
}
