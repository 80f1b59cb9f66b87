package toolset_test

import (
	"fmt"
	"strings"
	"testing"

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
				if _, err := read.Call(b.Context(), tool.Call{Args: fmt.Appendf(nil, `{"path":"f","offset":%d}`, offset)}); err != nil {
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
