package wasmtool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/wasmtool"
	"golem/core/wasmtool/enginetest"
)

// SPEC §6: what a module says of itself can only make golem stricter.
func TestSpecOnlyTightens(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		d    wasmtool.Description
		risk tool.Risk
		exec tool.Exec
		asks bool
	}{
		{wasmtool.Description{}, "", "", false},
		{wasmtool.Description{Risk: tool.Read}, "", "", false},
		{wasmtool.Description{Risk: tool.Write}, "", "", false},
		{wasmtool.Description{Risk: tool.Network}, tool.Network, "", false},
		{wasmtool.Description{Risk: tool.Destructive}, tool.Destructive, "", false},
		{wasmtool.Description{Risk: tool.Command}, tool.Command, "", false},
		{wasmtool.Description{Exec: tool.ExecManual}, "", tool.ExecManual, false},
		{wasmtool.Description{Exec: tool.ExecBoth}, "", "", false},
		{wasmtool.Description{NeedsApproval: &yes}, "", "", true},
		{wasmtool.Description{NeedsApproval: &no}, "", "", false},
	} {
		_, tl := callable(t, says(""), "servlet", c.d, wasmtool.Grants{})
		s := tl.Spec()
		if s.Risk != c.risk || s.Exec != c.exec || (s.NeedsApproval != nil && s.NeedsApproval(nil)) != c.asks {
			t.Errorf("%+v: %+v", c.d, s)
		}
		if s.Kind != tool.Wasm || s.Module != "tools/servlet.wasm" || s.Name != "echo" {
			t.Errorf("%+v", s)
		}
	}
}

// Each form gets a call of its own shape.
func TestRequests(t *testing.T) {
	for form, want := range map[string]wasmtool.Invocation{
		"servlet": {Form: wasmtool.Extism, Export: "call", Input: []byte(`{"params":{"arguments":{"a":1},"name":"echo"}}`)},
		"hyper":   {Form: wasmtool.Extism, Export: "call_tool", Input: []byte(`{"context":{"_meta":{},"id":"0.1"},"request":{"arguments":{"a":1},"name":"echo"}}`)},
		"command": {Form: wasmtool.Command, Args: []string{"command.wasm", "call", "echo"}, Stdin: []byte(`{"a":1}`), Input: []byte(`{"a":1}`)},
		"exports": {Form: wasmtool.Extism, Export: "echo", Input: []byte(`{"a":1}`)},
	} {
		e := &fakeEngine{}
		_, tl := callable(t, e, form, wasmtool.Description{}, wasmtool.Grants{})
		if _, err := call(t, tl, `{"a":1}`); err != nil {
			t.Fatal(err)
		}
		if a, b := mustJSON(t, e.calls[0]), mustJSON(t, want); a != b {
			t.Errorf("%s: %s, want %s", form, a, b)
		}
	}
	e := &fakeEngine{}
	b, _ := callable(t, e, "servlet", wasmtool.Description{}, wasmtool.Grants{})
	if _, err := call(t, b.Export("upper"), ``); err != nil || e.calls[0].Export != "upper" || string(e.calls[0].Input) != "{}" {
		t.Errorf("S0-26, an export by itself: %+v, %v", e.calls, err)
	}
}

