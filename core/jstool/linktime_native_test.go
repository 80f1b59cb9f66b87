//go:build !js

package jstool_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"golem/core/fault"
	"golem/core/jstool"
	"golem/core/jstool/embedded"
)

// slowLinker is a machine whose linker needs two seconds for each import, which lie behind one
// another without an end.
type slowLinker struct {
	tree  fstest.MapFS
	links atomic.Int64
}

func (s *slowLinker) Ungranted(ctx context.Context, _ []byte, _ string, _ []byte, answer jstool.Answering) ([]byte, error) {
	s.links.Add(1)
	for n := 0; ; n++ {
		name := fmt.Sprintf("f%d.js", n)
		s.tree[name] = s.tree["t.js"]
		answer(ctx, "read", fmt.Appendf(nil, `{"names": [%q]}`, name))
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (*slowLinker) Kept(string) ([]byte, bool) { return nil, false }
func (*slowLinker) Keep(string, []byte)        {}

func newSlowLinker() *slowLinker {
	return &slowLinker{tree: fstest.MapFS{"t.js": &fstest.MapFile{Data: []byte("import './f1.js'")}}}
}

func endedLate(t *testing.T, err error) {
	t.Helper()
	if f := fault.Of(err, ""); err == nil || f.Code != fault.Timeout || f.Where == nil || f.Where.File != "tools/t.js" {
		t.Errorf("linking ended with %v", err)
	}
}

// A source whose linker takes its time ends with a code and not after half an hour.
func TestLinkingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlowLinker()
		before := time.Now()
		_, err := embedded.Engine().Link(t.Context(), s.Ungranted, "tools/t.js", s.tree)
		endedLate(t, err)
		if took := time.Since(before); took > 31*time.Second {
			t.Errorf("linking took %v", took)
		}
	})
}

// What took too long is not begun again at once, although several parts of golem need the same
// tool; but it is later, and after the source has changed.
func TestLinkingThatTookTooLongIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, linking := newSlowLinker(), &jstool.Linking{}
		link := func() {
			t.Helper()
			_, err := linking.Link(t.Context(), embedded.Engines{}, s, "tools/t.js", s.tree)
			endedLate(t, err)
		}
		for range 3 {
			link()
		}
		if n := s.links.Load(); n != 1 {
			t.Errorf("the source was linked %d times", n)
		}
		time.Sleep(time.Minute)
		link()
		s.tree["t.js"] = &fstest.MapFile{Data: []byte("import './f2.js'")}
		link()
		if n := s.links.Load(); n != 3 {
			t.Errorf("later, the source was linked %d times, want 3", n)
		}
	})
}
