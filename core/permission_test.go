package core_test

import (
	"testing"

	"golem/core"
	"golem/core/options"
	"golem/core/run"
	"golem/core/trace"
)

// SPEC §11: the permission is not kept. A conversation that is resumed asks again, and no
// line of what was kept sets it.
func TestResumedConversationAsks(t *testing.T) {
	files := yardFiles()
	files["main.worker"] = "---\ntoolsets: {filesystem: {}}\n---\nM.\n"
	files["s.yaml"] = `script: 1
workers:
  main:
    - when: {tool: write_file}
      say: "/edits"
    - when: {match: "^write"}
      calls: [{tool: write_file, args: {path: /a.txt, content: a}}]
`
	y := newYard(t, moment{files: files})
	decided := func(ro core.RunOptions, inputs ...string) (sources []string, id string) {
		u := always()
		for _, text := range inputs {
			u.Inputs = append(u.Inputs, run.Input{Text: text})
		}
		res := y.open(t).Chat(t.Context(), nil, u, ro)
		for _, e := range u.Events() {
			if b, is := e.Body.(trace.Approval); is && b.Tool == "write_file" {
				sources = append(sources, b.Source)
			}
		}
		return sources, res.Conversation
	}
	first, id := decided(core.RunOptions{Person: true}, "write", "/edits", "write more", "/new", "write", "/rewind 1", "write")
	if len(first) != 4 || first[0] != "user" || first[1] != "mode" || first[2] != "mode" || first[3] != "mode" {
		t.Errorf("%v", first)
	}
	again, _ := decided(core.RunOptions{Person: true, Running: options.Running{Resume: &id}}, "write")
	if len(again) != 1 || again[0] != "user" {
		t.Errorf("resumed: %v", again)
	}
}