// Nothing is granted by default, and a call can reach only what is granted.
func TestGrants(t *testing.T) {
	files := sandbox.Memory()
	var got wasmtool.Host
	var in wasmtool.Invocation
	e := &fakeEngine{call: func(_ context.Context, i wasmtool.Invocation, h wasmtool.Host) (wasmtool.Result, error) {
		got, in = h, i
		return wasmtool.Result{Output: []byte(`{"content":[]}`)}, nil
	}}
	_, tl := callable(t, e, "servlet", wasmtool.Description{}, wasmtool.Grants{})
	if _, err := call(t, tl, `{}`); err != nil {
		t.Fatal(err)
	}
	if got.Files != nil || got.HTTP != nil || got.Call != nil || in.Config != nil || in.Limits != (wasmtool.Limits{}) {
		t.Errorf("without grants: %+v %+v", got, in)
	}
	if got.Chance == nil || got.Chance.Random(make([]byte, 8)) != nil || time.Since(got.Chance.Now()) > time.Minute {
		t.Error("no clock, or no random source")
	}
	_, tl = callable(t, e, "servlet", wasmtool.Description{}, wasmtool.Grants{Network: true})
	if _, err := call(t, tl, `{}`); err != nil || got.HTTP != nil {
		t.Errorf("network without hosts: %v", err)
	}
	_, tl = callable(t, e, "servlet", wasmtool.Description{}, wasmtool.Grants{Files: files, Config: map[string]string{"a": "b"}, Fuel: 5})
	if _, err := call(t, tl, `{}`); err != nil || got.Files == nil || in.Config["a"] != "b" || in.Limits.Fuel != 5 {
		t.Errorf("with grants: %+v %+v %v", got, in, err)
	}
}

func TestTimeout(t *testing.T) {
	for _, c := range []struct {
		own       string
		grant, it time.Duration
	}{{"", 0, 0}, {"2s", 0, 2 * time.Second}, {"", time.Second, time.Second}, {"2s", time.Second, time.Second}, {"1s", 2 * time.Second, time.Second}} {
		e := &fakeEngine{}
		_, tl := callable(t, e, "servlet", wasmtool.Description{Timeout: c.own}, wasmtool.Grants{Timeout: c.grant})
		if _, err := call(t, tl, `{}`); err != nil || e.calls[0].Limits.Time != c.it {
			t.Errorf("%+v: %v, %v", c, e.calls[0].Limits.Time, err)
		}
	}
}

// stateful: true keeps one instance for the toolset, whose calls run one after another.
// The worker's file has priority over the description.
func TestStateful(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, most := 0, 0
		e := &fakeEngine{call: func(context.Context, wasmtool.Invocation, wasmtool.Host) (wasmtool.Result, error) {
			running++
			most = max(most, running)
			time.Sleep(time.Second)
			running--
			return wasmtool.Result{Output: []byte(`{"content":[]}`)}, nil
		}}
		b, tl := callable(t, e, "servlet", wasmtool.Description{Stateful: true}, wasmtool.Grants{})
		done := make(chan error, 3)
		for i := range 3 {
			go func() {
				_, err := tl.Call(t.Context(), tool.Call{ID: fmt.Sprint("0.", i+1), Name: "echo"})
				done <- err
			}()
		}
		synctest.Wait()
		ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		_, err := tl.Call(ctx, tool.Call{ID: "0.9"}) // waiting ends with its context
		wants(t, err, fault.Timeout)
		closed := make(chan error)
		go func() { closed <- b.Close() }() // waits for its turn
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		if most != 1 || e.kept < 1 || e.freed != e.kept && e.freed != e.kept-1 {
			t.Errorf("%d at once, %d instances, %d freed", most, e.kept, e.freed)
		}
		if err := b.Close(); err != nil || e.freed != e.kept {
			t.Errorf("%v: %d instances, %d freed", err, e.kept, e.freed)
		}
	})
	no := false
	e := &fakeEngine{}
	_, tl := callable(t, e, "servlet", wasmtool.Description{Stateful: true}, wasmtool.Grants{Stateful: &no})
	if _, err := call(t, tl, `{}`); err != nil || e.kept != 0 {
		t.Errorf("stateful: false of the worker: %d kept, %v", e.kept, err)
	}
}

// hostFunc is a tool.Host that calls itself.
type hostFunc func(ctx context.Context, name string, args json.RawMessage) (tool.Output, error)

func (h hostFunc) Call(ctx context.Context, name string, args json.RawMessage) (tool.Output, error) {
	return h(ctx, name, args)
}

func (h hostFunc) Taint() {}

