package ui

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A line in parts breaks where its text breaks, and each word keeps its role.
func TestPartsBreakAsTheirText(t *testing.T) {
	words := []string{"a", "bb", "(c:", "日本", "longer-than-the-line", " ", "  ", "é", "→"}
	roles := []Role{Body, Strong, Warn}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		var l Line
		for range 1 + r.IntN(8) {
			l = append(l, Span{words[r.IntN(len(words))] + " " + words[r.IntN(len(words))], roles[r.IntN(len(roles))]})
		}
		for _, n := range []int{0, 5, 12, 40} {
			var got []string
			marked := map[Role]string{}
			for _, piece := range l.Fit(n) {
				got = append(got, piece.String())
				for _, s := range piece {
					marked[s.Role] += strings.ReplaceAll(s.Text, " ", "")
				}
			}
			if want := Fit(l.String(), n); strings.Join(got, "\n") != want {
				t.Fatalf("%q in %d columns: %q, want %q", l, n, got, want)
			}
			for _, role := range roles {
				want := ""
				for _, s := range l {
					if s.Role == role {
						want += strings.ReplaceAll(s.Text, " ", "")
					}
				}
				if marked[role] != want {
					t.Fatalf("%q in %d columns: %q has role %q, want %q", l, n, marked[role], role, want)
				}
			}
		}
	}
}
