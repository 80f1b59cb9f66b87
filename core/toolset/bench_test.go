package toolset_test

import (
	"fmt"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
)

// Toolsets are opened for every child run, so schemas must not be inferred again.
func BenchmarkOpen(b *testing.B) {
	r := toolset.NewRegistry(toolset.Filesystem(), toolset.Workers(toolset.Delegation{Workers: delegates(new([]string))}))
	env := toolset.Env{Worker: "w", Files: sandbox.Memory()}
	for b.Loop() {
		for _, name := range r.Names() {
			if _, err := r.Open(b.Context(), name, nil, env); err != nil {
				b.Fatal(err)
			}
		}
		toolset.RequestInput()
	}
}

func BenchmarkReadFile(b *testing.B) {
	m := sandbox.Memory()
	if err := m.WriteFile("f", []byte(strings.Repeat("a line of some text in a file\n", 100_000))); err != nil {
		b.Fatal(err)
	}
	read := openFiles(b, m, 50<<10)["read_file"]
	for _, offset := range []int{1, 90_000} {
		b.Run(fmt.Sprint("from ", offset), func(b *testing.B) {
			for b.Loop() {
				if _, err := read.Call(b.Context(), tool.Call{Args: tool.ReadArguments(fmt.Appendf(nil, `{"path":"f","offset":%d}`, offset))}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Opening a child's tools is fast, because schemas are inferred only once.
func TestOpenIsCheap(t *testing.T) {
	m := sandbox.Memory()
	openFiles(t, m, 0)
	allocs := testing.AllocsPerRun(10, func() { openFiles(t, m, 0) })
	if allocs > 300 { // inferring one schema alone takes more
		t.Errorf("%v allocations", allocs)
	}
}

// A call costs what its arguments cost: they are decoded, checked, previewed and shown once.
func BenchmarkGate(b *testing.B) {
	content := strings.Repeat(`"a line" of text\n`, 1<<14)
	for name, c := range map[string]struct{ tool, args string }{
		"small": {"file_info", `{"path":"f"}`},
		"large": {"write_file", `{"path":"g","content":` + fmt.Sprintf("%q", content) + `}`},
	} {
		m := sandbox.Memory()
		if err := m.WriteFile("f", []byte("text")); err != nil {
			b.Fatal(err)
		}
		tools := openFiles(b, m, 50<<10)
		gate := approval.NewGate(approval.ApproveAll, nil)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call := tool.Call{ID: "0.1", Name: c.tool, Args: tool.ReadArguments([]byte(c.args))}
				if _, err := gate.Call(b.Context(), approval.Item{Tool: tools[c.tool], Call: call, FromModel: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