// S3-15: golem_call calls what the running worker may call. Errors are returned as data,
// and an untrusted result makes the module's own result untrusted.
func TestCallback(t *testing.T) {
	var back []byte
	e := &fakeEngine{call: func(ctx context.Context, _ wasmtool.Invocation, h wasmtool.Host) (wasmtool.Result, error) {
		back = h.Call(ctx, "other", []byte(`{"a":1}`))
		return wasmtool.Result{Output: []byte(`{"content":[]}`)}, nil
	}}
	_, tl := callable(t, e, "servlet", wasmtool.Description{}, wasmtool.Grants{})
	type key struct{}
	for _, c := range []struct {
		out  tool.Output
		err  error
		want string
	}{
		{tool.Output{Text: "done"}, nil, "done"},
		{tool.Output{Text: "t", Data: json.RawMessage(`{"d":1}`), Untrusted: true}, nil, `{"d":1}`},
		{tool.Output{}, fault.New(fault.NotAllowed, "writer may not be called").Hinting("allow it"), `{"error":{"code":"E_NOT_ALLOWED","message":"writer may not be called","hint":"allow it"}}`},
		{tool.Output{Untrusted: true}, errors.New("plain"), `{"error":{"code":"E_TOOL","message":"plain"}}`},
	} {
		host := hostFunc(func(ctx context.Context, name string, args json.RawMessage) (tool.Output, error) {
			if name != "other" || string(args) != `{"a":1}` || ctx.Value(key{}) != "the call's" {
				t.Errorf("called %s(%s)", name, args)
			}
			return c.out, c.err
		})
		out, err := tl.Call(context.WithValue(t.Context(), key{}, "the call's"), tool.Call{ID: "0.1", Name: "echo", Host: host})
		if err != nil || string(back) != c.want || out.Untrusted != c.out.Untrusted {
			t.Errorf("%s, %+v, %v; want %s", back, out, err, c.want)
		}
	}
}

// A stateful module that calls itself by golem_call gets E_CYCLE; otherwise it would wait
// for itself for ever.
func TestStatefulCallsItself(t *testing.T) {
	synctest.Test(t, statefulCallsItself)
}

func statefulCallsItself(t *testing.T) {
	var tl tool.Tool
	var inner error
	e := &fakeEngine{call: func(ctx context.Context, _ wasmtool.Invocation, h wasmtool.Host) (wasmtool.Result, error) {
		h.Call(ctx, "echo", []byte(`{}`))
		return wasmtool.Result{Output: []byte(`{"content":[]}`)}, nil
	}}
	_, tl = callable(t, e, "servlet", wasmtool.Description{Stateful: true}, wasmtool.Grants{})
	beside := make(chan error)
	quiet := hostFunc(func(context.Context, string, json.RawMessage) (tool.Output, error) { return tool.Output{}, nil })
	host := hostFunc(func(ctx context.Context, _ string, args json.RawMessage) (tool.Output, error) {
		go func() { // 0.10 is beside 0.1, not below it: it waits
			_, err := tl.Call(t.Context(), tool.Call{ID: "0.10", Name: "echo", Host: quiet})
			beside <- err
		}()
		out, err := tl.Call(ctx, tool.Call{ID: "0.1.1", Name: "echo", Args: tool.ReadArguments(args)})
		inner = err
		time.Sleep(20 * time.Millisecond) // time in which the other call could be refused
		return out, err
	})
	if _, err := tl.Call(t.Context(), tool.Call{ID: "0.1", Name: "echo", Host: host}); err != nil {
		t.Fatal(err)
	}
	wants(t, inner, fault.Cycle)
	if err := <-beside; err != nil {
		t.Error(err)
	}
	command := &fakeEngine{}
	_, tl = callable(t, command, "command", wasmtool.Description{Stateful: true}, wasmtool.Grants{})
	if _, err := call(t, tl, `{}`); err != nil || command.kept != 0 {
		t.Errorf("a command ends with its call, and %d were kept: %v", command.kept, err)
	}
}

// fetching returns an engine whose module makes the request r and stores the response in
// res.
func fetching(r wasmtool.HTTPRequest, res *wasmtool.HTTPResponse) *fakeEngine {
	return &fakeEngine{call: func(ctx context.Context, _ wasmtool.Invocation, h wasmtool.Host) (wasmtool.Result, error) {
		got, err := h.HTTP(ctx, r)
		*res = got
		return wasmtool.Result{Output: []byte(`{"content":[]}`), Fuel: 3}, err
	}}
}

