//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// golemHere returns a command that runs the test binary as golem in a directory.
func golemHere(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asGolem+"=1", "GOLEM_HOME="+filepath.Join(dir, "..", "home"))
	return cmd
}

// manyFiles is how many files the item of a kill test has.
const manyFiles = 12

// stagedProject makes a project with an item that changes many files, and returns its
// directory.
func stagedProject(t *testing.T) string {
	t.Helper()
	return stagedBy(t, stagingProject(t))
}

func stagedBy(t *testing.T, dir string) string {
	t.Helper()
	if out, err := golemHere(dir, "run", ".", "go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// stagingProject makes the project of stagedProject without running it.
func stagingProject(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "p")
	calls := make([]string, manyFiles)
	files := map[string]string{"main.worker": "---\nmodel: script:s.yaml\nsandbox: {paths: {out: {root: ./out, mode: staged}}}\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n---\nWrite.\n"}
	for n := range calls {
		files[fmt.Sprintf("out/%d", n)] = "old\n"
		calls[n] = fmt.Sprintf(`{tool: write_file, args: {path: /out/%d, content: "new\n"}}`, n)
	}
	files["project.yaml"] = "clearance: {targets: {main: {git: out, branch: main}}}\n"
	files["s.yaml"] = "script: 1\nworkers:\n  main:\n    - calls: [" + strings.Join(calls, ", ") + "]\n    - say: staged\n"
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// newFiles counts the files with the new content. The test fails for a file whose
// content is neither the old nor the new one.
func newFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	for i := range manyFiles {
		data, err := os.ReadFile(filepath.Join(dir, "out", fmt.Sprint(i)))
		switch {
		case err == nil && string(data) == "new\n":
			n++
		case err != nil || string(data) != "old\n":
			t.Fatalf("%q, %v", data, err)
		}
	}
	return n
}

// If golem is killed during a push, the next command settles it: then all files are old
// and the item is pending, or all files are new and there is no item (SECURITY 14).
func TestKilledPush(t *testing.T) {
	t.Parallel()
	killedPushes(t, 8, func(string) {}, func(string, int) {}, "clearance", "push")
}

// The same holds for a branch of a git repository: the commit is on the branch or not,
// and the working tree matches the branch.
func TestKilledGitPush(t *testing.T) {
	t.Parallel()
	git := func(dir string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.Join(dir, "out")
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	killedPushes(t, 8, func(dir string) {
		git(dir, "init", "--quiet", "--initial-branch=main")
		git(dir, "add", ".")
		git(dir, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "first")
	}, func(dir string, files int) {
		commits := "1"
		if files > 0 {
			commits = "2"
		}
		if got, status := git(dir, "rev-list", "--count", "main"), git(dir, "status", "--porcelain"); got != commits || status != "" {
			t.Errorf("%d new files, %s commits, status %q", files, got, status)
		}
		git(dir, "fsck", "--strict")
	}, "clearance", "push", "--target", "main")
}

// killedPushes kills golem during a push, again and again, each time a little later.
// look checks what the next command has left.
func killedPushes(t *testing.T, times int, ready func(dir string), look func(dir string, files int), args ...string) {
	t.Helper()
	prepared := func() string {
		dir := stagingProject(t)
		ready(dir)
		return stagedBy(t, dir)
	}
	begun := time.Now()
	if out, err := golemHere(prepared(), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(begun)
	for n := range times {
		dir := prepared()
		push := golemHere(dir, args...)
		if err := push.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(whole * time.Duration(n+1) / time.Duration(2*times))
		_ = push.Process.Kill() // it may have ended
		_ = push.Wait()
		out, err := golemHere(dir, "clearance", "list").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		files := newFiles(t, dir)
		look(dir, files)
		switch n, gone := files, strings.Contains(string(out), "nothing waits"); {
		case n == 0 && !gone:
			if out, err := golemHere(dir, args...).CombinedOutput(); err != nil || newFiles(t, dir) != manyFiles {
				t.Errorf("it cannot be pushed any more: %v\n%s", err, out)
			}
		case n != manyFiles || !gone:
			t.Errorf("%d of %d files are new:\n%s", n, manyFiles, out)
		}
	}
}

// running starts a run of a script in a project and returns when n calls have ended.
// The test kills it.
func running(t *testing.T, dir, script string, n int) *exec.Cmd {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	run := golemHere(dir, "run", ".", "go", "--json")
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	seen := ""
	for buf := make([]byte, 4096); strings.Count(seen, `"type":"tool.end"`) < n; {
		got, err := out.Read(buf)
		if err != nil {
			t.Fatalf("%v\n%s", err, seen)
		}
		seen += string(buf[:got])
	}
	return run
}

// If golem is killed while a worker writes into a staged mount, nothing that was
// written is lost, and no real file is changed.
func TestKilledRun(t *testing.T) {
	t.Parallel()
	dir := stagedProject(t)
	script := "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /out/more, content: \"kept\\n\"}}]\n    - hang: true\n"
	run := running(t, dir, script, 1)
	if listed, err := golemHere(dir, "clearance", "push", "2").CombinedOutput(); err == nil || !strings.Contains(string(listed), "E_BUSY") {
		t.Errorf("an item whose run goes on was pushed: %s", listed)
	}
	_ = run.Process.Kill()
	_ = run.Wait()
	if got, err := golemHere(dir, "clearance", "push", "2").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, got)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out", "more"))
	if err != nil || string(data) != "kept\n" || newFiles(t, dir) != 0 {
		t.Errorf("%q, %v", data, err)
	}
}

// If two golem processes push one item at the same time, exactly one of them succeeds.
func TestTwoPushes(t *testing.T) {
	t.Parallel()
	dir := stagedProject(t)
	both := []*exec.Cmd{golemHere(dir, "clearance", "push", "1"), golemHere(dir, "clearance", "push", "1")}
	for _, cmd := range both {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	done := 0
	for _, cmd := range both {
		if cmd.Wait() == nil {
			done++
		}
	}
	if done != 1 || newFiles(t, dir) != manyFiles {
		t.Errorf("%d pushes, %d new files", done, newFiles(t, dir))
	}
}
