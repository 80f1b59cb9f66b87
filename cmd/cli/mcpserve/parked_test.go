package mcpserve

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/approval"
	protocol "golem/core/mcp"
	"golem/core/run"
	"golem/core/ui"
)

// asks returns a client of protocol.Stateless that shows its user forms and leaves the
// second request to the test.
func asks() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		MultiRoundTrip:     &mcp.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, nil },
	}
}

// In protocol.Stateless a question is the result of a request, and its answer comes with
// another one. It counts once: a second use of the state returns the first result and runs
// nothing. The state is short, and holds for this call only.
func TestQuestionsAsResults(t *testing.T) {
	var mu sync.Mutex
	runs := 0
	ask := asking(approval.KindTurns)
	inner := ask.Run
	ask.Run = func(ctx context.Context, c Call, front ui.UI) run.Result {
		mu.Lock()
		runs++
		mu.Unlock()
		return inner(ctx, c, front)
	}
	other := ask
	other.Name = "other"
	s, _ := connectAs(t, protocol.Stateless, asks(), ask, other, Tool{Name: "text", Run: echo})
	if v := s.InitializeResult().ProtocolVersion; v != protocol.Stateless {
		t.Fatal(v)
	}
	if _, got := call(t, s, "text", map[string]any{"input": "plain"}); got != `"plain"` {
		t.Error(got)
	}
	params := &mcp.CallToolParams{Name: "ask"}
	res, err := s.CallTool(t.Context(), params)
	if err != nil || !res.NeedsInput() || len(res.InputRequests) != 1 || res.RequestState == "" || len(res.RequestState) > 1<<10 {
		t.Fatalf("%+v %v", res, err)
	}
	answer := func(name, state, answer string) string {
		t.Helper()
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, RequestState: state, InputResponses: mcp.InputResponseMap{
			questionID: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return text(res)
	}
	for _, wrong := range []struct{ name, state string }{{"other", res.RequestState}, {"ask", res.RequestState[1:]}, {"ask", strings.ToLower(res.RequestState)}, {"ask", "x"}} {
		if got := answer(wrong.name, wrong.state, "yes"); !strings.Contains(got, "E_NOT_FOUND") {
			t.Errorf("%+v: %s", wrong, got)
		}
	}
	first := answer("ask", res.RequestState, "yes")
	if again := answer("ask", res.RequestState, "no"); !strings.HasPrefix(first, "yes") || again != first {
		t.Errorf("%q, the second time %q", first, again)
	}
	mu.Lock()
	defer mu.Unlock()
	if runs != 1 {
		t.Errorf("%d runs", runs)
	}
}

// A client that cannot show forms is not asked, and one that goes away ends its calls that
// wait.
func TestParkedCallsEnd(t *testing.T) {
	ended := make(chan error, 1)
	ask := asking(approval.KindTurns)
	inner := ask.Run
	ask.Run = func(ctx context.Context, c Call, front ui.UI) run.Result {
		res := inner(ctx, c, front)
		ended <- ctx.Err()
		return res
	}
	s, cut := connectAs(t, protocol.Stateless, asks(), ask)
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: json.RawMessage(`{}`)})
	if err != nil || !res.NeedsInput() {
		t.Fatalf("%+v %v", res, err)
	}
	cut()
	if err := <-ended; err == nil {
		t.Error("the call goes on without its client")
	}
	s, _ = connectAs(t, protocol.Stateless, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}, ask)
	if res, _ := call(t, s, "ask", nil); res.NeedsInput() {
		t.Error("a client without forms is asked")
	}
	<-ended
}