// taintHost is a tool.Host that writes down what the tool does.
type taintHost struct{ did []string }

func (h *taintHost) Call(context.Context, string, json.RawMessage) (tool.Output, error) {
	h.did = append(h.did, "call")
	return tool.Output{}, nil
}

func (h *taintHost) Taint() { h.did = append(h.did, "taint") }

// SECURITY 13: what a module calls after it has fetched something is judged as a call after
// untrusted content.
func TestFetchTaintsNestedCalls(t *testing.T) {
	e := &fakeEngine{call: func(ctx context.Context, _ wasmtool.Invocation, h wasmtool.Host) (wasmtool.Result, error) {
		h.Call(ctx, "other", []byte(`{}`))
		_, err := h.HTTP(ctx, wasmtool.HTTPRequest{URL: "https://a.example/"})
		h.Call(ctx, "other", []byte(`{}`))
		return wasmtool.Result{Output: []byte(`{"content":[]}`)}, err
	}}
	b, tl := callable(t, e, "servlet", wasmtool.Description{}, wasmtool.Grants{Network: true, Hosts: []string{"a.example"}})
	wasmtool.FetchWith(b, fetchFunc(func(context.Context, wasmtool.HTTPRequest, wasmtool.Policy) (wasmtool.HTTPResponse, error) {
		return wasmtool.HTTPResponse{Status: 200}, nil
	}))
	host := &taintHost{}
	if _, err := tl.Call(t.Context(), tool.Call{ID: "0.1", Name: "echo", Host: host}); err != nil || !slices.Equal(host.did, []string{"call", "taint", "call"}) {
		t.Errorf("%q, %v", host.did, err)
	}
}

// A request is sent only if the worker has the network and its file names the host, and
// it makes the result untrusted (SECURITY 13).
func TestNetworkGrant(t *testing.T) {
	ask := wasmtool.HTTPRequest{URL: "https://API.example.com:443/a?b=c#frag", Header: map[string]string{"Accept": "*/*"}}
	var res wasmtool.HTTPResponse
	for _, c := range []struct {
		name  string
		g     wasmtool.Grants
		fetch wasmtool.Fetcher
		code  fault.Code
		word  string
		taint bool
	}{
		{"no network", wasmtool.Grants{Hosts: []string{"api.example.com"}}, nil, fault.Network, "network_enabled", false},
		{"another host", wasmtool.Grants{Network: true, Hosts: []string{"example.com"}}, nil, fault.Network, "allowed_hosts", false},
		{"no fetcher", wasmtool.Grants{Network: true, Hosts: []string{"api.example.com"}}, nil, fault.Network, "platform", false},
		{"it fails", wasmtool.Grants{Network: true, Hosts: []string{"api.example.com"}}, fetchFunc(func(context.Context, wasmtool.HTTPRequest, wasmtool.Policy) (wasmtool.HTTPResponse, error) {
			return wasmtool.HTTPResponse{}, errors.New("connection refused")
		}), fault.Network, "refused", true},
		{"too much", wasmtool.Grants{Network: true, Hosts: []string{"api.example.com"}}, fetchFunc(func(context.Context, wasmtool.HTTPRequest, wasmtool.Policy) (wasmtool.HTTPResponse, error) {
			return wasmtool.HTTPResponse{Body: make([]byte, wasmtool.MaxResponse+1)}, nil
		}), fault.Network, "bytes", true},
		{"more than it was given", wasmtool.Grants{Network: true, Hosts: []string{"api.example.com"}, Response: 16}, fetchFunc(func(_ context.Context, _ wasmtool.HTTPRequest, p wasmtool.Policy) (wasmtool.HTTPResponse, error) {
			return wasmtool.HTTPResponse{Body: make([]byte, p.Received()+1)}, nil
		}), fault.Network, "more than 16 bytes", true},
	} {
		b, tl := callable(t, fetching(ask, &res), "servlet", wasmtool.Description{}, c.g)
		wasmtool.FetchWith(b, c.fetch)
		out, err := call(t, tl, `{}`)
		wants(t, err, c.code, c.word)
		if out.Untrusted != c.taint || out.Fuel != 3 {
			t.Errorf("%s: %+v", c.name, out)
		}
	}
	b, tl := callable(t, fetching(ask, &res), "servlet", wasmtool.Description{}, wasmtool.Grants{Network: true, Hosts: []string{"*.example.com"}, Request: 16, Response: wasmtool.MaxResponse + 1})
	wasmtool.FetchWith(b, fetchFunc(func(_ context.Context, r wasmtool.HTTPRequest, p wasmtool.Policy) (wasmtool.HTTPResponse, error) {
		if r.URL != "https://api.example.com:443/a?b=c" || r.Method != "GET" || !maps.Equal(r.Header, ask.Header) || p.Hosts[0] != "*.example.com" || p.MostSent != 16 {
			t.Errorf("fetching %+v with %v", r, p)
		}
		return wasmtool.HTTPResponse{Status: 200, Body: make([]byte, wasmtool.MaxResponse+1)}, nil
	}))
	if out, err := call(t, tl, `{}`); err != nil || !out.Untrusted || len(res.Body) != wasmtool.MaxResponse+1 {
		t.Errorf("%+v, %v, a body of %d bytes", out, err, len(res.Body))
	}
	if _, err := (wasmtool.Policy{Hosts: []string{"a.example"}, MostSent: 2}).Request(wasmtool.HTTPRequest{URL: "https://a.example", Method: "POST", Body: []byte("abc")}); err == nil {
		t.Error("a request of more than it may send went out")
	}
}

