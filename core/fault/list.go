package fault

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golem/core/sorting"
)

// List is a set of faults that were found together, such as by golem check. Its
// text as an error has one fault per line.
type List []*Fault

// Sort orders the list by file, line, column, code and message, so that two
// checks of one project print the same.
func (l List) Sort() {
	sorting.By(l, func(a, b *Fault) int {
		wa, wb := a.where(), b.where()
		return cmp.Or(
			cmp.Compare(wa.File, wb.File), cmp.Compare(wa.Line, wb.Line), cmp.Compare(wa.Column, wb.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
}

// Compact returns the list without duplicates: of faults with the same text,
// only the first is kept.
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

// Err returns nil if the list has no fault of severity Error, the fault itself
// if there is exactly one, and otherwise the list of errors without the
// warnings.
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

// Error returns the texts of all faults, one per line.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, f := range l {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.Is and errors.As find every fault of the list.
func (l List) Unwrap() []error {
	out := make([]error, len(l))
	for i, f := range l {
		out[i] = f
	}
	return out
}

// Nearest returns the known name that is most similar to name, for hints like
// "did you mean …". At most a third of the letters may differ; if no name is
// that similar, it returns "". Of equally similar names it returns the one whose length
// is nearest, then the first in the alphabet, whatever the order of known.
func Nearest(name string, known []string) string {
	best, limit := "", max(1, (len(name)+2)/3)
	longer := func(k string) int { return max(len(k)-len(name), len(name)-len(k)) }
	for _, k := range known {
		d := distance(strings.ToLower(name), strings.ToLower(k))
		if d < limit || d == limit && (best == "" || cmp.Or(cmp.Compare(longer(k), longer(best)), cmp.Compare(k, best)) < 0) {
			best, limit = k, d
		}
	}
	return best
}

// maxKnown is the number of names that a hint lists if it leaves names out.
const maxKnown = 50

// DidYouMean returns the hint for an unknown name: the most similar known name
// or, if there is none, all known names.
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

// distance returns the Levenshtein distance in bytes; two neighbours that are exchanged
// count as one change. To bound the time, it returns the length of the longer text if
// one of them has more than 64 bytes.
func distance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return max(len(a), len(b))
	}
	var rows [3][longest + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2] // of i-2, i-1 and i
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
