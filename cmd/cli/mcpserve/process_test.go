package mcpserve

import (
	"context"
	"encoding/json"
	"net"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/approval"
	"golem/core/fault"
	protocol "golem/core/mcp"
	"golem/core/run"
	"golem/core/state"
	"golem/core/tool"
	"golem/core/ui"
)

// keeper is a tool whose calls are kept, as a project's worker is: it asks before it does
// its one thing, and a resumed call knows what was done before.
type keeper struct {
	mu      sync.Mutex
	started int                              // times that the thing has begun
	ended   bool                             // its end is kept
	asks    func() approval.Request          // the question before it
	doing   func(context.Context) (end bool) // the thing; nil: it ends at once
}

func question() approval.Request {
	return approval.Request{
		ID: "q", Kind: approval.KindTool, Call: "0.1", Tool: "write_file", Type: "file_write", Risk: "medium",
		Args: json.RawMessage(`{"path":"/a"}`), Answers: []approval.Answer{approval.Yes, approval.No},
	}
}

func (k *keeper) tool(digest string) Tool {
	said := func(text string) run.Result { return run.Result{Status: run.OK, Output: tool.Output{Text: text}} }
	stopped := func(ctx context.Context) run.Result {
		return run.Result{Status: run.Interrupted, Error: fault.Of(context.Cause(ctx), fault.Interrupted)}
	}
	return Tool{
		Name: "keep", Optional: true, Digest: digest,
		Started: func(string, string) (int, error) {
			k.mu.Lock()
			defer k.mu.Unlock()
			return k.started, nil
		},
		Run: func(ctx context.Context, c Call, front ui.UI) run.Result {
			c.Kept("conversation")
			k.mu.Lock()
			begun, ended, asks := k.started > 0, k.ended, k.asks
			k.mu.Unlock()
			if ended {
				return said("it was done before")
			}
			if begun {
				d, err := front.Approve(ctx, approval.Request{ID: "r", Kind: approval.KindResume, Call: "0", Title: "Run it again?", Answers: []approval.Answer{approval.Yes, approval.No}})
				if err != nil && ctx.Err() != nil {
					return stopped(ctx)
				}
				if d.Answer != approval.Yes {
					return said("taken as failed")
				}
			}
			r := question()
			if asks != nil {
				r = asks()
			}
			d, err := front.Approve(ctx, r)
			switch {
			case ctx.Err() != nil:
				return stopped(ctx)
			case err != nil:
				return said("error " + err.Error())
			case d.Answer != approval.Yes:
				return said("denied")
			}
			k.mu.Lock()
			k.started++
			doing := k.doing
			k.mu.Unlock()
			if doing != nil && !doing(ctx) {
				return stopped(ctx)
			}
			k.mu.Lock()
			k.ended = true
			k.mu.Unlock()
			return said("done")
		},
	}
}

func (k *keeper) does(thing func(context.Context) bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.doing = thing
}

func (k *keeper) runs() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.started
}

// process is a server with a client of protocol.Stateless; several of them share a store as
// processes of one machine do.
type process struct {
	t       *testing.T
	server  *Server
	session *mcp.ClientSession
	end     func() // the process ends
}

func newProcess(t *testing.T, store state.Store, tools ...Tool) *process {
	t.Helper()
	s, err := New("test", "", tools)
	if err != nil {
		t.Fatal(err)
	}
	s.KeepQuestions(store)
	here, there := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Pipe(t.Context(), there, there) // how the pipe ends does not matter here
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, asks()).Connect(t.Context(), &mcp.IOTransport{Reader: here, Writer: here}, &mcp.ClientSessionOptions{ProtocolVersion: protocol.Stateless})
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, server: s, session: session, end: sync.OnceFunc(func() {
		here.Close()
		<-ended
	})}
	t.Cleanup(p.end)
	return p
}

// ask calls a tool and returns the seal of its question.
func (p *process) ask(name string) (seal, shown string) {
	p.t.Helper()
	res, err := p.session.CallTool(p.t.Context(), &mcp.CallToolParams{Name: name})
	if err != nil || !res.NeedsInput() {
		p.t.Fatalf("%+v %v", res, err)
	}
	return res.RequestState, res.InputRequests[questionID].(*mcp.ElicitParams).Message
}

// answer sends an answer; the result begins with "?" and has the seal if it asks again.
func (p *process) answer(name, seal, answer string) string {
	p.t.Helper()
	return p.send(&mcp.CallToolParams{Name: name, RequestState: seal, InputResponses: mcp.InputResponseMap{
		questionID: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}},
	}})
}

func (p *process) send(params *mcp.CallToolParams) string {
	p.t.Helper()
	res, err := p.session.CallTool(p.t.Context(), params)
	if err != nil {
		p.t.Fatal(err)
	}
	if res.NeedsInput() {
		return "?" + res.RequestState
	}
	return text(res)
}
