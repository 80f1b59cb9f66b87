package mcpserve

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/approval"
	"golem/core/fault"
	protocol "golem/core/mcp"
	"golem/core/sandbox"
	"golem/core/state"
)

// An answer counts in a process that was not there when the question was asked, once: the
// second use returns the first result, whatever it answers, in every process, and nothing
// runs.
func TestAnswerToAnotherProcess(t *testing.T) {
	store, k := state.Memory(sandbox.Memory()), &keeper{}
	first := newProcess(t, store, k.tool("d"))
	seal, _ := first.ask("keep")
	first.end()
	second := newProcess(t, store, k.tool("d"))
	if got := second.send(&mcp.CallToolParams{Name: "keep", RequestState: seal}); got != "?"+seal {
		t.Errorf("without an answer: %q", got)
	}
	if got := second.answer("keep", seal, "yes"); got != "done" || k.runs() != 1 {
		t.Fatalf("%q, %d runs", got, k.runs())
	}
	for _, p := range []*process{second, newProcess(t, store, k.tool("d"))} {
		for _, answer := range []string{"yes", "no"} {
			if got := p.answer("keep", seal, answer); got != "done" || k.runs() != 1 {
				t.Errorf("again %s: %q, %d runs", answer, got, k.runs())
			}
		}
	}
	if left, err := second.server.parked.answer(fileID(t, seal)); left != nil || err != nil {
		t.Errorf("the answer is still kept: %v %v", left, err)
	}
}

// A no is an answer like a yes: a yes after it changes nothing.
func TestNoToAnotherProcess(t *testing.T) {
	store, k := state.Memory(sandbox.Memory()), &keeper{}
	first := newProcess(t, store, k.tool("d"))
	seal, _ := first.ask("keep")
	first.end()
	second := newProcess(t, store, k.tool("d"))
	for _, answer := range []string{"no", "yes", "yes"} {
		if got := second.answer("keep", seal, answer); got != "denied" || k.runs() != 0 {
			t.Errorf("%s: %q, %d runs", answer, got, k.runs())
		}
	}
}

// An answer may go to another process while the one that asked is still there: the run that
// waits goes on. Of many answers at once, to both, one counts.
func TestManyAnswersAtOnce(t *testing.T) {
	store, k := state.Memory(sandbox.Memory()), &keeper{}
	processes := []*process{newProcess(t, store, k.tool("d")), newProcess(t, store, k.tool("d"))}
	seal, _ := processes[0].ask("keep")
	got := make(chan string, 16)
	for i := range 16 {
		go func() { got <- processes[i%2].answer("keep", seal, []string{"yes", "no"}[i/2%2]) }()
	}
	want := <-got
	for range 15 {
		if one := <-got; one != want {
			t.Errorf("%q and %q", want, one)
		}
	}
	if want == "done" && k.runs() != 1 || want == "denied" && k.runs() != 0 || want != "done" && want != "denied" {
		t.Errorf("%q, %d runs", want, k.runs())
	}
}

// A yes covers what was shown. When the resumed call would do something else, it asks anew.
func TestAnswerToAnotherQuestion(t *testing.T) {
	for what, change := range map[string]func(*approval.Request){
		"arguments": func(r *approval.Request) { r.Args = json.RawMessage(`{"path":"/b"}`) },
		"diff":      func(r *approval.Request) { r.Diff = "+another" },
		"call":      func(r *approval.Request) { r.Call = "0.2" },
		"tool":      func(r *approval.Request) { r.Tool = "delete_file" },
		"module":    func(r *approval.Request) { r.Module = "m@sha256:1" },
	} {
		store, k := state.Memory(sandbox.Memory()), &keeper{}
		first := newProcess(t, store, k.tool("d"))
		seal, _ := first.ask("keep")
		first.end()
		k.asks = func() approval.Request {
			r := question()
			change(&r)
			return r
		}
		p := newProcess(t, store, k.tool("d"))
		next := p.answer("keep", seal, "yes")
		if !strings.HasPrefix(next, "?") || next == "?"+seal || k.runs() != 0 {
			t.Errorf("%s: %q, %d runs", what, next, k.runs())
			continue
		}
		if again := p.answer("keep", seal, "yes"); again != next {
			t.Errorf("%s: again %q, first %q", what, again, next)
		}
		if got := p.answer("keep", next[1:], "yes"); got != "done" || k.runs() != 1 {
			t.Errorf("%s: %q, %d runs", what, got, k.runs())
		}
	}
}

