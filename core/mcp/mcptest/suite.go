package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/mcp"
)

// Suite tests that a session behaves as core/mcp requires, over any transport, with a
// server that begins with a handshake and with one that does not. connect returns a
// connection to the server s; Suite closes it.
func Suite(t *testing.T, connect func(t *testing.T, s *Server) *mcp.Connection) {
	t.Run("versions", func(t *testing.T) { versions(t, connect) })
	for _, revision := range []string{"", mcp.Stateless} {
		t.Run("revision "+revision, func(t *testing.T) {
			suite(t, func(t *testing.T, s *Server) *mcp.Connection {
				s.Version = revision
				return connect(t, s)
			})
		})
	}
}

func suite(t *testing.T, connect opener) {
	open := func(t *testing.T, s *Server) *mcp.Connection {
		t.Helper()
		c := connect(t, s)
		t.Cleanup(func() {
			if err := c.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
		if err := c.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		return c
	}
	t.Run("lists and calls", func(t *testing.T) { listsAndCalls(t, open) })
	t.Run("contents", func(t *testing.T) { contents(t, open) })
	t.Run("progress", func(t *testing.T) { progress(t, open) })
	t.Run("cancels", func(t *testing.T) { cancels(t, open) })
	t.Run("changes", func(t *testing.T) { changes(t, open) })
	t.Run("begins again", func(t *testing.T) { beginsAgain(t, open) })
	t.Run("resources and prompts", func(t *testing.T) { resourcesAndPrompts(t, open) })
	t.Run("lists", func(t *testing.T) { lists(t, open) })
	t.Run("hostile", func(t *testing.T) { hostile(t, open) })
	t.Run("too large", func(t *testing.T) { tooLarge(t, open) })
	t.Run("decoration", func(t *testing.T) { decoration(t, open) })
	t.Run("words", func(t *testing.T) { words(t, open) })
}

type opener func(t *testing.T, s *Server) *mcp.Connection

func all(string) bool { return true }

func text(t *testing.T, c *mcp.Connection, tool string) string {
	t.Helper()
	out, err := c.Client().Call(t.Context(), tool, json.RawMessage(`{"a":1}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !out.Untrusted {
		t.Errorf("what %s returned is taken as trusted", tool)
	}
	return out.Text
}

// listsAndCalls tests that the pages of a list are joined and that the filter is called for
// each name.
func listsAndCalls(t *testing.T, open opener) {
	for _, stream := range []bool{false, true} {
		c := open(t, &Server{Session: "s1", Stream: stream, Page: 1, Tools: []Tool{
			{Name: "one", Description: "first\u202etool", Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer","description":"hidden\u200b \\u200b"}}}`)}, {Name: "no"}, {Name: "two"},
		}})
		tools, warnings, err := c.Client().Tools(t.Context(), func(name string) bool { return name != "no" })
		if err != nil || len(warnings) > 0 || len(tools) != 2 || tools[0].Name != "one" || tools[1].Name != "two" {
			t.Fatalf("%v %v %v", tools, warnings, err)
		}
		if tools[0].Description != `first\u202etool` || strings.ContainsRune(string(tools[0].Input), '\u200b') || strings.Contains(string(tools[0].Input), ` \u200b`) {
			t.Errorf("hidden characters are left: %q %s", tools[0].Description, tools[0].Input)
		}
		if got := text(t, c, "two"); got != `two {"a":1}` {
			t.Errorf("stream %v: %q", stream, got)
		}
	}
}

func contents(t *testing.T, open opener) {
	c := open(t, &Server{Tools: []Tool{
		{Name: "image", Returns: json.RawMessage(`{"content":[{"type":"text","text":"a"},{"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"resource_link","uri":"file:///x","name":"x"},{"type":"resource","resource":{"uri":"file:///d/y.txt","text":"inside"}}]}`)},
		{Name: "structured", Returns: json.RawMessage(`{"content":[{"type":"text","text":"{}"}],"structuredContent":{"b":2,"a":[1]}}`)},
		{Name: "fails", Returns: json.RawMessage(`{"content":[{"type":"text","text":"no\u001b[31m luck"}],"isError":true}`)},
		{Name: "refuses", Error: "not today"},
	}})
	out, err := c.Client().Call(t.Context(), "image", nil, nil)
	if err != nil || out.Text != "a\n[resource x file:///x]\ninside" || len(out.Parts) != 1 || string(out.Parts[0].Data) != "hi" || out.Parts[0].Type != "image" {
		t.Errorf("%+v %v", out, err)
	}
	if out, err = c.Client().Call(t.Context(), "structured", nil, nil); err != nil || string(out.Data) != `{"a":[1],"b":2}` || out.Kind != "json" {
		t.Errorf("%+v %v", out, err)
	}
	for name, want := range map[string]string{"fails": `no\u001b[31m luck`, "refuses": "not today", "missing": "there is no tool missing"} {
		out, err := c.Client().Call(t.Context(), name, json.RawMessage(`{}`), nil)
		if !errors.Is(err, fault.Tool) || !strings.Contains(err.Error(), want) || !out.Untrusted {
			t.Errorf("%s: %v, untrusted %v", name, err, out.Untrusted)
		}
	}
}

