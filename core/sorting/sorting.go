// Package sorting sorts slices with little code. slices.SortFunc is compiled once for
// each type of element, which takes about 20 kB of golem.wasm each; the sorting of By
// is compiled only once.
package sorting

import "sort"

// By sorts list in place. compare returns less than zero if a comes before b. The sort
// is stable: elements for which compare returns zero keep their order.
func By[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
