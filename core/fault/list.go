package fault

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// List is every fault found in one go. As an error its text has one fault a line.
type List []*Fault

// Sort orders by file, line, column, code and message, so that two checks of
// one project print alike.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b *Fault) int {
		wa, wb := a.where(), b.where()
		return cmp.Or(
			cmp.Compare(wa.File, wb.File), cmp.Compare(wa.Line, wb.Line), cmp.Compare(wa.Column, wb.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
}

// Compact returns the list without the faults that read like another in it.
func (l List) Compact() List {
	said := make(map[string]bool, len(l))
	return slices.DeleteFunc(slices.Clone(l), func(f *Fault) bool {
		text := f.Error()
		again := said[text]
		said[text] = true
		return again
	})
}

func (f *Fault) where() Where {
	if f.Where == nil {
		return Where{}
	}
	return *f.Where
}

// Err is nil when the list holds no fault of severity Error, the fault itself
// when there is one, else the errors of the list.
func (l List) Err() error {
	errs := slices.DeleteFunc(slices.Clone(l), func(f *Fault) bool { return f.Severity == Warning })
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errs[0]
	}
	return errs
}

// Counts returns how many errors and how many warnings the list holds.
func (l List) Counts() (errors, warnings int) {
	for _, f := range l {
		if f.Severity == Warning {
			warnings++
		} else {
			errors++
		}
	}
	return errors, warnings
}

// Error joins the faults, one a line.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, f := range l {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.Is and errors.As every fault of the list.
func (l List) Unwrap() []error {
	out := make([]error, len(l))
	for i, f := range l {
		out[i] = f
	}
	return out
}

// Nearest returns the known name closest to name, for "did you mean …" hints:
// at most a third of its letters may differ. "" when none is near.
func Nearest(name string, known []string) string {
	best, limit := "", max(1, (len(name)+2)/3)
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d <= limit && (best == "" || d < limit) {
			best, limit = k, d
		}
	}
	return best
}

// maxKnown is how many names a hint lists at most.
const maxKnown = 50

// DidYouMean is the hint for an unknown name: the nearest known one, else all of them.
func DidYouMean(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return "did you mean " + near
	}
	if len(known) == 0 {
		return "there are none"
	}
	sorted := slices.Sorted(slices.Values(known))
	if more := len(sorted) - maxKnown; more > 1 {
		return fmt.Sprintf("known: %s and %d more", strings.Join(sorted[:maxKnown], ", "), more)
	}
	return fmt.Sprintf("known: %s", strings.Join(sorted, ", "))
}

// distance is the Levenshtein distance in bytes, capped by the callers' use on
// short identifiers.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := prev
			if a[i] != b[j] {
				cost++
			}
			prev = row[j+1]
			row[j+1] = min(cost, row[j]+1, prev+1)
		}
	}
	return row[len(b)]
}
