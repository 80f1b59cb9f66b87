package harden

import (
	"strings"
	"testing"
)

// What a source uses beside its input is named, also if names are written with escapes; code that
// computes is not.
func TestReach(t *testing.T) {
	for source, want := range map[string]string{
		`if (Date.now() > 1.9e12) return 1`:                 "the time",
		`const d = new Date(); return d`:                    "the time",
		`const d = new Date; return d`:                      "the time",
		`return D\u0061te.now()`:                            "the time",
		`return D\u{61}te.now()`:                            "the time",
		`return performance.now()`:                          "the time",
		`return Math.random() < 0.5`:                        "chance",
		`answer.constructor('return 1')()`:                  "eval",
		`const run = eval; run('1')`:                        "eval",
		`(0, eval)('1')`:                                    "eval",
		`g\u006flem.http({url: input})`:                     "golem.http",
		`const {http} = golem`:                              "golem[…]",
		`return \u{ffffffffffffff}`:                         "",
		`return new Date(2024, 1, 2).getMonth()`:            "",
		`class X { constructor() { this.a = 1 } }`:          "",
		`return {kind: 'eval', at: new Date(input).day}`:    "",
		`return Math.round(Number(input.replace(/,/, '')))`: "",
	} {
		if got := strings.Join(reachOf(source, Worker{}), " "); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
