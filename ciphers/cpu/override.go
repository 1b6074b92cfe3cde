package cpu

import (
	"fmt"
	"strings"
)

// Words that a specification may start with.
const (
	allWord  = "all"
	noneWord = "none"
)

// UnknownFeatureError says that a specification takes away a feature that
// has no meaning here. Its text lists the known names.
type UnknownFeatureError struct {
	Name string // as written
}

func (e *UnknownFeatureError) Error() string {
	return fmt.Sprintf("cpu: unknown feature %q (known: %s)", e.Name, all)
}

// AddedFeatureError says that a specification asks for a feature. What the
// processor has is found, not configured: code that runs on a feature which
// is not there crashes the program.
type AddedFeatureError struct {
	Name   string // as written, without the sign
	Lacked bool   // the set to change does not have it
}

func (e *AddedFeatureError) Error() string {
	if e.Lacked {
		return fmt.Sprintf("cpu: cannot add feature %q: this processor or its operating system lacks it; features can only be taken away (-%s)", e.Name, e.Name)
	}
	return fmt.Sprintf("cpu: feature %q is in use unless taken away; write only what to take away (-%s)", e.Name, e.Name)
}

// SyntaxError says that an item of a specification cannot be read.
type SyntaxError struct {
	Item   string // as written
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("cpu: item %q: %s", e.Item, e.Reason)
}

// Apply takes features out of base as spec says and returns the rest.
//
// A specification is a comma-separated list of names with a minus sign, such
// as "-avx512f" or "-vaes,-gfni"; space around an item is ignored. Taking a
// feature away takes away all that depends on it ([Set.Without]); taking one
// away that base lacks changes nothing, so that one setting fits machines of
// several kinds. The first item may instead be "none", which empties the set,
// or "all", which keeps it. The empty specification keeps it too.
//
// The result is never more than base. On an error, an [*UnknownFeatureError],
// [*AddedFeatureError] or [*SyntaxError], it is empty.
func Apply(base Set, spec string) (Set, error) {
	if strings.TrimSpace(spec) == "" {
		return base, nil
	}
	left := base
	for i, item := range strings.Split(spec, ",") {
		drop, err := removal(base, strings.TrimSpace(item), i == 0)
		if err != nil {
			return 0, err
		}
		left = left.Without(drop)
	}
	return left, nil
}

// removal reads one item and returns the features that it takes away.
func removal(base Set, item string, first bool) (Set, error) {
	switch {
	case item != allWord && item != noneWord:
		return namedRemoval(base, item)
	case !first:
		return 0, &SyntaxError{item, "may only stand first"}
	case item == noneWord:
		return base, nil
	}
	return 0, nil
}

// namedRemoval reads an item that names a feature.
func namedRemoval(base Set, item string) (Set, error) {
	name, minus := strings.CutPrefix(item, "-")
	if !minus {
		name = strings.TrimPrefix(item, "+")
	}
	if name == "" {
		return 0, &SyntaxError{item, "no feature is named"}
	}
	f, known := lookup(name)
	switch {
	case !known:
		return 0, &UnknownFeatureError{name}
	case !minus:
		return 0, &AddedFeatureError{name, !base.Has(f)}
	}
	return f, nil
}
