package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"syscall/js"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/toolset/gitset"
	"golem/sandbox/opfs"
)

// gitFile is the file of the program that reads repositories (cmd/wasm/git). It is a
// program of its own because golem.wasm would be too large with go-git in it.
const gitFile = "repository.wasm"

// gitProgram is the program cmd/wasm/git in this web worker. It is started at its first use,
// and started again after it crashed or could not be loaded.
type gitProgram struct {
	mu   sync.Mutex
	now  *gitLoad // nil: it does not run and is not being loaded
	last int      // the id of the last call
}

// gitLoad is one start of the program.
type gitLoad struct {
	done  chan struct{} // closed when it is loaded or has failed; call and err are set then
	call  js.Value      // its function ask
	err   error
	ended chan struct{} // closed when it has ended
}

// start returns the running program, and loads it if it does not run. If ctx ends first,
// start returns its cause; the loading goes on and serves the next call.
func (g *gitProgram) start(ctx context.Context) (*gitLoad, error) {
	g.mu.Lock()
	l := g.now
	if l == nil {
		l = &gitLoad{done: make(chan struct{}), ended: make(chan struct{})}
		g.now = l
		go g.load(l)
	}
	g.mu.Unlock()
	select {
	case <-l.done:
		return l, l.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (g *gitProgram) load(l *gitLoad) {
	defer close(l.done)
	var over js.Func
	over = js.FuncOf(func(js.Value, []js.Value) any { // called once at most
		over.Release()
		close(l.ended)
		go g.forget(l)
		return nil
	})
	var err error
	if l.call, err = jsbytes.Await(js.Global().Call("golemSecond", gitFile, over)); err != nil {
		over.Release()
		g.forget(l)
		l.err = fault.New(fault.Platform, "the program for git repositories cannot be loaded: %s", fault.Brief(err.Error())).
			Hinting("reload the page: after an update it needs the files of the new version; all files of one version must be side by side; without a network it is available only if it was loaded before")
	}
}

// forget makes the next call start the program again, if l is still the current start.
func (g *gitProgram) forget(l *gitLoad) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.now == l {
		g.now = nil
	}
}

// gitParams has the parameters of all ops of the program; see params in cmd/wasm/git.
type gitParams struct {
	Source  string            `json:"source"`
	Name    string            `json:"name"`
	Args    json.RawMessage   `json:"args"`
	Dir     string            `json:"dir"`
	Branch  string            `json:"branch"`
	Env     map[string]string `json:"env"`
	Commit  string            `json:"commit"`
	File    string            `json:"file"`
	From    string            `json:"from"`
	Names   []string          `json:"names"`
	Removed []bool            `json:"removed"`
	Message string            `json:"message"`
	When    int64             `json:"when"`
}

// ask runs one op of the program on a tree and returns when the program has answered or
// has ended: if ctx ends, it cancels the op and still waits. look may be nil; the caller
// must not release it before ask returns.
func (g *gitProgram) ask(ctx context.Context, op string, tree *opfs.FS, params gitParams, look any, content []any) (js.Value, error) {
	program, err := g.start(ctx)
	if err != nil {
		return js.Undefined(), err
	}
	call := program.call
	params.Source = tree.Source()
	raw, err := json.Marshal(params)
	if err != nil {
		return call, err
	}
	answer := make(chan []js.Value, 1)
	done := js.FuncOf(func(_ js.Value, args []js.Value) any {
		answer <- args
		return nil
	})
	defer done.Release()
	g.mu.Lock()
	g.last++
	id := g.last
	g.mu.Unlock()
	call.Invoke(id, op, string(raw), tree.Tree(), look, content, done)
	stop := ctx.Done()
	for {
		select {
		case a := <-answer:
			if text := a[0].String(); text != "" {
				f := new(fault.Fault)
				if err := json.Unmarshal([]byte(text), f); err != nil {
					return a[1], err
				}
				return a[1], f
			}
			return a[1], nil
		case <-program.ended:
			return js.Undefined(), fault.New(fault.Tool, "the program for git repositories has crashed, perhaps because the browser gave it no more memory").Hinting("ask for less: name a path or a limit")
		case <-stop:
			call.Invoke(id, "cancel")
			stop = nil
		}
	}
}

// Read runs a reading tool of the toolset git and returns its output (gitset.Git).
func (g *gitProgram) Read(ctx context.Context, name string, args json.RawMessage, root sandbox.FS, view gitset.View) (string, error) {
	tree, ok := root.(*opfs.FS)
	if !ok {
		return "", fault.New(fault.Platform, "the project's files are not in this browser")
	}
	look := js.FuncOf(func(_ js.Value, args []js.Value) any {
		op, name := args[0].String(), args[1].String()
		go func() {
			value, err := lookAt(view, op, name)
			args[2].Invoke(lookFailure(err), value)
		}()
		return nil
	})
	defer look.Release()
	out, err := g.ask(ctx, "read", tree, gitParams{Name: name, Args: args}, look, nil)
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	if err != nil {
		return "", err
	}
	return out.String(), nil
}

// mostSeen is the size limit, in bytes, of a file that is compared with a commit.
const mostSeen = 4 << 20

// lookAt answers a question of cmd/wasm/git about the view of a worker; view_js.go there
// describes the answers.
func lookAt(view gitset.View, op, name string) (any, error) {
	switch op {
	case "name":
		if name, ok := view.Name(name); ok {
			return name, nil
		}
		return nil, fs.ErrNotExist
	case "source":
		return view.Source(name)
	case "stat":
		info, err := fs.Stat(view.FS, name)
		if err != nil || info.IsDir() {
			return -1, err
		}
		return float64(info.Size()), nil
	case "list":
		entries, err := fs.ReadDir(view.FS, name)
		var b strings.Builder
		for _, e := range entries {
			kind := "f"
			if e.IsDir() {
				kind = "d"
			}
			b.WriteString(kind + e.Name() + "/")
		}
		return b.String(), err
	}
	data, err := sandbox.ReadFile(view.FS, name, mostSeen)
	return jsbytes.Array(data), err
}

// lookFailure encodes an error for cmd/wasm/git: "" for nil, "missing PATH\nWHY" for a file
// that does not exist, else the JSON of a fault.
func lookFailure(err error) string {
	var f *fault.Fault
	var pe *fs.PathError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &f) && errors.As(err, &pe) && errors.Is(err, fs.ErrNotExist):
		return "missing " + pe.Path + "\n" + pe.Err.Error()
	}
	raw, _ := json.Marshal(fault.Of(err, fault.Path)) // it has only texts, so this cannot fail
	return string(raw)
}
