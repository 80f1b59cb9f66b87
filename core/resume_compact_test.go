package core_test

import (
	"testing"

	"golem/core"
	"golem/core/options"
	"golem/core/run"
	"golem/core/trace"
)

// A chat that is left and resumed at any place, or goes back to a message, sends the same
// next request as one that goes on: what /compact took out stays out, and nothing else is
// taken out.
func TestCompactHoldsAfterResume(t *testing.T) {
	files := yardFiles()
	files["s.yaml"] = "script: 1\nworkers:\n  main:\n    - when: {match: \"^m(.)\"}\n      say: \"heard $1\"\n    - say: a summary\n    - say: a summary\n    - say: a summary\n"
	for _, inputs := range [][]string{
		{"m1", "m2", "m3", "/compact", "m4"},
		{"m1", "m2", "m3", "m4", "m5", "/compact", "/compact", "m6", "m7"},
		{"m1", "m2", "m3", "/compact", "m4", "/rewind 4", "m5"},
		{"m1", "m2", "m3", "/compact", "m4", "m5", "/compact", "/rewind 5", "m6"},
	} {
		want := 0
		for split := len(inputs); split > 0; split-- {
			y := newYard(t, moment{files: files})
			y.quiet = true
			got := 0
			for n, part := range [][]string{inputs[:split], inputs[split:]} {
				if len(part) == 0 {
					continue
				}
				u, how := always(), core.RunOptions{ID: "20260101-000000-aaaaaa"}
				if n > 0 {
					how = core.RunOptions{Running: options.Running{Resume: new("")}}
				}
				for _, text := range part {
					u.Inputs = append(u.Inputs, run.Input{Text: text})
				}
				y.open(t).Chat(t.Context(), nil, u, how)
				for _, e := range u.Events() {
					if b, ok := e.Body.(trace.ModelStart); ok {
						got = b.Messages
					}
				}
			}
			if split == len(inputs) {
				want = got
			} else if got != want {
				t.Errorf("%q, resumed before %q: the last request has %d messages, not %d", inputs, inputs[split], got, want)
			}
		}
		t.Log(inputs, want)
	}
}
