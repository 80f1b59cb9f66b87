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
	"time"

	"golem/core/conversation"
	"golem/core/model"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/tool"
)

// keeper has one secret, the word itself.
type keeper struct{ told error }

func (*keeper) Redact(line []byte) []byte {
	return bytes.ReplaceAll(line, []byte("secret"), []byte("[redacted]"))
}
func (k *keeper) Beginning(text string) string { return string(k.Redact([]byte(text))) }
func (*keeper) HasSecret(data []byte) bool     { return bytes.Contains(data, []byte("secret")) }
func (*keeper) Now() time.Time                 { return time.Now() }
func (k *keeper) Trouble(err error)            { k.told = err }

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
	j := conversation.Start(&s, &keeper{}, conversation.Entry{Run: "x", Worker: "main"})
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
	j := conversation.Start(&s, nil, conversation.Entry{Run: "whole", Worker: "main"})
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
	j = conversation.Start(&s, nil, conversation.Entry{Run: "next", Worker: "main"})
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
	s.Host = onto{s.Host, full{io.Discard}}
	by := &keeper{}
	j := conversation.Start(&s, by, conversation.Entry{Run: "x", Worker: "main"})
	defer j.Close()
	if _, err := j.Again(1, "y"); !errors.Is(err, errFull) || !errors.Is(by.told, errFull) {
		t.Errorf("going back fails with %v, and told is %v; want %v twice", err, by.told, errFull)
	}
}

// onto is a host on which every file for appending is this one.
type onto struct {
	state.Host
	file io.WriteCloser
}

func (o onto) Append(string) (io.WriteCloser, error) { return o.file, nil }

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
	j := conversation.Start(&s, nil, conversation.Entry{Run: "x", Worker: "main"})
	defer j.Close()
	j.Add(conversation.Entry{T: conversation.InputEntry, Input: &conversation.Input{Text: "hello"}})
	j.Flush()
	s.Host = onto{s.Host, &shortFile{}}
	if _, err := j.Again(1, "branch"); !errors.Is(err, errFull) {
		t.Fatalf("going back fails with %v, want %v", err, errFull)
	}
	release, err := conversation.Hold(&s, "branch")
	if err != nil {
		t.Fatal(err)
	}
	release()
}

// inFiles also removes the secret from base64, as golem's redactor does.
type inFiles struct{ keeper }

func (k *inFiles) Redact(line []byte) []byte {
	return bytes.ReplaceAll(k.keeper.Redact(line), []byte("c2VjcmV0"), []byte("[redacted]"))
}

// A secret in an attached file, or in an image of a result, is removed, and nothing else of the
// entry is lost.
func TestSecretsInFiles(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	j := conversation.Start(&s, &inFiles{}, conversation.Entry{Run: "x", Worker: "main"})
	files := []conversation.File{{Name: "a.txt", Data: []byte("my secret!")}, {Name: "b.bin", Data: []byte("\xff12secret")}, {Name: "c.txt", Data: []byte("fine")}}
	j.Add(conversation.Entry{T: conversation.InputEntry, Input: &conversation.Input{Text: "the secret", Files: files}})
	j.Add(conversation.Entry{T: conversation.BeginEntry, ID: "0", Name: "0", Files: files})
	j.Add(conversation.Entry{T: conversation.EndEntry, ID: "0.1", Tool: "t", Status: "ok", Output: &conversation.Output{Text: "t", Parts: []tool.Part{{Type: "image", Data: []byte("\xff12secret")}}}})
	j.Flush()
	j.Close()
	k, err := conversation.Read(&s, "x")
	if err != nil || len(k.Steps) != 1 || k.Begin("0") == nil || k.End("0.1") == nil {
		t.Fatalf("entries are lost: %v %+v", err, k)
	}
	want := []string{"my [redacted]!", "[redacted]", "fine"}
	for _, got := range [][]conversation.File{k.Steps[0].Input.Files, k.Begin("0").Files} {
		for i, f := range got {
			if string(f.Data) != want[i] {
				t.Errorf("%s: %q, want %q", f.Name, f.Data, want[i])
			}
		}
	}
	if got := string(k.End("0.1").Output.Parts[0].Data); got != "[redacted]" || k.Steps[0].Input.Text != "the [redacted]" {
		t.Errorf("the image is %q, the input %q", got, k.Steps[0].Input.Text)
	}
}
