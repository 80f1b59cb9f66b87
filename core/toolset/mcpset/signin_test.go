package mcpset

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/tool"
	"golem/core/toolset"
)

// door is a session whose tools are listed for a person who has signed in.
type door struct {
	in    bool
	err   error // what the list returns otherwise
	lists int
	tools string
}

func (d *door) Request(_ context.Context, method string, _ any, _ func(mcp.Progress)) (json.RawMessage, error) {
	if method != mcp.MethodListTools {
		return json.RawMessage(`{}`), nil
	}
	if d.lists++; !d.in {
		return nil, d.err
	}
	return json.RawMessage(`{"tools":[` + d.tools + `]}`), nil
}
func (d *door) Has(what string) bool { return what == "tools" }
func (d *door) Instructions() string { return "" }
func (d *door) Close() error         { return nil }

// linked is a Link to one connection.
type linked struct {
	conn   *mcp.Connection
	warned *[]string
}

func (linked) Accepts(string, mcp.Config) error { return nil }
func (l linked) Connect(context.Context, string, mcp.Config) (*mcp.Connection, error) {
	return l.conn, nil
}
func (linked) Pin(_ context.Context, _ string, tools []mcp.Tool) ([]bool, error) {
	return slices.Repeat([]bool{true}, len(tools)), nil
}
func (l linked) Warn(w *fault.Fault) { *l.warned = append(*l.warned, w.Text()) }

// opened returns the toolset of a worker with one server, and what it warned of.
func opened(t *testing.T, d *door) (set tool.Changing, changed func(string), warned *[]string) {
	t.Helper()
	warned = &[]string{}
	host := mcp.Host{Dialer: dialer(func(told mcp.Listener) (mcp.Session, error) {
		changed = told.Changed
		return d, nil
	})}
	conn := host.Connect(mcp.Server{Name: "wiki", URL: "https://wiki.example/mcp"})
	t.Cleanup(func() { conn.Close() })
	f := Toolset(linked{conn, warned}, true)
	opts := options{"wiki": {URL: "https://wiki.example/mcp"}}
	out, err := f.Open(t.Context(), toolset.Env{Network: true}, &opts)
	if err != nil {
		t.Fatal(err)
	}
	return out.(tool.Changing), changed, warned
}

func refresh(t *testing.T, s tool.Changing, want int) (changed bool) {
	t.Helper()
	changed, err := s.Refresh(t.Context())
	if err != nil || len(s.Tools()) != want {
		t.Errorf("%v, %d tools, want %d", err, len(s.Tools()), want)
	}
	return changed
}

// A server that refuses to list its tools until the person signs in is asked again before
// each turn, and said once. After the sign-in its tools are there. It is the same when the
// sign-in ends later, while a list is read again: the tools stay until then.
func TestListAfterTheSignIn(t *testing.T) {
	d := &door{tools: `{"name":"a","inputSchema":{"type":"object"}}`,
		err: fault.New(fault.Network, "the MCP server wiki wants you to sign in").Because(mcp.ErrSignIn).Hinting("golem mcp login https://wiki.example/mcp")}
	s, changed, warned := opened(t, d)
	for range 3 {
		refresh(t, s, 0)
	}
	if len(*warned) != 1 || !strings.Contains((*warned)[0], "golem mcp login") || d.lists != 4 {
		t.Errorf("%q, asked %d times", *warned, d.lists)
	}
	d.in = true
	if !refresh(t, s, 1) || refresh(t, s, 1) || d.lists != 5 {
		t.Errorf("asked %d times", d.lists)
	}
	d.in, d.tools = false, d.tools+`,{"name":"b","inputSchema":{"type":"object"}}`
	changed("tools")
	if _, err := s.Refresh(t.Context()); !errors.Is(err, mcp.ErrSignIn) || len(s.Tools()) != 1 {
		t.Errorf("%v, %d tools", err, len(s.Tools()))
	}
	refresh(t, s, 1)
	d.in = true
	if !refresh(t, s, 2) {
		t.Error("the new tool is not there")
	}
}

// A server whose list fails for another reason is not asked before each turn, because each
// attempt may take a minute.
func TestBrokenListIsNotAskedAgain(t *testing.T) {
	d := &door{err: fault.New(fault.Timeout, "too slow")}
	s, _, warned := opened(t, d)
	refresh(t, s, 0)
	refresh(t, s, 0)
	if d.lists != 1 || len(*warned) != 1 {
		t.Errorf("asked %d times, warned %q", d.lists, *warned)
	}
}

// dialer is a Dialer.
type dialer func(told mcp.Listener) (mcp.Session, error)

func (d dialer) Dial(_ context.Context, _ mcp.Server, told mcp.Listener) (mcp.Session, error) {
	return d(told)
}
