package toolset_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// Two approved changes of one file, one after the other, are both carried out: the second
// is previewed against the file after the first.
func TestApprovedWritesFollowEachOther(t *testing.T) {
	k := newKit(t, map[string]string{"a": "one\n"})
	g := k.gated(approval.ApproveAll, nil)
	for i, c := range [][2]string{
		{"write_file", `{"path":"a","content":"two\n"}`},
		{"write_file", `{"path":"/a","content":"three\n"}`},
		{"edit_file", `{"path":"a","old":"three","new":"four"}`},
		{"move_file", `{"from":"a","to":"b"}`},
		{"write_file", `{"path":"a","content":"new\n"}`},
		{"move_file", `{"from":"a","to":"b"}`},
		{"delete_file", `{"path":"b"}`},
	} {
		if _, err := g.call(c[0], c[1]); err != nil {
			t.Fatalf("call %d, %s: %v", i, c[0], err)
		}
	}
	if k.there("a") || k.there("b") {
		t.Error("the files are still there")
	}
}

// A call does what the person was shown, or nothing (SPEC §7).
func TestChangedWhileAsked(t *testing.T) {
	for name, args := range map[string]string{
		"write_file":  `{"path":"a","content":"mine\n"}`,
		"edit_file":   `{"path":"a","old":"old","new":"mine"}`,
		"delete_file": `{"path":"a"}`,
		"move_file":   `{"from":"m","to":"a"}`,
	} {
		k := newKit(t, map[string]string{"a": "old\n", "m": "moving\n"})
		p := &person{first: func() {
			if err := k.files.WriteFile("a", []byte("not old: changed\n")); err != nil {
				t.Fatal(err)
			}
		}}
		_, err := k.gated(approval.Interactive, p).call(name, args)
		if !errors.Is(err, fault.Conflict) || k.content("a") != "not old: changed\n" || k.content("m") != "moving\n" {
			t.Errorf("%s: %v, a is %q; want E_CONFLICT and nothing written", name, err, k.content("a"))
		}
		if len(p.asked) != 1 || p.asked[0].Diff == "" {
			t.Errorf("%s: asked %d times, or shown no diff", name, len(p.asked))
		}
	}
	// The new place was free when it was shown.
	k := newKit(t, map[string]string{"m": "moving\n"})
	p := &person{first: func() {
		if err := k.files.WriteFile("a", []byte("not mine")); err != nil {
			t.Fatal(err)
		}
	}}
	if _, err := k.gated(approval.Interactive, p).call("move_file", `{"from":"m","to":"a"}`); !errors.Is(err, fault.Conflict) || k.content("a") != "not mine" {
		t.Errorf("a move over a new file: %v, %q", err, k.content("a"))
	}
}

// A directory that became a file while the person was asked is not deleted.
func TestDirectoryBecameFile(t *testing.T) {
	k := newKit(t, map[string]string{})
	k.must("make_directory", map[string]any{"path": "d"})
	p := &person{first: func() {
		if err := errors.Join(k.files.Remove("d"), k.files.WriteFile("d", []byte("data"))); err != nil {
			t.Fatal(err)
		}
	}}
	if _, err := k.gated(approval.Interactive, p).call("delete_file", `{"path":"d"}`); !errors.Is(err, fault.Conflict) || !k.there("d") {
		t.Errorf("%v; want E_CONFLICT", err)
	}
}

