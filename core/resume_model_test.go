package core_test

import (
	"strings"
	"testing"

	"golem/core"
	"golem/core/options"
	"golem/core/run"
	"golem/core/trace"
)

// A model that a person chose in a conversation is kept with it. A model of the
// command line comes before it, and one that cannot be used any more is told.
func TestChosenModelIsKept(t *testing.T) {
	files := yardFiles()
	files["main.worker"] = "---\nmodel: script:s.yaml\ncompatible_models: [\"script:*\", \"ollama:*\"]\n---\nM.\n"
	files["s.yaml"] = "script: 1\nworkers:\n  main: [{when: {match: \".\"}, say: one}]\n"
	files["two.yaml"] = strings.ReplaceAll(files["s.yaml"], "one", "two")
	y := newYard(t, moment{files: files})
	y.files = true
	talk := func(ro core.RunOptions, inputs ...string) (answers, warnings, id string) {
		u := always()
		for _, text := range inputs {
			u.Inputs = append(u.Inputs, run.Input{Text: text})
		}
		res := y.open(t).Chat(t.Context(), nil, u, ro)
		for _, e := range u.Events() {
			switch b := e.Body.(type) {
			case trace.ModelEnd:
				answers += b.Text + " "
			case trace.Warning:
				warnings += b.Message + "\n"
			}
		}
		return answers, warnings, res.Conversation
	}
	first, _, id := talk(core.RunOptions{}, "a", "/model script:two.yaml", "b")
	if first != "one two " {
		t.Fatal(first)
	}
	resumed := core.RunOptions{Running: options.Running{Resume: &id}}
	if again, warned, _ := talk(resumed, "c"); again != "two " || warned != "" {
		t.Errorf("%q, %q", again, warned)
	}
	if again, _, _ := talk(core.RunOptions{Running: options.Running{Resume: &id, At: 1}}, "c"); again != "one " {
		t.Errorf("a branch before the choice: %q", again)
	}
	y.files = false
	if again, _, _ := talk(resumed, "c"); again != "one " {
		t.Errorf("with --model: %q", again)
	}
	y.files = true
	if err := y.tree.Remove("two.yaml"); err != nil {
		t.Fatal(err)
	}
	if again, warned, _ := talk(resumed, "d"); again != "one " || !strings.Contains(warned, "the model script:two.yaml of this conversation cannot be used now") {
		t.Errorf("%q, %q", again, warned)
	}
}
