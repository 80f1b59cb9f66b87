package conversation_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golem/core/conversation"
	"golem/core/model"
	"golem/core/sandbox"
	"golem/core/state"
)

// What a provider needs back is kept unchanged, also after a resume (scenario 52). If
// it contains a secret, it is left out; calls with a secret are listed in Redacted.
func TestProviderStateIsKept(t *testing.T) {
	turn := func(reasoning, args string) model.Turn {
		return model.Turn{
			Text: "t", Finish: "tool_calls", Model: "p:m", Attempts: 2, Usage: model.Usage{In: 3, Out: 4, Cached: 1, Cost: 5, Unpriced: true},
			Calls: []model.Call{{ID: "call00001", Name: "a", Args: args}, {ID: "call00002", Name: "b", Args: `{"n":1}`}},
			Kept:  &model.Kept{Provider: "p", Items: []json.RawMessage{json.RawMessage(`{"type":"reasoning","text":"` + reasoning + `"}`)}},
		}
	}
	s := state.Memory(sandbox.Memory())
	j := conversation.Start(&s, conversation.Entry{Run: "x", Worker: "main"})
	j.Redact = func(line []byte) []byte { return bytes.ReplaceAll(line, []byte("secret"), []byte("[redacted]")) }
	for i, one := range []model.Turn{turn("", `{}`), turn("the secret", `{}`), turn("", `{"key":"secret"}`)} {
		e := conversation.AnswerOf(one)
		e.ID, e.Name, e.Turn = "0", "0#1", i+1
		j.Add(e)
	}
	j.Flush()
	j.Close()
	k, err := conversation.Read(&s, "x")
	if err != nil || k.Err != nil {
		t.Fatal(err, k.Err)
	}
	if got, want := k.Answer("0#1", 1, -1).ModelTurn(), turn("", `{}`); !reflect.DeepEqual(got, want) {
		t.Errorf("it is %+v, want %+v", got, want)
	}
	if got := k.Answer("0#1", 2, -1); got.Answer.Kept != nil || len(got.Redacted) != 0 {
		t.Errorf("with a secret: %+v", got.Answer.Kept)
	}
	if got := k.Answer("0#1", 3, -1); got.Answer.Kept == nil || !reflect.DeepEqual(got.Redacted, []int{0}) {
		t.Errorf("with a secret in the first call: %v", got.Redacted)
	}
}

// A golem that is killed before it has written a message leaves a file without one. It is no
// conversation: it is not listed and not resumed, and the next conversation removes it, unless
// a golem uses it. A damaged file is listed.
func TestAFileWithoutAMessageIsNoConversation(t *testing.T) {
	files := sandbox.Memory()
	s := state.Memory(files)
	j := conversation.Start(&s, conversation.Entry{Run: "whole", Worker: "main"})
	j.Flush()
	j.Close()
	whole, err := fs.ReadFile(files, conversation.Dir+"/whole.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n') + 1
	for id, data := range map[string][]byte{
		"empty": nil, "torn": whole[:5], "half": whole[:first-1], "begun": whole[:first], "cut": whole[:len(whole)-1], "used": nil,
		"junk": []byte("junk"), "lines": []byte("\n\n"), "more": append(bytes.Clone(whole[:first]), "junk"...),
	} {
		if err := files.WriteFile(conversation.Dir+"/"+id+".jsonl", data); err != nil {
			t.Fatal(err)
		}
	}
	listed := func() string {
		var ids []string
		for _, l := range conversation.List(&s) {
			ids = append(ids, l.ID)
		}
		slices.Sort(ids)
		return strings.Join(ids, " ")
	}
	if got := listed(); got != "junk lines more whole" || conversation.Newest(&s) != "whole" {
		t.Errorf("listed: %s, the newest %s", got, conversation.Newest(&s))
	}
	release, err := conversation.Hold(&s, "used")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	j = conversation.Start(&s, conversation.Entry{Run: "next", Worker: "main"})
	j.Flush()
	defer j.Close()
	var left []string
	entries, err := fs.ReadDir(files, conversation.Dir)
	for _, e := range entries {
		left = append(left, strings.TrimSuffix(e.Name(), ".jsonl"))
	}
	if got := strings.Join(left, " "); err != nil || got != "junk lines more next used whole" {
		t.Errorf("left: %s, %v", got, err)
	}
}

// full is a file that gathers what is written, as a log of the page does, and whose
// Sync fails because the disk is full.
type full struct{ io.Writer }

var errFull = errors.New("the disk is full")

func (full) Sync() error  { return errFull }
func (full) Close() error { return nil }

// Again reads the file, so it first returns a late error of the disk, and does not take
// the incomplete file for the whole conversation.
func TestAgainOnAFullDisk(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	s.Append = func(string) (io.WriteCloser, error) { return full{io.Discard}, nil }
	j := conversation.Start(&s, conversation.Entry{Run: "x", Worker: "main"})
	var told error
	j.Trouble = func(err error) { told = err }
	defer j.Close()
	if _, err := j.Again(1, "y"); !errors.Is(err, errFull) || !errors.Is(told, errFull) {
		t.Errorf("going back fails with %v, and told is %v; want %v twice", err, told, errFull)
	}
}

// shortFile is a file that has room for one write.
type shortFile struct{ writes int }

func (f *shortFile) Close() error { return nil }
func (f *shortFile) Write(p []byte) (int, error) {
	if f.writes++; f.writes > 1 {
		return 0, errFull
	}
	return len(p), nil
}

// A branch that could not be written is not in use afterwards.
func TestAgainReleasesABranchThatCannotBeWritten(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	j := conversation.Start(&s, conversation.Entry{Run: "x", Worker: "main"})
	defer j.Close()
	j.Add(conversation.Entry{T: conversation.InputEntry, Input: &conversation.Input{Text: "hello"}})
	j.Flush()
	s.Append = func(string) (io.WriteCloser, error) { return &shortFile{}, nil }
	if _, err := j.Again(1, "branch"); !errors.Is(err, errFull) {
		t.Fatalf("going back fails with %v, want %v", err, errFull)
	}
	release, err := conversation.Hold(&s, "branch")
	if err != nil {
		t.Fatal(err)
	}
	release()
}
