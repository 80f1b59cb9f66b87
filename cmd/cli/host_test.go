package main

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
	"golem/core/trust"
	"golem/sandbox/osfs"
)

func openDir(t *testing.T, dir string) *osfs.FS {
	t.Helper()
	fsys, err := osfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fsys.Close() })
	return fsys
}

// A directory that does not exist yet behaves like any other file system.
func TestLazyDirConforms(t *testing.T) {
	sandboxtest.Test(t, func(t *testing.T) sandbox.FS {
		return sandbox.Lazy(openDir(t, t.TempDir()), "a/b")
	})
}

func TestLazyDirIsMadeByTheFirstWriteOnly(t *testing.T) {
	root := t.TempDir()
	dir := sandbox.Lazy(openDir(t, root), "out")
	if list, err := fs.ReadDir(dir, "."); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
	if err := dir.Remove("x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(root, "out")); !errors.Is(err, os.ErrNotExist) {
		t.Error("it was made by reading")
	}
	if err := dir.WriteFile("x", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(root, "out", "x")); err != nil || string(data) != "1" {
		t.Error(data, err)
	}
}

func TestMountsStayInTheProject(t *testing.T) {
	root := t.TempDir()
	files := openDir(t, root)
	mount := mounter(files, root, false)
	for _, source := range []string{"..", "../x", "/etc", "a/../../x"} {
		if _, err := mount(source); !errors.Is(err, fault.Path) {
			t.Errorf("%s: %v", source, err)
		}
	}
	if runtime.GOOS != "windows" {
		if err := os.Symlink("/etc", filepath.Join(root, "link")); err != nil {
			t.Fatal(err)
		}
		if fsys, err := mount("link"); err == nil {
			t.Errorf("a link led out: %v", fsys)
		}
	}
	if fsys, err := mounter(files, root, true)(filepath.ToSlash(t.TempDir())); err != nil || fsys == nil {
		t.Error(err)
	}
}

// SPEC §10: no redirect is followed, not even within a host, and a redirect costs one
// request.
func TestNoRedirectIsFollowed(t *testing.T) {
	requests := 0
	count := func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.Redirect(w, r, "/loop", http.StatusTemporaryRedirect)
	}
	other := httptest.NewServer(http.HandlerFunc(count))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, other.URL+"/x", http.StatusTemporaryRedirect)
			return
		}
		count(w, r)
	}))
	defer first.Close()
	for path, want := range map[string]int{"/away": 0, "/loop": 1} {
		requests = 0
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, first.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := newHTTPClient().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusTemporaryRedirect || requests != want {
			t.Errorf("%s: status %d, %d requests to where it points", path, res.StatusCode, requests)
		}
	}
}

// SPEC §3: trust.json in GOLEM_HOME is for its owner only; two processes that add to it
// lose nothing; a file that cannot be read is not overwritten.
func TestTrustFile(t *testing.T) {
	h := &host{env: map[string]string{"GOLEM_HOME": filepath.Join(t.TempDir(), "home")}}
	if data, err := h.trusted().Read(); err != nil || data != nil {
		t.Fatal(data, err)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			err := h.trusted().Change(func(old []byte) ([]byte, error) {
				b, err := trust.ReadBook(old)
				if err != nil {
					return nil, err
				}
				b.Add("/p", trust.List{{File: strconv.Itoa(i)}})
				return b.Bytes()
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	data, err := h.trusted().Read()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := trust.ReadBook(data); err != nil || len(b.Projects["/p"]) != 20 {
		t.Errorf("%v: %d of 20 lines were kept", err, len(b.Projects["/p"]))
	}
	file := filepath.Join(h.env["GOLEM_HOME"], "trust.json")
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := h.trusted().Read(); !errors.Is(err, fault.Config) {
		t.Error(err)
	}
}

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
	h := &host{env: map[string]string{"HOME": home}, dir: dir}
	for target, want := range map[string]approval.Reach{
		"home/p": approval.WithinSandbox, "home/p/workers/a.worker": approval.WithinSandbox, "home/m/a.worker": approval.WithinSandbox,
		"home/l": approval.WithinSandbox, "home/l/a.worker": approval.ReadOnly, "home": approval.ReadOnly, ".": approval.ReadOnly, "link": approval.ReadOnly,
	} {
		p, err := h.resolve(target)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.reach(p, false); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	p, err := h.resolve("home/m/a.worker")
	if err != nil || h.reach(p, true) != approval.ReadOnly {
		t.Error("--no-project leaves a lone file", err)
	}
}

func TestTheFirstWordIsTheCommand(t *testing.T) {
	h := &host{env: map[string]string{}, in: os.Stdin, out: os.Stdout, err: os.Stderr}
	for args, want := range map[string]string{
		"p hello":                 "run p hello",
		"run p":                   "run p",
		"--model x p hello":       "run --model x p hello",
		"--model=x check p":       "check --model=x p",
		"--model check p":         "run --model check p",
		"--json check p":          "check --json p",
		"--quiet --entry a p":     "run --quiet --entry a p",
		"init x":                  "init x",
		"--help":                  "--help",
		"--version":               "--version",
		"-- check":                "run -- check",
		"- x":                     "run - x",
		"--project p":             "run --project p",
		"":                        "",
		"checks":                  "run checks",
		"--nonsense p":            "run --nonsense p",
		"help run":                "help run",
		"__complete run --mod":    "__complete run --mod",
		"--sandbox memory chat p": "chat --sandbox memory p",
	} {
		got := strings.Join(h.withCommand(h.root(), strings.Fields(args)), " ")
		if got != want {
			t.Errorf("%q became %q, want %q", args, got, want)
		}
	}
}

func TestSettingsHaveAliases(t *testing.T) {
	h := &host{env: map[string]string{"LLM_DO_PATH": "b", "GOLEM_FORGE_PATH": "c", "GOLEM_FORGE_HOME": "d", "GOLEM_HOME": ""}}
	if h.setting("PATH") != "b" || h.setting("HOME") != "d" || h.setting("MODEL") != "" {
		t.Error(h.setting("PATH"), h.setting("HOME"), h.setting("MODEL"))
	}
	h.env["GOLEM_PATH"] = "a"
	if h.setting("PATH") != "a" {
		t.Error(h.setting("PATH"))
	}
}

// A trace that somebody else wrote cannot move the cursor: on a terminal its control
// characters are shown as escapes (SECURITY 9). A file gets all bytes unchanged.
func TestPiecesOnATerminal(t *testing.T) {
	line := "{\"text\":\"a\x1b[2Jb\u202ec\n"
	for plain, want := range map[bool]string{false: line, true: "{\"text\":\"a\\u{1b}[2Jb\\u{202e}c\n"} {
		var got strings.Builder
		p := pieces{w: &got, plain: plain}
		if n, err := p.Write([]byte(line)); n != len(line) || err != nil || got.String() != want {
			t.Errorf("plain %v: %d %v %q, want %q", plain, n, err, got.String(), want)
		}
	}
}
