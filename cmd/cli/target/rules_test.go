package target

import (
	"os"
	"path/filepath"
	"testing"

	"golem/core/approval"

	"golem/cmd/cli/console"
)

// SPEC §3: a lone file and a root at or above the home directory may
// pre-approve reading only; a manifest or workers/ makes a project.
func TestReach(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	for _, name := range []string{"home/p/workers/a.worker", "home/m/project.yaml", "home/m/a.worker", "home/l/a.worker"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(home, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	c := console.New(map[string]string{"HOME": home}, dir)
	for word, want := range map[string]approval.Reach{
		"home/p": approval.WithinSandbox, "home/p/workers/a.worker": approval.WithinSandbox, "home/m/a.worker": approval.WithinSandbox,
		"home/l": approval.WithinSandbox, "home/l/a.worker": approval.ReadOnly, "home": approval.ReadOnly, ".": approval.ReadOnly, "link": approval.ReadOnly,
	} {
		p, err := Resolve(c, word)
		if err != nil {
			t.Fatal(err)
		}
		if got := Reach(c, p, false); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	p, err := Resolve(c, "home/m/a.worker")
	if err != nil || Reach(c, p, true) != approval.ReadOnly {
		t.Error("--no-project leaves a lone file", err)
	}
}
