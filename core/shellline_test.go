package core_test

import (
	"context"
	"strings"
	"testing"

	"golem/core"
	"golem/core/approval"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/trace"
	"golem/core/ui"
)

// typing is the host of a chat on a terminal.
type typing struct{ core.PlainChat }

func (typing) Typed() bool { return true }

// !COMMAND of a person on a terminal runs with the worker's own shell, through the gate, and
// the model hears of it once; elsewhere it is a message.
func TestCommandOfThePerson(t *testing.T) {
	type line struct {
		Command string `json:"command"`
	}
	set := toolset.Factory{Name: "lab", Open: func(context.Context, toolset.Env, any) (tool.Toolset, error) {
		spec := tool.Spec{Name: "run_command", Description: "runs", Risk: tool.Command, Toolset: "lab", Provider: "builtin"}
		return toolset.Tools{tool.Func(spec, func(_ context.Context, l line) (tool.Output, error) { return tool.Text("%s", "ran "+l.Command), nil })}, nil
	}}
	files := map[string]string{
		"main.worker": "---\ntoolsets: {lab: {}}\n---\nM.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {text: \"$ git status\"}\n      say: I know\n    - when: {match: \"^!\"}\n      say: a message\n    - say: nothing\n",
	}
	for typed, want := range map[bool]string{true: "ran git status|I know", false: "a message|a message|nothing"} {
		u := &ui.Script{Answers: []approval.Decision{{Answer: approval.Yes}, {Answer: approval.No}}}
		u.Inputs = []run.Input{{Text: "! git status"}, {Text: "!rm x"}, {Text: "go on"}}
		playWith(t, t.Context(), files, core.Options{}, u, set, func(i *core.Instance, ro core.RunOptions) run.Result {
			if typed {
				ro.Host = typing{}
			}
			return i.Chat(t.Context(), nil, u, ro)
		})
		var said []string
		for _, e := range u.Events() {
			switch b := e.Body.(type) {
			case trace.Status:
				said = append(said, b.Text)
			case trace.Error:
				said = append(said, string(b.Code))
			case trace.ModelEnd:
				said = append(said, b.Text)
			}
		}
		if got := strings.Join(said, "|"); got != want {
			t.Errorf("typed %v: %s, want %s", typed, got, want)
		}
	}
}

// What a command of the person printed can come from other people. A warning says so once, in
// words about the command and not about a tool that read something.
func TestCommandOfThePersonWarns(t *testing.T) {
	set := toolset.Factory{Name: "lab", Open: func(context.Context, toolset.Env, any) (tool.Toolset, error) {
		spec := tool.Spec{Name: "run_command", Description: "runs", Risk: tool.Command, Toolset: "lab", Provider: "builtin"}
		return toolset.Tools{tool.Func(spec, func(_ context.Context, _ struct {
			Command string `json:"command"`
		}) (tool.Output, error) {
			return tool.Output{Text: "from elsewhere", Untrusted: true}, nil
		})}, nil
	}}
	for manifest, then := range map[string]string{
		"approval: {taint: ask}\n":        "from now on, network calls and commands ask",
		"approval: {mode: interactive}\n": "to be asked before network calls and commands after it, write approval: {taint: ask} into the manifest",
	} {
		files := map[string]string{"project.yaml": manifest, "main.worker": "---\ntoolsets: {lab: {}}\n---\nM.\n", "s.yaml": "script: 1\nworkers: {main: [{say: fine}]}\n"}
		u := &ui.Script{Answers: []approval.Decision{{Answer: approval.Yes}, {Answer: approval.Yes}}}
		u.Inputs = []run.Input{{Text: "!curl x"}, {Text: "!curl y"}, {Text: "go on"}}
		playWith(t, t.Context(), files, core.Options{}, u, set, func(i *core.Instance, ro core.RunOptions) run.Result {
			ro.Host = typing{}
			return i.Chat(t.Context(), nil, u, ro)
		})
		var warned []string
		for _, e := range u.Events() {
			if b, is := e.Body.(trace.Warning); is {
				warned = append(warned, b.Message)
			}
		}
		if len(warned) != 1 || !strings.HasPrefix(warned[0], "the model reads what your command printed, with your next message, and may follow instructions in it that other people wrote; ") || !strings.HasSuffix(warned[0], then) {
			t.Errorf("%s: %q", manifest, warned)
		}
	}
}
