//go:build unix

package shell

import (
	"slices"
	"strings"
	"testing"

	"golem/core/toolset"

	"golem/cmd/cli/shell/confine"
)

// What a command changes of the files that define the project is named to the person and the
// model, and golem asks before it is used: names that did not exist before, and every name
// where no mount protects them.
func TestChangedDefinitions(t *testing.T) {
	best := confine.Machine()
	bare := best
	bare.Spaces = confine.Spaces{}
	for name, c := range map[string]struct {
		kernel Kernel
		line   string
		want   []string
	}{
		"nothing":            {best, "echo x > notes.txt; mkdir -p .git; cp a.txt .git/HEAD", nil},
		"new names":          {best, "cp a.txt new.worker; mkdir -p workers; cp a.txt workers/b.worker; cp a.txt .env", []string{".env", "new.worker", "workers/b.worker"}},
		"a hook":             {best, "git init -q; rm -rf .git/hooks; mkdir .git/hooks; cp a.txt .git/hooks/post-commit", []string{".git, a new repository"}},
		"a new repository":   {best, "git init -q sub", []string{"sub/.git, a new repository"}},
		"without mounts":     {bare, "cp a.txt main.worker", []string{"main.worker"}},
		"removed":            {bare, "rm main.worker", []string{"main.worker"}},
		"not confined":       {Kernel{Lacks: "it is a test"}, "cp a.txt main.worker", []string{"main.worker"}},
		"another link":       {bare, "ln -s a.txt linked.worker", []string{"linked.worker"}},
		"a second hard link": {bare, "ln main.worker other && cat a.txt | tee other", []string{"main.worker"}},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			y.host.Kernel = &c.kernel
			var told []string
			var log string
			s, err := y.host.open(toolset.Env{Worker: "w", View: y.whole(t), Run: running{log: func(level, text string) {
				if level == "warn" { // the rest is output, which comes from another goroutine
					log += text
				}
			}, rewrote: func(files map[string]string) {
				for name := range files {
					told = append(told, name)
				}
			}}}, &options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			got := s.try(t, t.Context(), c.line)
			slices.Sort(told)
			used := slices.DeleteFunc(slices.Clone(c.want), func(name string) bool { return strings.Contains(name, ".git") })
			if !slices.Equal(told, used) || !slices.Equal(got.Changed, c.want) || (log != "") != (c.want != nil) {
				t.Errorf("told %q, result %+v, log %q", told, got, log)
			}
			for _, w := range c.want {
				if !strings.Contains(log, w) {
					t.Errorf("the person does not read of %s: %s", w, log)
				}
			}
			if again := s.try(t, t.Context(), "true"); again.Changed != nil {
				t.Errorf("named once more: %q", again.Changed)
			}
		})
	}
}
