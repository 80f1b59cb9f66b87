package trace

import (
	"cmp"
	"strings"
)

// CompareID orders call ids in the order in which the calls were made: part by
// part, numbers by value ("0.2" before "0.10", "0" before "0.1"). A part that
// is not a number comes after the numbers.
func CompareID(a, b string) int {
	for a != "" && b != "" {
		pa, ra, moreA := strings.Cut(a, ".")
		pb, rb, moreB := strings.Cut(b, ".")
		if c := comparePart(pa, pb); c != 0 {
			return c
		}
		if moreA != moreB {
			if moreA {
				return 1
			}
			return -1
		}
		a, b = ra, rb
	}
	return cmp.Compare(len(a), len(b))
}

// comparePart compares two strings of digits by value without converting them,
// so that they can have any length. Equal values with different leading zeros
// are ordered as text.
func comparePart(a, b string) int {
	na, nb := isNumber(a), isNumber(b)
	switch {
	case na && nb:
		sa, sb := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(sa), len(sb)), cmp.Compare(sa, sb), cmp.Compare(a, b))
	case na:
		return -1
	case nb:
		return 1
	}
	return cmp.Compare(a, b)
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// validID reports whether an id has the form that golem makes, which is safe in
// a file name.
func validID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for part := range strings.SplitSeq(id, ".") {
		if !isNumber(part) {
			return false
		}
	}
	return true
}

// maxID is the longest id in bytes, which also limits the depth of a tree.
const maxID = 512