// Each log call of a module gives one line, without control characters, and the number
// of lines is limited.
func TestLog(t *testing.T) {
	var lines []string
	e := &fakeEngine{call: func(_ context.Context, _ wasmtool.Invocation, h wasmtool.Host) (wasmtool.Result, error) {
		h.Log("error", "a\n\x1b[2J\u202eb")
		h.Log("made up", strings.Repeat("x", 5000))
		for range 500 {
			h.Log("debug", "again")
		}
		return wasmtool.Result{Output: []byte(`{"content":[]}`)}, nil
	}}
	b, tl := callable(t, e, "servlet", wasmtool.Description{}, wasmtool.Grants{})
	b.Listener = &listener{log: func(level, text string) { lines = append(lines, level+" "+text) }}
	if _, err := call(t, tl, `{}`); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 101 || lines[0] != `error a ⏎ \u001b[2J\u202eb` || len(lines[1]) > 1100 || !strings.HasPrefix(lines[1], "info xxx") || !strings.Contains(lines[100], "not shown") {
		t.Errorf("%d lines: %.300q", len(lines), lines)
	}
}

// FuelVaries is set for modules that import the clock or random numbers, and for no
// others: traces are compared without the fuel of such calls, which may differ.
func TestFuelThatVaries(t *testing.T) {
	for name, want := range map[string]bool{"random": true, "clock": true, "stdin": false, "echo": false} {
		c, err := enginetest.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := c.Source()
		if err != nil {
			t.Fatal(err)
		}
		e := says("{}")
		b := &wasmtool.Bound{Module: library(t, e).Module(source("a.wasm", data, ""))}
		if out, err := b.Tool(wasmtool.Description{Name: "run"}).Call(t.Context(), tool.Call{}); err != nil || out.Fuel == 0 || out.FuelVaries != want {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		e.call = func(context.Context, wasmtool.Invocation, wasmtool.Host) (wasmtool.Result, error) {
			return wasmtool.Result{Fuel: 9}, fault.New(fault.ToolFuel, "used up")
		}
		if out, err := b.Tool(wasmtool.Description{Name: "run"}).Call(t.Context(), tool.Call{}); err == nil || out.Fuel != 9 || out.FuelVaries != want {
			t.Errorf("%s, failing: %+v, %v", name, out, err)
		}
	}
}
