package mcpserve

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

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