// progress tests that progress is reported while a call runs. The call here does not end by
// itself, because progress at the end of a call may be lost.
func progress(t *testing.T, open opener) {
	c := open(t, &Server{Stream: true, Tools: []Tool{{Name: "slow", Progress: []string{"one", "two"}, Hang: true}}})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	heard := make(chan string, 2)
	go func() {
		defer stop()
		for _, want := range []string{"1/2 one", "2/2 two"} {
			select {
			case got := <-heard:
				if got != want {
					t.Errorf("%q, want %q", got, want)
				}
			case <-t.Context().Done():
				return
			}
		}
	}()
	_, err := c.Client().Call(ctx, "slow", json.RawMessage(`{}`), func(p mcp.Progress) {
		heard <- fmt.Sprintf("%g/%g %s", p.Done, p.Total, p.Message)
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// cancels tests that the server is told that a call is cancelled if its context ends.
func cancels(t *testing.T, open opener) {
	for _, stream := range []bool{false, true} {
		cancelled := make(chan struct{})
		c := open(t, &Server{Stream: stream, Cancel: cancelled, Tools: []Tool{{Name: "hangs", Hang: true, Progress: []string{"begun"}}}})
		why := fault.New(fault.Timeout, "out of time")
		ctx, stop := context.WithCancelCause(t.Context())
		if stream {
			_, err := c.Client().Call(ctx, "hangs", json.RawMessage(`{}`), func(mcp.Progress) { stop(why) })
			if !errors.Is(err, fault.Timeout) {
				t.Errorf("stream: %v", err)
			}
		} else {
			stop(why)
			if _, err := c.Client().Call(ctx, "hangs", json.RawMessage(`{}`), nil); !errors.Is(err, fault.Timeout) {
				t.Errorf("no stream: %v", err)
			}
			continue
		}
		<-cancelled
	}
}

func changes(t *testing.T, open opener) {
	c := open(t, &Server{Stream: true, Tools: []Tool{{Name: "old", Changes: true}}, Changed: []Tool{{Name: "new"}}})
	if _, err := c.Client().Call(t.Context(), "old", json.RawMessage(`{}`), func(mcp.Progress) {}); err != nil {
		t.Fatal(err)
	}
	for c.Changes() == 0 {
		if _, _, err := c.Client().Tools(t.Context(), all); err != nil {
			t.Fatal(err)
		}
	}
	tools, _, err := c.Client().Tools(t.Context(), all)
	if err != nil || len(tools) != 1 || tools[0].Name != "new" {
		t.Errorf("%v %v", tools, err)
	}
}

// beginsAgain tests that a later request reaches a server again after it or its session ended.
// Has keeps its answers meanwhile, so that the server does not seem to have no tools.
func beginsAgain(t *testing.T, open opener) {
	s := &Server{Session: "s", Tools: []Tool{{Name: "dies", Dies: true}, {Name: "works"}}}
	c := open(t, s)
	if _, err := c.Client().Call(t.Context(), "dies", json.RawMessage(`{}`), nil); err == nil {
		t.Error("a server that ended answered")
	}
	var err error
	for range 3 { // the first requests may be the ones that notice the broken session
		var tools []mcp.Tool
		if tools, _, err = c.Client().Tools(t.Context(), all); err == nil && len(tools) != 2 {
			t.Errorf("its tools are %v, without an error", tools)
		}
		if !c.Has("tools") || c.Has("prompts") {
			t.Error("what it has is forgotten")
		}
		if _, err = c.Client().Call(t.Context(), "works", json.RawMessage(`{}`), nil); err == nil {
			break
		}
	}
	if err != nil {
		t.Errorf("it is not reached again: %v", err)
	}
	if c.Changes() == 0 && s.Version != mcp.Stateless {
		t.Error("a new session does not count as a change of what the server offers")
	}
}

func resourcesAndPrompts(t *testing.T, open opener) {
	c := open(t, &Server{
		Resources: []map[string]any{{"uri": "file:///a.txt", "name": "a", "mimeType": "text/plain", "text": "A text"}, {"uri": "file:///b.png", "name": "b", "mimeType": "image/png", "blob": "aGk="}},
		Prompts:   []map[string]any{{"name": "greet", "arguments": []any{map[string]any{"name": "who"}}, "messages": []any{map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": "Say hello"}}}}},
	})
	list, err := c.Client().Resources(t.Context())
	if err != nil || len(list) != 2 || list[1].URI != "file:///b.png" {
		t.Errorf("%v %v", list, err)
	}
	out, err := c.Client().Read(t.Context(), "file:///a.txt")
	if err != nil || out.Text != "A text" || !out.Untrusted {
		t.Errorf("%+v %v", out, err)
	}
	if out, err = c.Client().Read(t.Context(), "file:///b.png"); err != nil || len(out.Parts) != 1 || out.Parts[0].Name != "b.png" || string(out.Parts[0].Data) != "hi" {
		t.Errorf("%+v %v", out, err)
	}
	prompts, err := c.Client().Prompts(t.Context())
	if err != nil || len(prompts) != 1 || prompts[0].Arguments[0].Name != "who" {
		t.Errorf("%v %v", prompts, err)
	}
	if out, err = c.Client().Prompt(t.Context(), "greet", map[string]string{"who": "x"}); err != nil || out.Text != "Say hello" {
		t.Errorf("%+v %v", out, err)
	}
}

// hostile tests that answers which are too long or not valid become faults with a code, or are
// cut with a warning.
func hostile(t *testing.T, open opener) {
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 300) + `{}` + strings.Repeat(`}}`, 300)
	c := open(t, &Server{Page: 500, Many: 3000, Tools: []Tool{
		{Name: "read_f\u0456le"}, {Name: "ok"}, {Name: "OK"}, {Name: "deep", Input: json.RawMessage(deep)}, {Name: "wrong", Input: json.RawMessage(`{"type":5}`)},
		{Name: "far", Input: json.RawMessage(`{"$ref":"https://example.com/s.json"}`)}, {Name: "endless", Endless: true},
	}})
	tools, warnings, err := c.Client().Tools(t.Context(), all)
	if err != nil || len(tools) != 1000 || tools[0].Name != "ok" || tools[1].Name != "endless" {
		t.Fatalf("%d tools, the first %v, %v", len(tools), tools[:min(2, len(tools))], err)
	}
	for _, want := range []string{"letters, digits", "two tools named OK", "the tool deep", "the tool wrong", "the tool far", "more tools than can be used"} {
		if !strings.Contains(warnings.Error(), want) {
			t.Errorf("no warning says %q: %v", want, warnings)
		}
	}
	if _, err := c.Client().Call(t.Context(), "endless", json.RawMessage(`{}`), nil); err == nil {
		t.Error("an endless result was taken")
	}
	for what, raw := range map[string]string{
		"not a list": `{"tools":{}}`, "the same page for ever": `{"tools":[],"nextCursor":"x"}`, "a number for a cursor": `{"tools":[],"nextCursor":5}`,
	} {
		c := open(t, &Server{Raw: map[string]json.RawMessage{"tools/list": json.RawMessage(raw)}})
		var f *fault.Fault
		if _, _, err := c.Client().Tools(t.Context(), all); !errors.As(err, &f) || strings.Contains(err.Error(), "Go ") || f.Code == fault.Tool && !strings.Contains(err.Error(), "sent a list of tools that golem cannot read") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// tooLarge tests that a message above the limit is an error that names the server and the
// limit, whatever golem asked for.
func tooLarge(t *testing.T, open opener) {
	for _, stream := range []bool{false, true} {
		c := open(t, &Server{Stream: stream, Tools: []Tool{{Name: "big", Endless: true}}})
		_, called := c.Client().Call(t.Context(), "big", json.RawMessage(`{}`), nil)
		_, _, listed := open(t, &Server{Stream: stream, Endless: true, Tools: []Tool{{Name: "big"}}}).Client().Tools(t.Context(), all)
		for _, err := range []error{called, listed} {
			if !errors.Is(err, fault.Limit) || !strings.Contains(err.Error(), "the MCP server scripted sent a message of more than 8388608 bytes") {
				t.Errorf("stream %v: %v", stream, err)
			}
		}
	}
}

// lists tests that the readable part of a list of tools is used: a schema that the SDK cannot
// decode affects only its own tool, and the first pages of an endless list are used.
func lists(t *testing.T, open opener) {
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 1500) + `{}` + strings.Repeat(`}}`, 1500)
	for want, s := range map[string]*Server{
		"the tool deep with a schema that cannot be used": {Tools: []Tool{{Name: "deep", Input: json.RawMessage(deep)}, {Name: "ok"}}},
		"a list of tools with more than 200 pages":        {Page: 1, Many: 250},
	} {
		for _, s.Stream = range []bool{false, true} {
			c := open(t, s)
			tools, warnings, err := c.Client().Tools(t.Context(), all)
			if err != nil || len(tools) != max(1, s.Many-50) || len(warnings) != 1 || !strings.Contains(warnings.Error(), want) {
				t.Errorf("%s: %d tools, %v, %v", want, len(tools), warnings, err)
			}
		}
	}
	c := open(t, &Server{Tools: []Tool{{Name: "dies", Dies: true}}})
	if _, err := c.Client().Call(t.Context(), "dies", json.RawMessage(`{}`), nil); err == nil || strings.Contains(err.Error(), "EOF") || strings.Contains(err.Error(), "calling") {
		t.Error(err)
	}
}

// decoration tests that what golem does not need may have any form, and costs no other
// tool.
func decoration(t *testing.T, open opener) {
	c := open(t, &Server{Raw: map[string]json.RawMessage{"tools/list": json.RawMessage(`{"tools":[
		{"name":"icons","inputSchema":{"type":"object"},"icons":[{"src":"https://x/i.png","sizes":"48x48"}],"annotations":{"readOnlyHint":"true"},"title":7,"_meta":[]},
		{"name":"described","inputSchema":{"type":"object"},"description":["a"]},
		{"name":"unchecked","inputSchema":{"type":"object"},"outputSchema":{"type":5}},
		{"name":7,"inputSchema":{"type":"object"}}, 5, null,
		{"name":"email","inputSchema":{"type":"object","properties":{"pattern":{"type":"string","pattern":"^(?!\\.)[a-z]+$"},"q":{"type":"string","pattern":"^[\\p{L}\\p{Script=Greek}]+$"},"r":{"type":"string","pattern":"^a$"}}}}
	]}`)}})
	tools, warnings, err := c.Client().Tools(t.Context(), all)
	var names []string
	for _, one := range tools {
		names = append(names, one.Name)
	}
	if err != nil || strings.Join(names, " ") != "icons described unchecked email" || len(warnings) != 4 {
		t.Fatalf("%v, %v, %v", names, warnings, err)
	}
	if got := string(tools[3].Input); strings.Contains(got, "(?!") || strings.Contains(got, "Greek") || !strings.Contains(got, `"pattern":"^a$"`) || strings.Count(got, "pattern") != 2 {
		t.Error(got)
	}
}

// words tests that the server's instructions are kept, and that a server which announces
// nothing has nothing.
func words(t *testing.T, open opener) {
	c := open(t, &Server{Instructions: "Call a before b.", Has: map[string]any{}, Tools: []Tool{{Name: "a"}}})
	if c.Instructions() != "Call a before b." || c.Has("tools") {
		t.Errorf("%q, tools %v", c.Instructions(), c.Has("tools"))
	}
}

// versions tests that the protocol version is negotiated: older versions are accepted, an
// unknown one is refused.
func versions(t *testing.T, connect opener) {
	for version, ok := range map[string]bool{"2025-11-25": true, "2025-06-18": true, "2025-03-26": true, "2024-11-05": true, mcp.Stateless: true, "1999-01-01": false} {
		c := connect(t, &Server{Version: version, Tools: []Tool{{Name: "a"}}})
		err := c.Open(t.Context())
		var f *fault.Fault
		if ok != (err == nil) || err != nil && !errors.As(err, &f) {
			t.Errorf("%s: %v", version, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
