package approval

import (
	"encoding/json"
	"testing"

	"golem/core/approval/sh"
	"golem/core/tool"
)

func lastingOf(t *testing.T, tl tool.Tool, args string, p Policy) *Request {
	t.Helper()
	her := says(t, No)
	g := NewGate(Interactive, her)
	g.Save = func(Rule) bool { return true }
	_, _ = g.Call(t.Context(), Item{Tool: tl, Call: tool.Call{Args: json.RawMessage(args)}, Policy: p})
	if len(her.asked) != 1 {
		t.Fatalf("%s: asked %d times", args, len(her.asked))
	}
	return &her.asked[0]
}

// The narrowest rule that makes sense is proposed, or none (scenario 59).
func TestLastingRule(t *testing.T) {
	command := plainTool("run_command", tool.Command)
	command.spec.Shell = sh.Grammar{}
	command.spec.Input = json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"integer"}},"additionalProperties":false}`)
	fetch := plainTool("fetch", tool.Network)
	fetch.spec.Input = json.RawMessage(`{"type":"object","properties":{"url":{"type":"string"},"method":{"type":"string"},"list":{"type":"array"}}}`)
	open := plainTool("open", tool.Network)
	open.spec.Input = json.RawMessage(`{"type":"object","additionalProperties":true}`)
	custom := plainTool("made", tool.Write)
	custom.spec.Kind, custom.spec.Input = tool.Wasm, json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)
	destroy := writeFile()
	destroy.fakeTool = plainTool("delete_file", tool.Destructive)
	asks := Policy{Here: Personal{Rules: []Rule{{Tool: "write_file", Decide: Ask}}}}
	for _, c := range []struct {
		tool tool.Tool
		args string
		p    Policy
		want string
	}{
		{writeFile(), `{"path":"output/a.txt","content":"x"}`, Policy{}, `{tool: write_file, when: {path: "/output/**"}, decide: preApproved}`},
		{writeFile(), `{"path":"a.txt","content":"x"}`, Policy{}, `{tool: write_file, when: {path: "/a.txt"}, decide: preApproved}`},
		{writeFile(), `{"path":"o[1]/{a}*.txt","content":"x"}`, Policy{}, `{tool: write_file, when: {path: "/o\\[1\\]/**"}, decide: preApproved}`},
		{writeFile(), `{"path":"output/a.txt","content":"x"}`, asks, ""},
		{destroy, `{"path":"output/a.txt"}`, Policy{}, `{tool: delete_file, when: {path: "/output/a.txt"}, decide: preApproved}`},
		{command, `{"command":"git log --oneline"}`, Policy{}, `{tool: run_command, when: {command: "git log *"}, decide: preApproved}`},
		{command, `{"command":"git status"}`, Policy{}, `{tool: run_command, when: {command: "git status"}, decide: preApproved}`},
		{command, `{"command":"rm -r build"}`, Policy{}, `{tool: run_command, when: {command: "rm -r build"}, decide: preApproved}`},
		{command, `{"command":"rm *"}`, Policy{}, ""},
		{fetch, `{"url":"https://a.example/b?c=1"}`, Policy{}, `{tool: fetch, when: {list: "", method: "", url: "https://a.example/b\\?c=1"}, decide: preApproved}`},
		{fetch, `{"url":"https://a.example","list":["a"]}`, Policy{}, ""},
		{fetch, `{"url":"https://a.example/\u0007"}`, Policy{}, ""},
		{open, `{"a":"b"}`, Policy{}, ""},
		{custom, `{"a":"b"}`, Policy{}, ""},
	} {
		r := lastingOf(t, c.tool, c.args, c.p)
		got := ""
		if r.Lasting != nil {
			got = r.Lasting.YAML
		}
		if got != c.want || r.Offers(Keep) != (c.want != "") {
			t.Errorf("%s: got %s, want %s", c.args, got, c.want)
		}
	}
}

// After a rule was saved, what it covers runs and everything else asks; where it was
// not saved the call runs once. A rule for one URL does not cover another method.
func TestKeptRuleHolds(t *testing.T) {
	fetch := plainTool("fetch", tool.Network)
	fetch.spec.Input = json.RawMessage(`{"type":"object","properties":{"url":{"type":"string"},"method":{"type":"string"}}}`)
	for _, saved := range []bool{true, false} {
		her := says(t, Keep, No, No)
		g := NewGate(Interactive, her)
		g.Save = func(Rule) bool { return saved }
		for i, args := range []string{`{"url":"u"}`, `{"url":"u","method":"DELETE"}`, `{"url":"u"}`} {
			_, err := g.Call(t.Context(), Item{Tool: fetch, Call: tool.Call{Args: json.RawMessage(args)}})
			if ran := err == nil; ran != (i == 0 || i == 2 && saved) {
				t.Errorf("saved %v: call %d ran %v", saved, i, ran)
			}
		}
	}
}

// Without a place to keep rules none is proposed, and an answer that was not offered
// counts as yes, once.
func TestNothingToKeep(t *testing.T) {
	her := says(t, Keep)
	g := NewGate(Interactive, her)
	if _, err := g.Call(t.Context(), Item{Tool: writeFile(), Call: tool.Call{Args: json.RawMessage(`{"path":"o/a","content":"x"}`)}}); err != nil || her.asked[0].Lasting != nil {
		t.Error(err, her.asked[0].Lasting)
	}
}
