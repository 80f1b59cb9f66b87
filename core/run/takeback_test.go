package run

import (
	"context"
	"strings"
	"testing"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/sandbox"
	"golem/core/state"
)

// picky is a model that does not take what the first message has attached. It stores its
// requests.
type picky struct{ sent [][]model.Message }

func (p *picky) Name() string { return "test:picky" }

func (p *picky) Generate(_ context.Context, r model.Request, _ func(model.Delta)) (model.Turn, error) {
	p.sent = append(p.sent, r.Messages)
	if len(p.sent) == 1 {
		return model.Turn{}, fault.New(fault.Attachment, "it does not accept PDF files")
	}
	return model.Turn{Text: "done", Finish: "stop", Attempts: 1}, nil
}

// After a first message that the model did not take, the next one is the first: it makes
// the system prompt, and what is pending is told again with it.
func TestTheMessageAfterARejectedOneIsTheFirst(t *testing.T) {
	files, kept := sandbox.Memory(), state.Memory(sandbox.Memory())
	for name, text := range map[string]string{"main.worker": "---\nmodel: test:picky\n---\nAbout {{ input }}.\n", "a.md": "a"} {
		if err := files.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	store := &clearance.Store{State: &kept, Real: realFiles{files}}
	work := &clearance.Work{Store: store, Run: "earlier", Root: ".", Host: &stagingHost{schedule: &schedule{}}}
	for _, message := range []string{"waits", "is decided"} {
		if _, err := work.Commit(t.Context(), []clearance.File{{Source: ".", Path: "a.md", Read: func() ([]byte, error) { return []byte("b"), nil }}}, message, ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Discard(t.Context(), "2"); err != nil { // the root is told so in a note
		t.Fatal(err)
	}
	m := &picky{}
	s := resumable(t, m, files)
	s.tree.staging.store = store
	if res := s.Send(t.Context(), Input{Text: "alpha"}); res.Status != Failed {
		t.Fatal(res.Status)
	}
	if res := s.Send(t.Context(), Input{Text: "beta"}); res.Status != OK {
		t.Fatal(res.Error)
	}
	if first, next := len(m.sent[0]), m.sent[1]; first != 4 || len(next) != 3 || !strings.Contains(next[0].Text, "About beta") ||
		!strings.Contains(next[1].Text, "1 item(s) pending clearance]\n1 waits") || next[2].Text != "beta" {
		t.Errorf("after a request of %d messages it is sent %+v", first, next)
	}
}

// realFiles has one tree for every source, and no repository.
type realFiles struct{ sandbox.FS }

func (r realFiles) Mount(string) (sandbox.FS, error) { return r.FS, nil }

func (realFiles) Branch(clearance.Target) (clearance.Branch, error) { return nil, clearance.ErrNoGit }

func (realFiles) Guard(string) (bool, error) { return false, nil }
