package project

import (
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func manyWorkers(n int) fstest.MapFS {
	files := tree("-- main.worker --\ninstructions: a\n")
	for i := range n {
		files[fmt.Sprintf("workers/group%d/w%d.worker", i%50, i)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"---\ndescription: worker %d\ntoolsets: {filesystem: {}}\nallow_workers: [group%d/w%d]\ninput_schema: {type: object, properties: {n: {type: integer}}}\n---\nDo it.\n", i, (i+1)%50, (i+1)%n)}
	}
	return files
}

// counted is a file system that counts how often it is used.
type counted struct {
	fstest.MapFS
	opens, stats int
}

func (c *counted) Open(name string) (fs.File, error)      { c.opens++; return c.MapFS.Open(name) }
func (c *counted) Stat(name string) (fs.FileInfo, error)  { c.stats++; return c.MapFS.Stat(name) }
func (c *counted) Lstat(name string) (fs.FileInfo, error) { c.stats++; return c.MapFS.Lstat(name) }
func (c *counted) ReadDir(name string) ([]fs.DirEntry, error) {
	c.opens++
	return c.MapFS.ReadDir(name)
}

func TestOneWorkerOfManyReadsNoOther(t *testing.T) {
	few, many := &counted{MapFS: manyWorkers(5)}, &counted{MapFS: manyWorkers(5000)}
	for _, files := range []*counted{few, many} {
		s := demo("")
		s.FS = files
		w := worker(t, s, "group1/w1")
		if w.Description != "worker 1" {
			t.Errorf("%+v", w)
		}
	}
	if few.opens != many.opens || few.stats != many.stats {
		t.Errorf("5 workers: %d opens, %d stats; 5000: %d, %d", few.opens, few.stats, many.opens, many.stats)
	}
}

// Listing many workers looks at each file as often as listing few does, and
// reads no more memory for each.
func TestManyWorkersAreListedInLinearWork(t *testing.T) {
	list := func(n int) (files *counted, bytes uint64) {
		files = &counted{MapFS: manyWorkers(n)}
		s := demo("")
		s.FS = files
		p := open(t, s)
		bytes = allocated(func() {
			rows, faults := p.Workers.List()
			if len(rows) != n+1 || len(faults) > 0 {
				t.Fatalf("%d rows, %v", len(rows), faults)
			}
			if !slices.IsSortedFunc(rows, func(a, b Listing) int { return strings.Compare(a.ID, b.ID) }) {
				t.Error("not in order")
			}
		})
		return files, bytes
	}
	few, fewBytes := list(500)
	many, manyBytes := list(5000)
	if many.opens > 10*few.opens || many.stats > 10*few.stats || manyBytes > 12*fewBytes {
		t.Errorf("500 workers: %d opens, %d stats, %d bytes; 5000: %d, %d, %d", few.opens, few.stats, fewBytes, many.opens, many.stats, manyBytes)
	}
}

// allocated returns how many bytes a step allocates: a measure of its work that does
// not depend on the machine.
func allocated(step func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	step()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func BenchmarkList5000(b *testing.B) {
	s := demo("")
	s.FS = manyWorkers(5000)
	for b.Loop() {
		p, _ := Load(s)
		p.Workers.List()
	}
}

func BenchmarkCheck5000(b *testing.B) {
	s := demo("")
	s.FS = manyWorkers(5000)
	for b.Loop() {
		p, _ := Load(s)
		Check(p, "")
	}
}
