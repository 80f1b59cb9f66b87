package conversation_test

import (
	"fmt"
	"io/fs"
	"sync/atomic"
	"testing"

	"golem/core/conversation"
	"golem/core/sandbox"
	"golem/core/state"
)

// counting is a file system that counts the files that are opened.
type counting struct {
	sandbox.FS
	opened atomic.Int64
}

func (c *counting) Open(name string) (fs.File, error) {
	c.opened.Add(1)
	return c.FS.Open(name)
}

func (c *counting) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(c.FS, name) }

// In a page, opening a file takes a millisecond, so a message must not open all conversations
// that were kept before.
func TestNewConversationOpensFewOfTheKept(t *testing.T) {
	files := &counting{FS: sandbox.Memory()}
	s := state.Memory(files)
	began := func(n int) int64 {
		before := files.opened.Load()
		keep(&s, fmt.Sprintf("2026%04d", n))
		return files.opened.Load() - before
	}
	for n := range 50 {
		began(n)
	}
	few := began(50)
	for n := range conversation.KeptCount {
		began(100 + n)
	}
	if many := began(999); many > few+4 { // more, because one is removed
		t.Errorf("a conversation beside %d others opens %d files, beside 50 it is %d", conversation.KeptCount, many, few)
	}
	if n := len(conversation.List(&s)); n != conversation.KeptCount {
		t.Errorf("%d are kept", n)
	}
}

// Branches opens only the conversations of one family, and says the same when the order notes
// nothing of where they branch off.
func TestBranchesOpensOneFamily(t *testing.T) {
	files := &counting{FS: sandbox.Memory()}
	s := state.Memory(files)
	keep(&s, "root")
	for n := range 30 {
		keep(&s, fmt.Sprintf("other%02d", n))
	}
	branch := func(of, id string, at int) {
		k, err := conversation.Read(&s, of)
		if err != nil {
			t.Fatal(err)
		}
		j, _, err := conversation.Branch(&s, nil, k, at, id)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			j.Add(conversation.Entry{T: conversation.InputEntry, Input: &conversation.Input{Text: id}})
		}
		j.Flush()
		j.Close()
	}
	branch("root", "a", 1)
	branch("a", "b", 2)
	branch("a", "c", 1)
	branch("root", "d", 1)
	if err := conversation.Remove(&s, "a"); err != nil { // b and c stay relatives
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, id := range []string{"root", "b", "c", "d", "other07"} {
		before := files.opened.Load()
		want[id] = fmt.Sprint(conversation.Branches(&s, id))
		if n := files.opened.Load() - before; n > 6 {
			t.Errorf("the branches of %s open %d files", id, n)
		}
	}
	if want["root"] == "[]" || want["b"] == "[]" || want["other07"] != "[]" {
		t.Errorf("branches: %v", want)
	}
	if err := files.Remove("order/conversations.json"); err != nil {
		t.Fatal(err)
	}
	for id, places := range want {
		if got := fmt.Sprint(conversation.Branches(&s, id)); got != places {
			t.Errorf("%s without notes: %s, with them %s", id, got, places)
		}
	}
}

// What golems that were killed together left without a message goes, also beside many others.
func TestConversationsKilledTogetherAreSwept(t *testing.T) {
	files := sandbox.Memory()
	s := state.Memory(files)
	for n := range 100 {
		keep(&s, fmt.Sprintf("2026%04d", n))
	}
	for n := 92; n < 100; n++ {
		name := fmt.Sprintf("%s/2026%04d.jsonl", conversation.Dir, n)
		if err := files.WriteFile(name, []byte(`{"mac":"`)); err != nil {
			t.Fatal(err)
		}
	}
	if id := conversation.Newest(&s); id != "20260091" {
		t.Errorf("the newest is %s", id)
	}
	keep(&s, "new")
	entries, err := fs.ReadDir(files, conversation.Dir)
	if n := len(entries); err != nil || n != 93 {
		t.Errorf("%d files are left, %v", n, err)
	}
}
