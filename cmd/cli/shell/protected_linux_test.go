package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golem/cmd/cli/shell/confine"
)

// waysToWrite are commands that try to change FILE, which lies in TOP of the project.
var waysToWrite = []string{
	"echo evil | tee -a FILE", "perl -e 'open F, \">>\", \"FILE\" and print F \"evil\"'", "cp /bin/true FILE", "rm -f FILE; echo evil | tee FILE", "mv FILE moved; echo evil | tee FILE",
	"ln -f a.txt FILE", "ln -sf a.txt FILE", "ln FILE hard && (echo evil | tee -a hard)", "truncate -s 0 FILE", "chmod 777 FILE", "touch -d @0 FILE",
	"mv TOP moved && mkdir -p $(dirname FILE) && echo evil | tee FILE", "mv $(dirname FILE) moved2 && mkdir -p $(dirname FILE) && echo evil | tee FILE",
	"sed -i s/./evil/ FILE", "git config -f FILE user.name evil", "dd if=/dev/zero of=FILE count=1", "perl -e 'rename \"a.txt\", \"FILE\"'", "umount FILE; mount -o remount,rw TOP; unshare -Urm umount FILE; echo evil | tee FILE",
	"rm -rf TOP; mkdir -p $(dirname FILE) && echo evil | tee FILE",
}

// No command changes what defines the project, by whatever program, name or move, where the
// kernel lends a mount namespace. git goes on working.
func TestDefinitionsAreReadOnly(t *testing.T) {
	if !confine.Machine().Spaces.Mounts {
		t.Log("this kernel lends no mount namespace")
		return
	}
	y := newYard(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", y.root, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	files := map[string]string{
		"project.yaml": "name: p\n", "workers/a/deep.worker": "go\n", "far/in/here/x.worker": "go\n", ".env": "K=v\n", "tools/t.wasm": "x", ".golem/runs/r.jsonl": "{}\n",
		".git/hooks/pre-commit": "#!/bin/sh\n", ".git/modules/a/b/HEAD": "ref\n", ".git/modules/a/b/config": "[core]\n", ".git/worktrees/w/HEAD": "ref\n", ".git/worktrees/w/config.worktree": "[core]\n", ".git/info/exclude": "\n",
	}
	for name, text := range files {
		name = filepath.Join(y.root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	config, err := os.ReadFile(filepath.Join(y.root, ".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	files[".git/config"], files["main.worker"] = string(config), "go\n"
	for name := range files {
		if strings.HasSuffix(name, "/HEAD") {
			delete(files, name) // git's to write
		}
	}
	s := y.open(t, y.whole(t), options{}, false)
	for name := range files {
		top, _, _ := strings.Cut(name, "/")
		s.try(t, t.Context(), strings.NewReplacer("FILE", name, "TOP", top).Replace(strings.Join(waysToWrite, "; ")))
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(y.root, name)); string(got) != want {
			t.Errorf("%s was changed: %q %v", name, got, err)
		}
	}
	if info, err := os.Stat(filepath.Join(y.root, "main.worker")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	for _, line := range []string{"mv .git git", "git config user.name evil", "mv far far2", "mv far/in far/out"} {
		if got := s.try(t, t.Context(), line); got.Exit == 0 {
			t.Errorf("%q succeeded: %s", line, got.Output)
		}
	}
	git("init", "-q")
	line := "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com; git config --get core.bare; rm -f .git/index.lock; echo new > new.txt && git -c core.hooksPath=/dev/null add new.txt && git -c core.hooksPath=/dev/null commit -q -m one && git checkout -q -b side && git log --oneline | wc -l; echo x > far/in/free.txt; mkdir -p far/other && mv new.txt far/other/"
	if got := s.try(t, t.Context(), line); got.Exit != 0 || !strings.HasSuffix(got.Output, "1\n") {
		t.Errorf("git: %+v", got)
	}
}