// An impossible change is an error before anybody is asked.
func TestImpossibleIsNotAsked(t *testing.T) {
	k := newKit(t, map[string]string{"a.txt": "x\nx\n", "d/b": "x", "bin": "\x00\xff", "latin": "caf\xe9"})
	p := &person{}
	g := k.gated(approval.Interactive, p)
	for _, c := range []struct {
		tool, args string
		code       fault.Code
	}{
		{"edit_file", `{"path":"a.txt","old":"nope","new":"y"}`, fault.Conflict},
		{"edit_file", `{"path":"a.txt","old":"x","new":"y"}`, fault.Conflict},
		{"edit_file", `{"path":"a.txt","old":"x","new":"x"}`, fault.ToolInput},
		{"edit_file", `{"path":"none","old":"x","new":"y"}`, fault.NotFound},
		{"edit_file", `{"path":"bin","old":"x","new":"y"}`, fault.Tool},
		{"edit_file", `{"path":"latin","old":"caf","new":"y"}`, fault.Tool},
		{"write_file", `{"path":"d","content":"y"}`, fault.Tool},
		{"write_file", `{"path":"con","content":"y"}`, fault.Path},
		{"write_file", `{"path":"/","content":"y"}`, fault.ReadOnly},
		{"delete_file", `{"path":"d"}`, fault.Tool},
		{"delete_file", `{"path":"none"}`, fault.NotFound},
		{"move_file", `{"from":"none","to":"x"}`, fault.NotFound},
		{"move_file", `{"from":"a.txt","to":"d"}`, fault.Conflict},
		{"move_file", `{"from":"d","to":"a.txt"}`, fault.Conflict},
		{"move_file", `{"from":"d","to":"d/e"}`, fault.ToolInput},
		{"move_file", `{"from":"a.txt","to":"/a.txt"}`, fault.ToolInput},
		{"move_file", `{"from":"a.txt","to":"what?"}`, fault.Path},
		{"make_directory", `{"path":"a.txt"}`, fault.Conflict},
		{"make_directory", `{"path":"a:b"}`, fault.Path},
	} {
		_, err := g.call(c.tool, c.args)
		var f *fault.Fault
		if !errors.Is(err, c.code) || !errors.As(err, &f) || f.Hint == "" && c.code != fault.ReadOnly {
			t.Errorf("%s %s: %v; want %s with a remedy", c.tool, c.args, err, c.code)
		}
	}
	if len(p.asked) != 0 {
		t.Errorf("asked about %s %s", p.asked[0].Tool, p.asked[0].Args)
	}
}

// A write to a read-only mount is an error before anybody is asked.
func TestReadOnlyMount(t *testing.T) {
	in, out := sandbox.Memory(), sandbox.Memory()
	if err := in.WriteFile("a", []byte("x")); err != nil {
		t.Fatal(err)
	}
	v, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{
		{Name: "input", At: "input", FS: in, Source: "in", Mode: sandbox.ReadOnly},
		{Name: "output", At: "output", FS: out, Source: "out", Mode: sandbox.ReadWrite},
	}})
	if err != nil {
		t.Fatal(err)
	}
	k := &kit{t: t, files: v, tools: openFiles(t, v, 8000)}
	for _, c := range [][2]string{
		{"write_file", `{"path":"input/a","content":""}`}, {"edit_file", `{"path":"input/a","old":"x","new":"y"}`}, {"delete_file", `{"path":"/input/a"}`},
		{"move_file", `{"from":"input/a","to":"output/a"}`}, {"make_directory", `{"path":"input/d"}`},
	} {
		p := &person{}
		if _, err := k.gated(approval.Interactive, p).call(c[0], c[1]); !errors.Is(err, fault.ReadOnly) || len(p.asked) > 0 {
			t.Errorf("%s: %v, asked %d times", c[0], err, len(p.asked))
		}
	}
	_, p, err := k.do("write_file", map[string]any{"path": "output/n/b", "content": "y"})
	if err != nil || p.Paths[0] != (tool.PathUse{Op: "write", Mount: "output", Path: "/output/n/b"}) {
		t.Errorf("%+v, %v", p.Paths, err)
	}
	if got := k.must("list_files", map[string]any{"recursive": true}); got != "input/\ninput/a\noutput/\noutput/n/\noutput/n/b" {
		t.Errorf("list: %q", got)
	}
}

