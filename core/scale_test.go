package core_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"golem/core"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/trace"
	"golem/core/ui"
)

// counting is a file system that counts its operations.
type counting struct {
	sandbox.FS
	mu     sync.Mutex
	opened map[string]int // how often each file or directory was opened, by name
	asked  int            // number of all operations: Open, ReadDir, Stat
}

func (c *counting) note(name string, opened bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if opened {
		c.opened[name]++
	}
}

func (c *counting) Open(name string) (fs.File, error) {
	c.note(name, true)
	return c.FS.Open(name)
}

func (c *counting) ReadDir(name string) ([]fs.DirEntry, error) {
	c.note(name, true)
	return fs.ReadDir(c.FS, name)
}

func (c *counting) Stat(name string) (fs.FileInfo, error) {
	c.note(name, false)
	return fs.Stat(c.FS, name)
}

// many returns a project of n workers, each of which may call the next.
func many(t testing.TB, n int, main string) *counting {
	t.Helper()
	tree := sandbox.Memory()
	put := func(name, text string) {
		if err := tree.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	put("project.yaml", "model: script:s.yaml\ntoolsets: {filesystem: {}}\napproval: {tools: {write_file: ask, worker.call: preApproved, w0007: ask}, rules: [{tool: delete_file, decide: blocked}]}\n")
	put("main.worker", main)
	put("workers/child.worker", "---\ntoolsets: {filesystem: false}\n---\nC.\n")
	put(fmt.Sprintf("workers/w%04d.worker", n), "---\n---\nThe last.\n")
	for i := range n {
		put(fmt.Sprintf("workers/w%04d.worker", i), fmt.Sprintf("---\ndescription: Number %d.\nallow_workers: [w%04d]\n---\nW.\n", i, min(i+1, n)))
	}
	call := "{tool: child, args: {input: x}}"
	put("s.yaml", "script: 1\nworkers:\n  main:\n    - calls: ["+strings.TrimSuffix(strings.Repeat(call+", ", 10), ", ")+"]\n    - say: done\n  child:\n    - say: ok\n")
	return &counting{FS: tree, opened: map[string]int{}}
}

func openMany(t testing.TB, tree *counting) *core.Instance {
	t.Helper()
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test",
		Site: core.Site{Files: core.Tree{FS: tree.FS}},
	}, core.Options{Files: tree, Name: "many"})
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// SPEC §2: running never scans, even if a setting names a tool that the running worker does not
// have. This is normal, because a manifest has the settings for all workers.
func TestARunOpensItsClosureAlone(t *testing.T) {
	tree := many(t, 2000, "---\nallow_workers: [child]\n---\nM.\n")
	var file bytes.Buffer
	res := openMany(t, tree).Run(t.Context(), run.Input{Text: "go"}, &ui.Script{}, core.RunOptions{Trace: &file})
	if res.Output.Text != "done" {
		t.Fatal(res.Error)
	}
	for name, times := range tree.opened {
		switch {
		case strings.HasPrefix(name, "workers/w"), name == "workers", name == ".":
			t.Errorf("%s was opened %d times", name, times)
		case strings.HasSuffix(name, ".worker") && times > 1:
			t.Errorf("%s was opened %d times, once is enough", name, times)
		}
	}
	_, events, err := trace.Read(&file, nil)
	if err != nil {
		t.Fatal(err)
	}
	end, _ := events[len(events)-1].Body.(trace.RunEnd)
	if got := strings.Join(end.Opened, " "); got != "main.worker project.yaml workers/child.worker" {
		t.Errorf("the trace says that %s were opened", got)
	}
}

// Check loads each worker once, and the number of file operations grows linearly with the number
// of workers.
func TestCheckIsLinear(t *testing.T) {
	questions := func(n int) int {
		tree := many(t, n, "---\nallow_workers: '*'\n---\nM.\n")
		inst := openMany(t, tree)
		for _, f := range inst.Check("") {
			t.Error(f)
		}
		for name, times := range tree.opened {
			if strings.HasSuffix(name, ".worker") && times != 1 {
				t.Fatalf("%s was opened %d times", name, times)
			}
		}
		return tree.asked
	}
	few, more := questions(100), questions(200)
	if per := (more - few) / 100; more-few > few || per > 50 {
		t.Errorf("100 workers take %d questions to the file system, 200 take %d", few, more)
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{100, 200, 400, 800} {
		tree := many(b, n, "---\nallow_workers: '*'\n---\nM.\n")
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if faults := openMany(b, tree).Check(""); len(faults) > 0 {
					b.Fatal(faults)
				}
			}
		})
	}
}
