package wasmtool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
)

// real returns a library with wazero, which compiles if it can on this platform.
func real(t *testing.T) *wasmtool.Library {
	t.Helper()
	l := &wasmtool.Library{Open: func(ctx context.Context) (wasmtool.Engine, error) {
		return wazeroengine.New(ctx, wazeroengine.Options{})
	}}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// bind returns a module with grants, and its tools by name.
func bind(t *testing.T, l *wasmtool.Library, form string, g wasmtool.Grants) (*wasmtool.Bound, map[string]tool.Tool) {
	t.Helper()
	sidecar := ""
	if form == "exports" {
		sidecar = "tools: [{name: upper}]"
	}
	m := l.Module(source("tools/"+form+".wasm", module(t, form), sidecar))
	ds, err := m.Describe(t.Context(), wasmtool.Describing{Run: true})
	if err != nil {
		t.Fatal(err)
	}
	b := &wasmtool.Bound{Module: m, Grants: g}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	tools := map[string]tool.Tool{}
	for _, d := range ds {
		tools[d.Name] = b.Tool(d)
	}
	return b, tools
}

// SPEC §6, S0-26: tools of the three forms, and a single export, are described and called
// on a real engine.
func TestForms(t *testing.T) {
	l := real(t)
	for form, want := range map[string]string{
		"servlet": `{"params":{"arguments":{"text":"hi \"you\""},"name":"echo"}}`,
		"hyper":   `{"form":"hyper"}`,
		"command": `command.wasm {"text":"hi \"you\""}`,
	} {
		_, tools := bind(t, l, form, wasmtool.Grants{})
		out, err := call(t, tools["echo"], `{"text":"hi \"you\""}`)
		if err != nil || out.String() != want || out.Fuel <= 0 || out.Untrusted {
			t.Errorf("%s: %+v, %v; want %s", form, out, err, want)
		}
	}
	_, tools := bind(t, l, "exports", wasmtool.Grants{})
	if out, err := call(t, tools["upper"], `{"text":"hi"}`); err != nil || out.Text != `{"TEXT":"HI"}` {
		t.Errorf("an export by itself: %+v, %v", out, err)
	}
	b, _ := bind(t, l, "servlet", wasmtool.Grants{})
	if out, err := call(t, b.Export("upper"), `{"text":"hi"}`); err != nil || out.Text != `{"TEXT":"HI"}` {
		t.Errorf("an export beside a form: %+v, %v", out, err)
	}
	_, err := call(t, b.Export("none"), `{}`)
	wants(t, err, fault.ToolContract, "none")
}

// Each failure has its own code, and the next call works.
func TestFailures(t *testing.T) {
	l := real(t)
	for _, form := range []string{"servlet", "hyper"} {
		_, tools := bind(t, l, form, wasmtool.Grants{Fuel: 5_000_000, Config: map[string]string{"request": `{"url":"https://example.com/"}`, "callee": "x"}})
		for name, c := range map[string]struct {
			code fault.Code
			word string
		}{
			"fail":  {fault.Tool, "it cannot"},
			"error": {fault.Tool, "set by error_set"},
			"spin":  {fault.ToolFuel, "fuel"},
			"fetch": {fault.Grant, "network"},
		} {
			out, err := call(t, tools[name], `{}`)
			wants(t, err, c.code, c.word)
			if out.Fuel <= 0 {
				t.Errorf("%s: a failed call tells no fuel", name)
			}
		}
		if out, err := call(t, tools["back"], `{}`); err != nil || !strings.Contains(out.Text, "E_GRANT") {
			t.Errorf("golem_call with nobody there: %+v, %v", out, err)
		}
		if out, err := call(t, tools["echo"], `{}`); err != nil {
			t.Errorf("after all that: %+v, %v", out, err)
		}
	}
	_, tools := bind(t, l, "command", wasmtool.Grants{})
	_, err := call(t, tools["exit"], `{}`)
	wants(t, err, fault.ToolExit, `exit code 3: it broke \u001b[31m here`)
	_, err = call(t, tools["file"], `{}`)
	wants(t, err, fault.Grant)
	d := wasmtool.Description{Name: "spin", Timeout: "50ms"}
	b, _ := bind(t, l, "servlet", wasmtool.Grants{Timeout: time.Hour})
	_, err = call(t, b.Tool(d), `{}`) // without the limit it would end after an hour
	wants(t, err, fault.Timeout)
}

// SPEC §6, grants: a module can use the files, configuration, network and callbacks that
// are granted, but no other host, and it can log.
func TestGrantsOnTheEngine(t *testing.T) {
	l := real(t)
	files := sandbox.Memory()
	if err := files.WriteFile("note.txt", []byte("in the file")); err != nil {
		t.Fatal(err)
	}
	_, tools := bind(t, l, "command", wasmtool.Grants{Files: files})
	if out, err := call(t, tools["file"], `{}`); err != nil || out.Text != "in the file" {
		t.Errorf("files: %+v, %v", out, err)
	}
	l.Fetch = fetchFunc(func(_ context.Context, r wasmtool.HTTPRequest, _ wasmtool.Policy) (wasmtool.HTTPResponse, error) {
		return wasmtool.HTTPResponse{Status: 200, Body: []byte("from " + r.URL)}, nil
	})
	var lines []string
	b, tools := bind(t, l, "servlet", wasmtool.Grants{Network: true, Hosts: []string{"example.com"}, Config: map[string]string{
		"greeting": "good day", "request": `{"url":"https://example.com/a","method":"GET"}`, "callee": "other",
	}})
	b.Listener = &listener{log: func(level, text string) { lines = append(lines, level+": "+text) }}
	if out, err := call(t, tools["config"], `{}`); err != nil || out.Text != "good day" || out.Untrusted {
		t.Errorf("config: %+v, %v", out, err)
	}
	if out, err := call(t, tools["fetch"], `{}`); err != nil || out.Text != "from https://example.com/a" || !out.Untrusted {
		t.Errorf("network: %+v, %v", out, err)
	}
	if _, err := call(t, tools["say"], `{}`); err != nil || len(lines) != 1 || lines[0] != `info: one ⏎ line \u001b[31mred` {
		t.Errorf("log: %q, %v", lines, err)
	}
	out, err := tools["back"].Call(t.Context(), tool.Call{ID: "0.1", Name: "back", Args: tool.ReadArguments([]byte(`{}`)), Host: hostFunc(
		func(_ context.Context, name string, args json.RawMessage) (tool.Output, error) {
			return tool.Output{Text: name + string(args)}, nil
		})})
	if err != nil || out.Text != `other{"n":1}` {
		t.Errorf("callback: %+v, %v", out, err)
	}
	_, tools = bind(t, l, "servlet", wasmtool.Grants{Network: true, Hosts: []string{"example.org"}, Config: map[string]string{"request": `{"url":"https://example.com/a"}`}})
	_, err = call(t, tools["fetch"], `{}`)
	wants(t, err, fault.Network, "example.com")
}

// Each call has a new instance, unless the tool is stateful; after a failure a stateful
// tool gets a new one.
func TestInstances(t *testing.T) {
	l := real(t)
	yes := true
	for _, c := range []struct {
		g    wasmtool.Grants
		want string
	}{{wasmtool.Grants{}, "1 1 1"}, {wasmtool.Grants{Stateful: &yes, Fuel: 5_000_000}, "1 2 3"}} {
		_, tools := bind(t, l, "servlet", c.g)
		var got []string
		for range 3 {
			out, err := call(t, tools["count"], `{}`)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, out.Text)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
		if c.g.Stateful == nil {
			continue
		}
		_, err := call(t, tools["spin"], `{}`)
		wants(t, err, fault.ToolFuel)
		if out, err := call(t, tools["count"], `{}`); err != nil || out.Text != "1" {
			t.Errorf("after a failure: %+v, %v", out, err)
		}
	}
}
