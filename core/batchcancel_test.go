package core_test

import (
	"io/fs"
	"testing"

	"golem/core"
	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/sandbox"
	"golem/core/state"
)

// opened is the project of a plant as a person has it.
func (p *plant) opened(t *testing.T) *core.Instance {
	t.Helper()
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", Site: core.Site{TrustKey: "/plant", State: state.Memory(p.kept), Files: core.Tree{FS: p.project}},
	}, core.Options{Files: p.project, Name: "plant"})
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// clear pushes what waits, and returns how much that was.
func (p *plant) clear(t *testing.T) int {
	t.Helper()
	store := p.opened(t).Clearance()
	items, err := store.Waiting()
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if _, err := store.Push(t.Context(), it.ID, clearance.Push{}); err != nil {
			t.Fatal(err)
		}
	}
	return len(items)
}

// cancel cancels the batch, as golem batch cancel does when no golem runs it, and opens what was
// cancelled again if retry is true.
func (p *plant) cancel(t *testing.T, retry bool) (out batch.Result) {
	t.Helper()
	store := state.Memory(p.queue)
	q, err := batch.OpenLocal(&store, batch.Head{Name: "b", Key: "id"})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if _, err := q.Update(oneInput{}); err != nil { // golem may have been killed before
		t.Fatal(err)
	}
	if _, err := q.Cancel(); err != nil {
		t.Fatal(err)
	}
	if err := q.Results(func(r batch.Result) error { out = r; return nil }); err != nil {
		t.Fatal(err)
	}
	if retry {
		if _, err := q.Again(false); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestBatchCancelledBehindClearance tests, for each write at which golem is killed, that what a
// person cleared of an item stays cleared when the batch is cancelled then: the item ends once, as
// cancelled or ok, and when it is run again nothing waits twice.
func TestBatchCancelledBehindClearance(t *testing.T) {
	files := map[string]string{
		"main.worker": "---\ntoolsets: {filesystem: {}}\nsandbox:\n  mounts:\n    - {target: /, source: ., mode: rw}\n    - {target: /notes, source: notes, mode: staged}\n---\nM.\n",
		"s.yaml": `script: 1
workers:
  main:
    - when: {turn: 1}
      calls: [{tool: write_file, args: {path: notes/a.md, content: "a"}}]
    - say: done
`,
		"notes/old.md": "old",
	}
	both := 0
	for writes := int64(0); ; writes++ {
		p := newPlant(t, files)
		first := newProcess(writes)
		p.run(t, first, "")
		cleared := p.clear(t)
		r := p.cancel(t, true)
		text, err := fs.ReadFile(p.project, "notes/a.md")
		if r.Status != batch.Cancelled && r.Status != batch.OK || cleared > 1 || (err == nil && string(text) == "a") != (cleared == 1) || r.Status == batch.OK && cleared == 0 {
			t.Errorf("killed at write %d: %s, cleared %d, a.md %q", writes, r.Status, cleared, text)
		}
		if r.Status == batch.Cancelled && cleared == 1 {
			both++
		}
		r = p.run(t, newProcess(lives), "")
		again, err := p.opened(t).Clearance().Waiting()
		if err != nil || r.Status != batch.OK || len(again)+cleared != 1 {
			t.Errorf("killed at write %d, run again: %s, %d cleared and %d wait, %v", writes, r.Status, cleared, len(again), err)
		}
		if first.left.Load() >= 0 {
			break
		}
	}
	if both == 0 {
		t.Error("golem was never killed between the clearance of the item and its end")
	}
}

// TestBatchClearedThenOther tests that what an item stages when it is run again waits for a person
// if it differs from what was cleared before.
func TestBatchClearedThenOther(t *testing.T) {
	files := sandbox.Memory()
	store := state.Memory(files)
	p := newPlant(t, map[string]string{"main.worker": "---\ntoolsets: {filesystem: {}}\n---\nM.\n"})
	s := &clearance.Store{State: &store, Real: p.opened(t).Clearance().Real}
	for n, text := range []string{"a", "a", "b"} {
		b := clearance.Brought{Run: "b/x", Worker: "main", Again: n > 0, Changes: []clearance.BroughtChange{{Name: "notes/a.md", Data: []byte(text)}}}
		if err := clearance.Bring(t.Context(), s, b); err != nil {
			t.Fatal(err)
		}
		waiting, err := s.Waiting()
		if want := []int{1, 0, 1}[n]; err != nil || len(waiting) != want {
			t.Errorf("brought %q: %d wait, %v", text, len(waiting), err)
		}
		if n == 0 {
			if _, err := s.Discard(t.Context(), waiting[0].ID); err != nil {
				t.Fatal(err)
			}
		}
	}
}
