//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// directProject makes a project with a run that wrote the files directly.
func directProject(t *testing.T) string {
	t.Helper()
	dir := stagedProject(t)
	worker := "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n---\nWrite.\n"
	if err := os.WriteFile(filepath.Join(dir, "main.worker"), []byte(worker), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := golemHere(dir, "run", ".", "go").CombinedOutput(); err != nil || newFiles(t, dir) != manyFiles {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// If golem is killed while it undoes a run, the next command settles it: then all files
// are as the run left them, or all are as before the run (SECURITY 14).
func TestKilledUndo(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	if out, err := golemHere(directProject(t), "undo", "-y").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(begun)
	for n := range 5 {
		dir := directProject(t)
		undo := golemHere(dir, "undo", "-y")
		if err := undo.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(whole * time.Duration(n+1) / 16)
		_ = undo.Process.Kill() // it may have ended
		_ = undo.Wait()
		out, err := golemHere(dir, "undo", "--list").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		undone := strings.Contains(string(out), " undone ")
		if n := newFiles(t, dir); n != 0 && undone || n != manyFiles && !undone {
			t.Errorf("%d of %d files are new:\n%s", n, manyFiles, out)
		}
		if !undone {
			if out, err := golemHere(dir, "undo", "-y").CombinedOutput(); err != nil || newFiles(t, dir) != 0 {
				t.Errorf("it cannot be undone any more: %v\n%s", err, out)
			}
		}
	}
}

// A run cannot be undone while it goes on, but after it was killed.
func TestUndoOfAKilledRun(t *testing.T) {
	t.Parallel()
	dir := directProject(t)
	if out, err := golemHere(dir, "undo", "-y").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	script := "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /out/0, content: \"new\\n\"}}, {tool: delete_file, args: {path: /out/1}}]\n    - hang: true\n"
	run := running(t, dir, script, 2)
	if got, err := golemHere(dir, "undo", "-y").CombinedOutput(); err == nil || !strings.Contains(string(got), "E_BUSY") {
		t.Errorf("a run that goes on was undone: %s", got)
	}
	_ = run.Process.Kill()
	_ = run.Wait()
	if got, err := golemHere(dir, "undo", "-y").CombinedOutput(); err != nil || newFiles(t, dir) != 0 {
		t.Errorf("%v\n%s", err, got)
	}
}
