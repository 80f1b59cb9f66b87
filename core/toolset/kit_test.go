package toolset_test

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
)

// gated runs calls as a session does: through the gate.
type gated struct {
	t     *testing.T
	gate  *approval.Gate
	tools map[string]tool.Tool
	n     int
}

func (k *kit) gated(mode approval.Mode, a approval.Approver) *gated {
	return &gated{t: k.t, gate: approval.NewGate(mode, a), tools: k.tools}
}

func (g *gated) call(name, args string) (tool.Output, error) {
	g.n++
	return g.gate.Call(g.t.Context(), approval.Item{
		Tool: g.tools[name], FromModel: true, WorkerPath: []string{"main"},
		Call: tool.Call{ID: fmt.Sprint("0.", g.n), Name: name, Args: tool.ReadArguments([]byte(args))},
	})
}

// person says yes to every request, and records the requests.
type person struct {
	asked []approval.Request
	first func() // runs before the first answer
}

func (p *person) Approve(_ context.Context, r approval.Request) (approval.Decision, error) {
	p.asked = append(p.asked, r)
	if p.first != nil {
		p.first()
	}
	return approval.Decision{ID: r.ID, Answer: approval.Yes}, nil
}

// openFiles opens the filesystem toolset on any file system.
func openFiles(t testing.TB, files sandbox.FS, limit int) map[string]tool.Tool {
	t.Helper()
	set, err := toolset.NewRegistry(toolset.Filesystem()).Open(t.Context(), "filesystem", nil, toolset.Env{
		Worker: "main", Files: files, OutputLimit: limit,
	})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]tool.Tool{}
	for _, tl := range set.Tools() {
		out[tl.Spec().Name] = tl
	}
	return out
}

var hunk = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// patch applies a unified diff to a text, as the program patch does.
func patch(t *testing.T, old, diff string) string {
	t.Helper()
	var out []string
	have := splitLines(old)
	at := 0
	lines := splitLines(diff)
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if m := hunk.FindStringSubmatch(l); m != nil {
			start, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			if m[2] != "0" {
				start-- // a hunk that removes no lines has the position of the line before it
			}
			out = append(out, have[at:start]...)
			at = start
			continue
		}
		if strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "+++ ") {
			continue
		}
		body := l[1:]
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], `\ No newline`) {
			body = strings.TrimSuffix(body, "\n")
		}
		switch l[0] {
		case ' ', '-':
			if at >= len(have) || have[at] != body {
				t.Fatalf("the diff does not fit at line %d: %q", at+1, l)
			}
			if l[0] == ' ' {
				out = append(out, body)
			}
			at++
		case '+':
			out = append(out, body)
		}
	}
	return strings.Join(append(out, have[at:]...), "")
}

func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// there reports whether a path exists.
func (k *kit) there(name string) bool {
	_, err := fs.Stat(k.files, name)
	return err == nil
}
