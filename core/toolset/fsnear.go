package toolset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golem/core/sorting"
)

// Limits of the search for the most similar region.
const (
	maxCompared = 20_000 // lines of the file
	maxWanted   = 200    // lines of old
	maxWords    = 100    // words of a line; a line with more is similar only to an equal line
	anchors     = 5      // number of the longest lines of old that are searched for
	candidates  = 20     // number of the best places for each of them
)

// nearest returns a text with the region that is most similar to old, so that a model sees
// its mistake. To save time, it searches for the longest lines of old first and compares
// all of old only at those places.
func nearest(text, old string) string {
	if strings.Count(text, "\n") > maxCompared || strings.Count(old, "\n") > maxWanted {
		return "the text is too long to search for similar lines"
	}
	have, want := worded(lines(text)), worded(lines(old))
	best, at := 0.0, 0
	for _, i := range starts(have, want) {
		score := 0.0
		for j := range want {
			if i+j >= 0 && i+j < len(have) {
				score += alike(have[i+j], want[j])
			}
		}
		if score > best || score == best && i < at {
			best, at = score, i
		}
	}
	if best < 0.4*float64(len(want)) {
		return "it has no similar lines"
	}
	from, end := max(at, 0), min(at+len(want), len(have))
	var region []string
	for _, l := range have[from:end] {
		region = append(region, l.text)
	}
	return fmt.Sprintf("the most similar lines are %d to %d:\n%s\n", from+1, end, clip(strings.Join(region, "\n"), 0))
}

// starts returns the indexes of lines at which old could begin, judging by its longest lines.
func starts(have, want []words) []int {
	order := make([]int, len(want))
	for j := range order {
		order[j] = j
	}
	sorting.By(order, func(a, b int) int { return cmp.Compare(len(want[b].text), len(want[a].text)) })
	var out []int
	for _, j := range order[:min(anchors, len(order))] {
		type found struct {
			start int
			score float64
		}
		var near []found
		for i := range have {
			if s := alike(have[i], want[j]); s > 0.3 {
				near = append(near, found{i - j, s})
			}
		}
		sorting.By(near, func(a, b found) int { return cmp.Compare(b.score, a.score) })
		for _, n := range near[:min(candidates, len(near))] {
			out = append(out, n.start)
		}
	}
	sorting.By(out, cmp.Compare)
	return slices.Compact(out)
}

// words is a line and its words, sorted.
type words struct {
	text   string
	sorted []string
}

func worded(lines []string) []words {
	out := make([]words, len(lines))
	for i, l := range lines {
		out[i] = words{l, strings.Fields(l)}
		slices.Sort(out[i].sorted)
	}
	return out
}

func lines(s string) []string {
	return strings.Split(strings.TrimSuffix(lf(s), "\n"), "\n")
}

// alike returns 1 for equal lines, 0.9 for lines that differ only in white space or in the
// order of their words, and less if they have fewer words in common.
func alike(a, b words) float64 {
	x, y := a.sorted, b.sorted
	switch {
	case a.text == b.text:
		return 1
	case len(x) == 0 || len(y) == 0 || len(x) > maxWords || len(y) > maxWords:
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch c := strings.Compare(x[i], y[j]); {
		case c == 0:
			common++
			i++
			j++
		case c < 0:
			i++
		default:
			j++
		}
	}
	return 0.9 * 2 * float64(common) / float64(len(x)+len(y))
}