// When golem ends after the answer and before the result, the answer is not used again: if
// the call had begun, the person is asked about it. If it had not, the answer still counts.
func TestEndBetweenAnswerAndResult(t *testing.T) {
	store, k := state.Memory(sandbox.Memory()), &keeper{}
	first := newProcess(t, store, k.tool("d"))
	seal, _ := first.ask("keep")
	begun := make(chan bool)
	k.does(func(ctx context.Context) bool {
		close(begun)
		<-ctx.Done()
		return false
	})
	go first.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "keep", RequestState: seal, InputResponses: mcp.InputResponseMap{
		questionID: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "yes"}},
	}})
	<-begun
	first.end()
	k.does(nil)
	second := newProcess(t, store, k.tool("d"))
	doubt := second.answer("keep", seal, "yes")
	if !strings.HasPrefix(doubt, "?") || k.runs() != 1 {
		t.Fatalf("%q, %d runs", doubt, k.runs())
	}
	// Neither does the yes to the doubt approve the call, nor the first yes.
	ask := second.answer("keep", doubt[1:], "yes")
	if !strings.HasPrefix(ask, "?") || k.runs() != 1 {
		t.Fatalf("%q, %d runs", ask, k.runs())
	}
	if got := second.answer("keep", ask[1:], "no"); got != "denied" || k.runs() != 1 {
		t.Errorf("%q, %d runs", got, k.runs())
	}
	// The answer was kept, and nothing had begun.
	k = &keeper{}
	first = newProcess(t, store, k.tool("d"))
	seal, _ = first.ask("keep")
	first.end()
	third := newProcess(t, store, k.tool("d"))
	if first, err := third.server.parked.claim(t.Context(), fileID(t, seal), &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "yes"}}); !first || err != nil {
		t.Fatal(first, err)
	}
	if got := third.answer("keep", seal, "no"); got != "done" || k.runs() != 1 {
		t.Errorf("%q, %d runs", got, k.runs())
	}
}

// A long question is answered page by page, each page to another process.
func TestPagesInSeveralProcesses(t *testing.T) {
	store, k := state.Memory(sandbox.Memory()), &keeper{}
	k.asks = func() approval.Request {
		r := question()
		r.Args = json.RawMessage(`{"text":"` + strings.Repeat("abc def ", 4000) + `"}`)
		return r
	}
	p := newProcess(t, store, k.tool("d"))
	seal, _ := p.ask("keep")
	p.end()
	pages := 1
	for ; pages < 20; pages++ {
		p = newProcess(t, store, k.tool("d"))
		next := p.answer("keep", seal, "more")
		p.end()
		if !strings.HasPrefix(next, "?") {
			t.Fatalf("page %d: %q", pages, next)
		}
		if seal = next[1:]; pages == 2 {
			break
		}
	}
	p = newProcess(t, store, k.tool("d"))
	for {
		got := p.answer("keep", seal, "more")
		if !strings.HasPrefix(got, "?") { // the last page has no more
			if got != "denied" || k.runs() != 0 {
				t.Errorf("%q, %d runs", got, k.runs())
			}
			return
		}
		seal = got[1:]
		if pages++; pages > 20 {
			t.Fatal("it does not end")
		}
	}
}

// Questions that nobody answers make room again, and so do those that have a result.
func TestQuestionsMakeRoom(t *testing.T) {
	q := &questions{store: state.Memory(sandbox.Memory()), now: time.Now}
	add := func() (string, error) {
		id, _, release, err := q.add(kept{Expires: q.now().Add(patience)})
		if err == nil {
			release()
		}
		return id, err
	}
	first, err := add()
	if err != nil {
		t.Fatal(err)
	}
	for range maxKept - 1 {
		if _, err := add(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := add(); fault.Of(err, "").Code != fault.Busy {
		t.Errorf("a full store: %v", err)
	}
	if err := q.write(resultFormat, first, &mcp.CallToolResult{}); err != nil {
		t.Fatal(err)
	}
	if _, err := add(); err != nil {
		t.Error(err)
	}
	q.now = func() time.Time { return time.Now().Add(patience + time.Minute) }
	if _, err := add(); err != nil {
		t.Error(err)
	}
}

// Calls that have ended do not count against the calls that may wait.
func TestEndedCallsAreNotCounted(t *testing.T) {
	p := newProcess(t, state.Memory(sandbox.Memory()), Tool{Name: "text", Optional: true, Run: echo})
	for i := range maxParked + 2 {
		if res, got := call(t, p.session, "text", nil); res.IsError {
			t.Fatalf("call %d: %s", i, got)
		}
	}
}

// Over HTTP an answer counts only with the token with which the question was asked, also in
// another process.
func TestAnswerNeedsItsToken(t *testing.T) {
	store, k := state.Memory(sandbox.Memory()), &keeper{}
	serve := func(token string) *process {
		s, err := New("test", "", []Tool{k.tool("d")})
		if err != nil {
			t.Fatal(err)
		}
		s.KeepQuestions(store)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		over, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- s.Serve(over, listener, token) }()
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, asks()).Connect(t.Context(), &mcp.StreamableClientTransport{
			Endpoint: "http://" + listener.Addr().String() + Path, HTTPClient: &http.Client{Transport: withToken(token)},
		}, &mcp.ClientSessionOptions{ProtocolVersion: protocol.Stateless})
		if err != nil {
			t.Fatal(err)
		}
		p := &process{t: t, server: s, session: session, end: sync.OnceFunc(func() {
			session.Close()
			stop()
			if err := <-served; err != nil {
				t.Error(err)
			}
		})}
		t.Cleanup(p.end)
		return p
	}
	first := serve("the token that was chosen")
	seal, _ := first.ask("keep")
	first.end()
	if got := serve("another token, of a later start").answer("keep", seal, "yes"); !strings.Contains(got, "E_NOT_FOUND") || k.runs() != 0 {
		t.Errorf("another token: %s", got)
	}
	if got := newProcess(t, store, k.tool("d")).answer("keep", seal, "yes"); !strings.Contains(got, "E_NOT_FOUND") || k.runs() != 0 {
		t.Errorf("over standard input: %s", got)
	}
	if got := serve("the token that was chosen").answer("keep", seal, "yes"); got != "done" || k.runs() != 1 {
		t.Errorf("%s, %d runs", got, k.runs())
	}
}
