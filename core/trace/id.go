package trace

import (
	"cmp"
	"strings"
)

// CompareID orders hierarchical ids as their calls were made: part by part,
// numbers as numbers ("0.2" before "0.10", "0" before "0.1"). A part that is
// no number stands after those that are.
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

// comparePart compares digits by value without parsing them, whatever their
// length; equal values with other leading zeros are ordered by text.
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

// validID is true for ids as golem makes them: they are safe in file names.
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

// maxID bounds an id; the depth of a tree follows from it.
const maxID = 512
