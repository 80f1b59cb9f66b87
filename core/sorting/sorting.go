// Package sorting puts lists in order. slices.SortFunc is compiled once for each
// type of element, about 20 kB of golem.wasm each time; By is compiled once.
package sorting

import "sort"

// By sorts list in place by compare, which returns less than zero where a
// stands before b. What compare holds equal stays in its order.
func By[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