// Applying the shown diff to the old file gives the new file.
func TestDiffsApply(t *testing.T) {
	long := strings.Repeat("same\n", 40)
	for i, c := range [][2]string{
		{"a\nb\nc\n", "a\nB\nc\n"}, {"a", "a\n"}, {"a\n", "a"}, {"", "x\ny"}, {"x\ny", ""}, {"a\r\nb\r\n", "a\r\nc\r\n"},
		{long + "end\n", "start\n" + long + "END"}, {"ä\nö", "ö\nü"}, {"-- x\n", "++ x\n"},
	} {
		k := newKit(t, map[string]string{"f": c[0]})
		out, p, err := k.do("write_file", map[string]any{"path": "f", "content": c[1]})
		if err != nil {
			t.Fatal(i, out, err)
		}
		if strings.HasPrefix(c[0], "-- ") {
			continue // its lines look like a header to the applier here
		}
		if got := patch(t, c[0], p.Diff); got != c[1] {
			t.Errorf("%q to %q: the diff makes %q:\n%s", c[0], c[1], got, p.Diff)
		}
	}
	// A move over a file shows the change to that file.
	k := newKit(t, map[string]string{"new": "1\n2\n", "old": "1\n3\n"})
	_, p, err := k.do("move_file", map[string]any{"from": "new", "to": "old"})
	if err != nil || patch(t, "1\n3\n", p.Diff) != "1\n2\n" || p.Before == "" {
		t.Errorf("%+v, %v", p, err)
	}
}

// Content that is not text is shown by its size and not compared line by line.
func TestDiffOfNoText(t *testing.T) {
	for _, old := range []string{"\x00\x01", "caf\xe9", "ab\xe2\x82", strings.Repeat("x", 5000) + "\x00"} {
		k := newKit(t, map[string]string{"f": old})
		_, p, err := k.do("write_file", map[string]any{"path": "f", "content": "text\n"})
		if err != nil || k.content("f") != "text\n" {
			t.Errorf("%q: %v", old, err)
		}
		if want := fmt.Sprintf("(%d bytes)", len(old)); !strings.Contains(p.Diff, want) && !strings.Contains(p.Diff, "-xxx") {
			t.Errorf("%q: diff %q", old, p.Diff)
		}
	}
}

// The output of a successful change has a diff for people.
func TestOutputDiff(t *testing.T) {
	k := newKit(t, map[string]string{"a": "x\n"})
	out, err := k.gated(approval.ApproveAll, nil).call("edit_file", `{"path":"a","old":"x","new":"y"}`)
	if err != nil || out.Diff == nil || out.Diff.Path != "/a" || len(out.Diff.Before) != 64 || len(out.Diff.After) != 64 || patch(t, "x\n", out.Diff.Patch) != "y\n" {
		t.Errorf("%+v, %v", out.Diff, err)
	}
}

// The comparison with the preview still works after many previews without a call.
func TestForgottenPreviews(t *testing.T) {
	k := newKit(t, map[string]string{"a": "old"})
	pv, ok := k.tools["write_file"].(tool.Previewer)
	if !ok {
		t.Fatal("write_file has no preview")
	}
	look := func(id string) {
		if _, err := pv.Preview(t.Context(), tool.Call{ID: id, Args: tool.ReadArguments([]byte(`{"path":"a","content":"mine"}`))}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 1024 {
		look(fmt.Sprint("denied ", i))
	}
	look("1")
	for i := range 1000 {
		look(fmt.Sprint("later ", i))
	}
	if err := k.files.WriteFile("a", []byte("changed")); err != nil {
		t.Fatal(err)
	}
	if _, err := pv.Call(t.Context(), tool.Call{ID: "1", Args: tool.ReadArguments([]byte(`{"path":"a","content":"mine"}`))}); !errors.Is(err, fault.Conflict) {
		t.Errorf("%v; want E_CONFLICT", err)
	}
}
