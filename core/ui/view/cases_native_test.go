//go:build !js

package view_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"golem/core/ui/view/viewtest"
)

// The cases are data, so that the page's reducer can play them, too. After all steps of a
// case, the state must be as want says. With GOLEM_UPDATE set, want is written anew; read the
// changes before you commit them.
func TestCases(t *testing.T) {
	const name = "testdata/cases.json"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var cases []viewtest.Case
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			s, err := viewtest.Play(c.Steps)
			if err != nil {
				t.Fatal(err)
			}
			got := viewtest.Lines(s)
			if os.Getenv("GOLEM_UPDATE") != "" {
				cases[i].Want = got
			} else if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if os.Getenv("GOLEM_UPDATE") != "" {
		if err := os.WriteFile(name, table(t, cases), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// table returns the cases with each step and each line of want on a line of its own.
func table(t *testing.T, cases []viewtest.Case) []byte {
	encode := func(v any) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(b.String())
	}
	var all []string
	for _, c := range cases {
		var steps, want []string
		for _, s := range c.Steps {
			steps = append(steps, encode(s))
		}
		for _, w := range c.Want {
			want = append(want, encode(w))
		}
		all = append(all, fmt.Sprintf("{\"name\": %s, \"steps\": [\n  %s\n], \"want\": [\n  %s\n]}", encode(c.Name), strings.Join(steps, ",\n  "), strings.Join(want, ",\n  ")))
	}
	return []byte("[" + strings.Join(all, ",\n") + "]\n")
}
