// Command git is the page's second program (repository.wasm): it reads git repositories and
// makes commits in them, for golem.wasm, in the same web worker. It is loaded when a tool or
// a push needs it for the first time.
//
// golem.wasm calls ask(id, op, params as JSON, tree, look, content, done). tree is the
// project's directory (opfs.Tree), look a function that answers questions about the view of
// the LLM worker (view_js.go), content the content of the files of a commit, as Uint8Arrays.
// done(failure, value) is called once: failure is "" or a fault as JSON. ask(id, "cancel")
// ends the call with that id.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"runtime/debug"
	"sync"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/gitrepo"
	"golem/sandbox/opfs"
)

func main() {
	debug.SetGCPercent(60)
	p := &program{calls: map[int]context.CancelCauseFunc{}}
	js.Global().Call("golemOffer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.ask(args)
		return nil
	}))
	select {}
}

// program keeps, for each open call, the function that cancels it.
type program struct {
	mu    sync.Mutex
	calls map[int]context.CancelCauseFunc
}

func (p *program) ask(args []js.Value) {
	id, op := args[0].Int(), args[1].String()
	if op == "cancel" {
		p.mu.Lock()
		defer p.mu.Unlock()
		if end := p.calls[id]; end != nil {
			end(fault.New(fault.Interrupted, "interrupted"))
		}
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	p.mu.Lock()
	p.calls[id] = cancel
	p.mu.Unlock()
	go func() {
		value, err := perform(ctx, op, args[2].String(), args[3], args[4], args[5])
		p.mu.Lock()
		delete(p.calls, id)
		p.mu.Unlock()
		cancel(nil)
		args[6].Invoke(failure(err), value)
	}()
}

// failure encodes an error as the JSON of a fault, and nil as "".
func failure(err error) string {
	code := fault.Path
	switch {
	case err == nil:
		return ""
	case errors.Is(err, fs.ErrNotExist):
		code = fault.NotFound
	}
	raw, _ := json.Marshal(fault.Of(err, code)) // it has only texts, so this cannot fail
	return string(raw)
}

// params has the parameters of all ops. gitParams in cmd/wasm is the same type.
type params struct {
	Source string `json:"source"` // the path of the tree

	Name string          `json:"name"` // of a tool
	Args json.RawMessage `json:"args"`

	Dir     string            `json:"dir"` // of a repository, as messages name it
	Branch  string            `json:"branch"`
	Env     map[string]string `json:"env"`
	Commit  string            `json:"commit"`
	File    string            `json:"file"`
	From    string            `json:"from"` // a commit
	Names   []string          `json:"names"`
	Removed []bool            `json:"removed"` // of each name
	Message string            `json:"message"`
	When    int64             `json:"when"` // seconds
}

func perform(ctx context.Context, op, raw string, tree, look, content js.Value) (any, error) {
	var in params
	if err := json.Unmarshal([]byte(raw), &in); err != nil {
		return nil, err
	}
	files := opfs.Joined(tree, in.Source)
	defer files.Leave()
	if op == "read" {
		v := newView(look)
		defer v.done.Release()
		return gitrepo.Read(&breathing{Context: ctx, last: time.Now()}, in.Name, in.Args, files, v)
	}
	b, err := gitrepo.OpenAs(in.Env, files, in.Dir, in.Branch)
	if err != nil {
		return nil, err
	}
	switch op {
	case "tip":
		return b.Tip(), nil
	case "file":
		data, err := in.file(b)
		return jsbytes.Array(data), err
	case "accepts":
		return nil, b.Accepts(in.Names)
	case "commit":
		return in.commit(b, content)
	}
	return b.Advance(in.From, in.Commit, in.Names)
}

// breathing is a context that lets JavaScript run every 50 ms while Go asks for its Err.
// Without that the message that cancels the call would not be received.
type breathing struct {
	context.Context
	last time.Time
}

const breath = 50 * time.Millisecond

// Err returns why the call ends, and nil while it goes on. It may wait for JavaScript.
func (b *breathing) Err() error {
	if time.Since(b.last) > breath {
		if _, err := jsbytes.Await(js.Global().Call("golemTurn")); err == nil {
			b.last = time.Now()
		}
	}
	return b.Context.Err()
}
