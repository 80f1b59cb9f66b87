package mcpserve

import (
	"context"
	"encoding/base64"
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
	"golem/core/run"
	"golem/core/sandbox"
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

// fileID returns the name of a question in the store.
func fileID(t *testing.T, seal string) string {
	t.Helper()
	data, err := base64.RawURLEncoding.DecodeString(seal)
	if err != nil {
		t.Fatal(err)
	}
	const digits = "0123456789abcdef"
	var out strings.Builder
	for _, b := range data[:idBytes] {
		out.WriteByte(digits[b>>4])
		out.WriteByte(digits[b&15])
	}
	return out.String()
}

// A client that forges or changes the state, uses it for another call or tool, or comes as
// somebody else, is refused, and nothing runs. So is everybody when the state came from
// another project or machine, when it is too late, or when the worker has changed.
func TestHostileStates(t *testing.T) {
	files := sandbox.Memory()
	store, k := state.Memory(files), &keeper{}
	first := newProcess(t, store, k.tool("d"))
	seal, _ := first.ask("keep")
	first.end()
	other := k.tool("d")
	other.Name = "other"
	p := newProcess(t, store, k.tool("d"), other)
	raw, err := base64.RawURLEncoding.DecodeString(seal)
	if err != nil {
		t.Fatal(err)
	}
	states := []string{"x", seal[1:], seal + "A", strings.ToUpper(seal), " " + seal, seal + seal, strings.Repeat("A", len(seal)), strings.Repeat("A", 1<<20)}
	for i := range raw {
		raw[i] ^= 1
		states = append(states, base64.RawURLEncoding.EncodeToString(raw))
		raw[i] ^= 1
	}
	for _, wrong := range states {
		if got := p.answer("keep", wrong, "yes"); !strings.Contains(got, "E_NOT_FOUND") {
			t.Errorf("%.80q: %s", wrong, got)
		}
	}
	yes := mcp.InputResponseMap{questionID: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "yes"}}}
	for _, params := range []*mcp.CallToolParams{
		{Name: "other", RequestState: seal, InputResponses: yes},
		{Name: "keep", RequestState: seal, InputResponses: yes, Arguments: map[string]any{"input": "x"}},
	} {
		if got := p.send(params); !strings.Contains(got, "E_NOT_FOUND") && !strings.Contains(got, "E_TOOL_INPUT") {
			t.Errorf("%+v: %s", params, got)
		}
	}
	project, machine := state.Memory(files), state.Memory(files)
	project.Project = "/another"
	machine.Host = keyed{machine.Host, []byte(strings.Repeat("k", 32))}
	late := newProcess(t, store, k.tool("d"))
	late.server.parked.now = func() time.Time { return time.Now().Add(patience) }
	for _, c := range []struct {
		p    *process
		want string
	}{
		{newProcess(t, project, k.tool("d")), "E_NOT_FOUND"}, {newProcess(t, machine, k.tool("d")), "E_NOT_FOUND"},
		{late, "E_NOT_FOUND"}, {newProcess(t, store, k.tool("changed")), "E_CONFLICT"},
	} {
		if got := c.p.answer("keep", seal, "yes"); !strings.Contains(got, c.want) {
			t.Errorf("want %s: %s", c.want, got)
		}
	}
	if _, _, err := p.server.parked.named(seal, callDigest("Bearer another", "keep", nil), "d"); fault.Of(err, "").Code != fault.NotFound {
		t.Errorf("another principal: %v", err)
	}
	if k.runs() != 0 {
		t.Errorf("%d runs", k.runs())
	}
	if got := p.answer("keep", seal, "yes"); got != "done" || k.runs() != 1 {
		t.Errorf("the right one: %q", got)
	}
}

// Files of a question that are changed, exchanged, cut or taken away make its answer fail,
// and nothing runs.
func TestHostileQuestionFiles(t *testing.T) {
	for what, spoil := range map[string]func(t *testing.T, files sandbox.FS, id, other string){
		"changed": func(t *testing.T, files sandbox.FS, id, _ string) {
			edit(t, files, id+".question", `"started":0`, `"started":1`)
		},
		"exchanged": func(t *testing.T, files sandbox.FS, id, other string) {
			edit(t, files, id+".question", "", read(t, files, other+".question"))
		},
		"cut": func(t *testing.T, files sandbox.FS, id, _ string) { edit(t, files, id+".question", "", "") },
		"gone": func(t *testing.T, files sandbox.FS, id, _ string) {
			if err := files.Remove(id + ".question"); err != nil {
				t.Fatal(err)
			}
		},
		"planted answer": func(t *testing.T, files sandbox.FS, id, _ string) {
			edit(t, files, id+".answer", "", `{"golem":"answer","v":1,"mac":"00"}`+"\n"+`{"action":"accept","content":{"answer":"yes"}}`)
		},
		"planted result": func(t *testing.T, files sandbox.FS, id, _ string) {
			edit(t, files, id+".result", "", `{"golem":"result","v":1,"mac":"00"}`+"\n"+`{"content":[{"type":"text","text":"done"}]}`)
		},
	} {
		files := sandbox.Memory()
		store, k := state.Memory(files), &keeper{}
		first := newProcess(t, store, k.tool("d"))
		seal, _ := first.ask("keep")
		other, _ := first.ask("keep")
		first.end()
		spoil(t, files, fileID(t, seal), fileID(t, other))
		p := newProcess(t, store, k.tool("d"))
		if got := p.answer("keep", seal, "yes"); !strings.Contains(got, `"error"`) || k.runs() != 0 {
			t.Errorf("%s: %s, %d runs", what, got, k.runs())
		}
	}
}

func read(t *testing.T, files sandbox.FS, name string) string {
	t.Helper()
	data, err := sandbox.ReadFile(files, name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// edit replaces a part of a file; "" as the old part replaces all of it.
func edit(t *testing.T, files sandbox.FS, name, old, text string) {
	t.Helper()
	if old != "" {
		before := read(t, files, name)
		if text = strings.Replace(before, old, text, 1); text == before {
			t.Fatalf("%s has no %s: %s", name, old, before)
		}
	}
	if err := files.WriteFile(name, []byte(text)); err != nil {
		t.Fatal(err)
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
