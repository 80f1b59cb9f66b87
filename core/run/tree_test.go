package run

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/sandbox"
)

// opens opens the model that a function returns, whatever its name.
type opens func() model.Model

func (o opens) Open(context.Context, *project.Worker) (model.Model, error) { return o(), nil }

func (opens) Beginnings() []string { return []string{"test"} }

// mounts opens the directory that a function returns, whatever its name.
type mounts func() sandbox.FS

func (m mounts) Mount(string) (sandbox.FS, error) { return m(), nil }

// While a model or a mount is opened, which may take long, the rest of the tree
// continues. Who waits for the same one stops when its own context ends, and each is
// opened once.
func TestOpeningHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var opened atomic.Int32
		r := &Runner{
			Models: opens(func() model.Model {
				opened.Add(1)
				<-release
				return nil
			}),
			Files: mounts(func() sandbox.FS {
				opened.Add(1)
				<-release
				return sandbox.Memory()
			}),
		}
		tr := newTree(r, nil, false)
		w := &project.Worker{Model: "replay:big.jsonl"}
		var first, second error
		go func() { _, first = tr.models.shared(t.Context(), w, nil) }()
		go func() { _, _ = tr.viewer.files.source(t.Context(), ".") }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		ended := false
		go func() {
			_, second = tr.models.shared(ctx, w, nil)
			ended = true
		}()
		others := false
		go func() {
			tr.tally.deny(Denial{ID: "0.1"})
			others = !tr.taint.is.Load() && len(tr.tally.denied) == 1
		}()
		synctest.Wait()
		if !others || ended {
			t.Fatalf("others went on: %v; the second had the model: %v", others, ended)
		}
		cancel()
		synctest.Wait()
		if !ended || !errors.Is(second, fault.Interrupted) {
			t.Fatalf("who waits for a model is not stopped: %v, %v", ended, second)
		}
		close(release)
		synctest.Wait()
		if _, err := tr.models.shared(t.Context(), w, nil); err != nil || first != nil || opened.Load() != 2 {
			t.Fatalf("%v, %v, opened %d times", err, first, opened.Load())
		}
	})
}
