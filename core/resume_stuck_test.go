package core_test

import (
	"testing"

	"golem/core"
	"golem/core/approval"
	"golem/core/options"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// An exchange that ended at the question about the same calls again and again ends there when
// the conversation goes on, too: nobody is asked again.
func TestRepeatedCallsAreAskedAboutOnce(t *testing.T) {
	files := yardFiles()
	files["s.yaml"] = "script: 1\nworkers:\n  main:\n    - when: {text: loop}\n      calls: [{tool: read_file, args: {path: /in.txt}}]\n    - when: {tool: read_file}\n      calls: [{tool: read_file, args: {path: /in.txt}}]\n    - when: {match: '.'}\n      say: heard\n"
	y := newYard(t, moment{files: files})
	first := &ui.Script{Inputs: []run.Input{{Text: "loop"}}, Answers: []approval.Decision{{Answer: approval.No}}}
	res := y.open(t).Chat(t.Context(), nil, first, core.RunOptions{})
	if len(first.Asked()) != 1 || res.Conversation == "" {
		t.Fatalf("asked %d times; %v", len(first.Asked()), res.Error)
	}
	again := &ui.Script{Inputs: []run.Input{{Text: "go on"}}, Answers: []approval.Decision{{Answer: approval.Yes}}}
	y.open(t).Chat(t.Context(), nil, again, core.RunOptions{Running: options.Running{Resume: &res.Conversation}})
	answers := 0
	for _, e := range again.Events() {
		if b, is := e.Body.(trace.ModelEnd); is && b.Text == "heard" {
			answers++
		}
	}
	if len(again.Asked()) != 0 || answers != 1 {
		t.Errorf("asked %d times, %d answers", len(again.Asked()), answers)
	}
}
