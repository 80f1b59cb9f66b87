//go:build !js

package examples_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// ciRepository is a repository of somebody who uses examples/ci, with a golem to call.
type ciRepository struct {
	t   *testing.T
	dir string
	env []string
}

func newCIRepository(t *testing.T) ciRepository {
	t.Helper()
	bin := t.TempDir()
	if out, err := exec.Command("../.ci/build.sh", filepath.Join(bin, "golem")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := ciRepository{t, t.TempDir(), []string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + bin, "GOLEM_HOME=" + filepath.Join(bin, "home"), "GOLEM_CI_PROJECT=ci", "GOLEM_MODEL=script:ci/script.yaml",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}}
	if err := os.CopyFS(filepath.Join(r.dir, "ci"), os.DirFS("ci")); err != nil {
		t.Fatal(err)
	}
	r.write("a.go", "package a\n")
	r.must("git", "init", "-q", "-b", "main")
	r.must("git", "add", "-A")
	r.must("git", "commit", "-q", "-m", "base")
	return r
}

func (r ciRepository) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r ciRepository) commit(text string) {
	r.t.Helper()
	r.write("a.go", text)
	r.must("git", "commit", "-q", "-a", "-m", "change")
}

// run runs a program and returns its exit code and what it said.
func (r ciRepository) run(program string, args ...string) (int, string) {
	r.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode(), string(out)
	} else if err != nil {
		r.t.Fatal(err)
	}
	return 0, string(out)
}

func (r ciRepository) must(program string, args ...string) {
	r.t.Helper()
	if code, out := r.run(program, args...); code != 0 {
		r.t.Fatalf("%s %q: exit %d\n%s", program, args, code, out)
	}
}

// TestCI runs the script of examples/ci in a repository: the check, and the review of a change.
func TestCI(t *testing.T) {
	r := newCIRepository(t)
	r.must("sh", "ci/ci.sh", "check")

	// Nothing that the repository's settings name is started.
	r.must("git", "config", "diff.external", "touch "+filepath.Join(r.dir, "started"))
	r.must("git", "config", "diff.evil.textconv", "touch "+filepath.Join(r.dir, "started"))
	r.write(".git/info/attributes", "*.go diff=evil\n")
	r.commit("package a\n// FIXME: tell @all <img src=x> ![x](https://evil.example.com/x)\n")
	r.must("sh", "ci/ci.sh", "review", "HEAD~1", "comment.md")
	if _, err := os.Stat(filepath.Join(r.dir, "started")); err == nil {
		t.Error("a program of the repository's settings was started")
	}
	comment, err := os.ReadFile(filepath.Join(r.dir, "comment.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(comment)
	if !strings.HasPrefix(text, "### Review by golem\n\n- `a.go`: a FIXME is left (tell ") {
		t.Errorf("the comment is %q", text)
	}
	for _, raw := range []string{"@all", "<img", "!["} {
		if strings.Contains(text, raw) {
			t.Errorf("the comment has %s: %q", raw, text)
		}
	}
	r.must("rm", "comment.md")

	// No change, no comment; what is no commit is refused, also if it looks like an option.
	r.must("sh", "ci/ci.sh", "review", "HEAD", "comment.md")
	for _, args := range [][]string{{"review", "--output=comment.md", "comment.md"}, {"review", "nothing", "comment.md"}, {"review", "HEAD"}, {"check", "x"}, {}} {
		if code, out := r.run("sh", append([]string{"ci/ci.sh"}, args...)...); code != 2 || !strings.Contains(out, "ci.sh: ") {
			t.Errorf("%q: exit %d\n%s", args, code, out)
		}
	}
	if _, err := os.Stat(filepath.Join(r.dir, "comment.md")); err == nil {
		t.Error("there is a comment on nothing")
	}

	// A long diff and a long answer are cut, and a project with a fault fails the check.
	r.commit("package a\n// FIXME: " + strings.Repeat("very long ", 50_000) + "\n")
	r.must("sh", "ci/ci.sh", "review", "HEAD~1", "comment.md")
	if data, err := os.ReadFile(filepath.Join(r.dir, "comment.md")); err != nil || len(data) > 65_536 || !bytes.Contains(data, []byte("(shortened)")) {
		t.Errorf("a comment of %d bytes: %v", len(data), err)
	}
	r.write("ci/main.worker", "---\ntoolset: {}\n---\nReview.\n")
	if code, out := r.run("sh", "ci/ci.sh", "check"); code == 0 || !strings.Contains(out, "E_CONFIG") {
		t.Errorf("exit %d\n%s", code, out)
	}
	r.must("git", "checkout", "-q", "ci")
	r.write("ci/script.yaml", "script: 1\nworkers: {main: [{say: Nothing.}]}\n")
	if code, out := r.run("sh", "ci/ci.sh", "check"); code != 1 {
		t.Errorf("exit %d although a test fails\n%s", code, out)
	}
}

// TestCIFiles tests that the workflow and the hook call the script, and that no text of a pull
// request is put into a command.
func TestCIFiles(t *testing.T) {
	type step struct {
		Run string            `yaml:"run"`
		Env map[string]string `yaml:"env"`
	}
	var workflow struct {
		On          string            `yaml:"on"`
		Permissions map[string]string `yaml:"permissions"`
		Jobs        map[string]struct {
			If    string `yaml:"if"`
			Steps []step `yaml:"steps"`
		} `yaml:"jobs"`
	}
	read(t, "ci/github.yml", &workflow)
	if workflow.On != "pull_request" || len(workflow.Permissions) != 1 || workflow.Permissions["contents"] != "read" {
		t.Errorf("on %q with %v", workflow.On, workflow.Permissions)
	}
	calls := 0
	for name, job := range workflow.Jobs {
		for _, s := range job.Steps {
			if strings.Contains(s.Run, "${{") {
				t.Errorf("%s: a command has an expression: %s", name, s.Run)
			}
			calls += strings.Count(s.Run, "ci.sh")
			for key, value := range s.Env {
				if strings.Contains(value, "secrets.") && !strings.Contains(job.If, "head.repo.full_name == github.repository") {
					t.Errorf("%s: %s goes to forks", name, key)
				}
			}
		}
	}
	var hooks struct {
		Repos []struct {
			Hooks []struct {
				Entry string `yaml:"entry"`
			} `yaml:"hooks"`
		} `yaml:"repos"`
	}
	read(t, "ci/pre-commit-config.yaml", &hooks)
	if calls != 2 || len(hooks.Repos) != 1 || len(hooks.Repos[0].Hooks) != 1 {
		t.Fatalf("%d calls in the workflow, hooks %v", calls, hooks)
	}
	r := newCIRepository(t)
	r.must("sh", "-c", hooks.Repos[0].Hooks[0].Entry)
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = yaml.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
