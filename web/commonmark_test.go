//go:build !js

package web_test

import (
	"encoding/json"
	"testing"

	"golem/bench/suites"
	"golem/web/webtest"
)

// TestCommonMark draws each example of the CommonMark specification in the page. All letters
// that a browser shows for it must be there, in the same order.
func TestCommonMark(t *testing.T) {
	t.Parallel()
	p := markdown(t)
	examples := suites.CommonMark(t)
	var texts []string
	for _, e := range examples {
		texts = append(texts, e.Markdown)
	}
	raw, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	shown := webtest.Eval[[]string](p, string(raw)+".map((text) => (md(text), document.querySelector('.md').textContent))")
	if len(shown) != len(examples) {
		t.Fatalf("%d of %d examples were drawn", len(shown), len(examples))
	}
	c := &suites.Tally{Suite: "CommonMark, page"}
	for i, e := range examples {
		if letter, lost := e.Lost(shown[i]); lost {
			if reason := commonMarkDifferences[e.Example]; reason != "" {
				c.Differ(reason)
				continue
			}
			t.Errorf("example %d: %q is missing in %q, which is shown for\n%s", e.Example, letter, shown[i], e.Markdown)
			continue
		}
		c.Agree()
	}
	c.Compare(t)
}

var commonMarkDifferences = map[int]string{
	161: "the page knows no HTML blocks, so that a line ``` after <div></div> begins a block of code, whose language is not shown",
}
