package approval

import (
	"testing"

	"golem/core/tool"
)

// A call of an MCP server offers "all calls of this tool", for this session and as a rule.
// Both hold for the server's configuration and the tool's description of now, and for no
// other; untrusted content takes them away.
func TestServedTools(t *testing.T) {
	served := func(provider string) *fakeTool {
		out := plainTool("wiki__read", tool.Command)
		out.spec.Toolset, out.spec.Provider = "mcp", provider
		return out
	}
	now, changed := served("mcp:wiki@1"), served("mcp:wiki@2")
	r := lastingOf(t, now, `{"a":"b"}`, Policy{})
	if !r.Offers(Always) || r.Lasting == nil || r.Lasting.YAML != `{tool: wiki__read, server: "mcp:wiki@1", decide: preApproved}` {
		t.Fatalf("%v %+v", r.Answers, r.Lasting)
	}
	p := Policy{Here: Personal{Rules: []Rule{r.Lasting.Rule}}}
	call := func(g *Gate, tl *fakeTool, args string) error {
		_, err := g.Call(t.Context(), Item{Tool: tl, Call: tool.Call{Args: tool.ReadArguments([]byte(args))}, Policy: p})
		return err
	}
	her := says(t, No)
	g := NewGate(Interactive, her)
	if err := call(g, now, `{"other":1}`); err != nil || len(her.asked) != 0 {
		t.Errorf("the rule does not hold: %v, asked %d times", err, len(her.asked))
	}
	if err := call(g, changed, `{"other":1}`); err == nil || len(her.asked) != 1 {
		t.Errorf("the rule holds for another description: %v", err)
	}
	p = Policy{}
	her = says(t, Always, No)
	g = NewGate(Interactive, her)
	for _, args := range []string{`{"a":1}`, `{"a":2}`} {
		if err := call(g, now, args); err != nil {
			t.Error(err)
		}
	}
	if err := call(g, changed, `{"a":1}`); err == nil || len(her.asked) != 2 {
		t.Errorf("the answer covers another description: %v, asked %d times", err, len(her.asked))
	}
	tainted := says(t, No)
	g = NewGate(Interactive, tainted)
	g.Rules = said{saves: true, saved: true}
	_, _ = g.Call(t.Context(), Item{Tool: now, Call: tool.Call{Args: tool.ReadArguments([]byte(`{}`))}, Policy: Policy{}, By: afterTaint{}})
	if len(tainted.asked) != 1 {
		t.Fatal("not asked")
	}
}
