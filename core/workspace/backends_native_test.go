//go:build unix

package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"
	"golem/sandbox/osfs"
)

// backends are the trees that can carry core/workspace: golem's own behind Over, and
// afero's. dir is the directory of those on the disk.
func backends(t *testing.T) map[string]func() (tree afero.Fs, dir string) {
	return map[string]func() (afero.Fs, string){
		"Over memory": func() (afero.Fs, string) { return workspace.Over(sandbox.Memory()), "" },
		"MemMapFs":    func() (afero.Fs, string) { return afero.NewMemMapFs(), "" },
		"Over osfs": func() (afero.Fs, string) {
			dir := t.TempDir()
			files, err := osfs.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { files.Close() })
			return workspace.Over(files), dir
		},
		"OsFs": func() (afero.Fs, string) {
			dir := t.TempDir()
			return afero.NewBasePathFs(afero.NewOsFs(), dir), dir
		},
	}
}

// On every backend the templates, archives and copies of core/workspace come out the same,
// byte for byte.
func TestBackendsAreTheSame(t *testing.T) {
	want := map[string]string{}
	for name, open := range backends(t) {
		for _, template := range workspace.Templates() {
			made, _ := open()
			if err := workspace.Init(made, ".", template.Name); err != nil {
				t.Fatalf("%s, %s: %v", name, template.Name, err)
			}
			data, err := workspace.Zip(made, nil)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, template.Name, err)
			}
			copied, _ := open()
			if err := workspace.Unzip(copied, data); err != nil {
				t.Fatalf("%s, %s: %v", name, template.Name, err)
			}
			again, err := workspace.Zip(copied, nil)
			if err != nil || string(again) != string(data) {
				t.Errorf("%s, %s: the copy is another one: %v", name, template.Name, err)
			}
			all, _ := open()
			if err := workspace.CopyTree(all, afero.NewIOFS(made)); err != nil || tree(t, all) != tree(t, made) {
				t.Errorf("%s, %s: %v, %s", name, template.Name, err, tree(t, all))
			}
			if err := workspace.Unzip(copied, data); err == nil {
				t.Errorf("%s, %s: files were replaced", name, template.Name)
			}
			if first, ok := want[template.Name]; ok && first != string(data) {
				t.Errorf("%s, %s: the archive differs from that of another backend", name, template.Name)
			}
			want[template.Name] = string(data)
		}
	}
}

// A process that is killed while it writes a template leaves on every backend what the next
// one can finish.
func TestBackendsFinishWhatWasBegun(t *testing.T) {
	for name, open := range backends(t) {
		for left := 1; ; left++ {
			made, _ := open()
			if err := workspace.Init(&dying{Fs: made, left: left}, ".", "pipeline"); err == nil {
				break
			}
			if err := workspace.Init(made, ".", "pipeline"); err != nil {
				t.Fatalf("%s, killed after %d steps: %v", name, left, err)
			}
			if got := tree(t, made); got != trees["pipeline"] {
				t.Fatalf("%s, killed after %d steps: %s", name, left, got)
			}
		}
	}
}

// What afero's backends lose, and golem's trees behind Over keep: that is why Over carries
// whatever an archive, a library or a person names (docs/internal/why.md, "Why afero, and where").
func TestWhatAferosBackendsLose(t *testing.T) {
	data := pack(t, entry{name: "p/link/planted", data: "evil"})
	reserved := pack(t, entry{name: "p/a", data: "1"}, entry{name: "p/A", data: "2"})
	for name, open := range backends(t) {
		ours := strings.HasPrefix(name, "Over")
		made, dir := open()
		if dir != "" { // an archive whose file lies behind a link to another directory
			outside := t.TempDir()
			if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			err := workspace.Unzip(made, data)
			_, planted := os.Stat(filepath.Join(outside, "planted"))
			if ours != (err != nil) || ours != errors.Is(planted, os.ErrNotExist) {
				t.Errorf("%s, behind a link: %v, outside: %v", name, err, planted)
			}
			if err := os.Remove(filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
		}
		for _, at := range []string{`a\b`, "a\x00b", strings.Repeat("n", 300)} { // names that not every platform has
			err := afero.WriteFile(made, at, []byte("x"), 0o644)
			if ours && !errors.Is(err, fault.Path) {
				t.Errorf("%s, %.10q: %v", name, at, err)
			}
		}
		file, err := made.Create("half") // others see a file before it is complete
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString("half"); err != nil {
			t.Fatal(err)
		}
		seen, _ := afero.Exists(made, "half")
		if seen == ours {
			t.Errorf("%s: a file that is being written is there: %t", name, seen)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if err := workspace.Unzip(made, reserved); err == nil { // checked by core/workspace, so on every backend
			t.Errorf("%s: two names that differ only in letter case", name)
		}
		if got := tree(t, made); slices.Contains(strings.Fields(got), "a") {
			t.Errorf("%s: half an archive: %s", name, got)
		}
	}
}
