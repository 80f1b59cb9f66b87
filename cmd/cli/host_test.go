package main

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
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

// SPEC §10: no redirect is followed, to no host, and it costs one request.
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

// SPEC §3: a pair is confirmed once and kept in GOLEM_HOME, for its owner alone;
// what cannot be read or kept says so.
func TestKeyHostsAreKept(t *testing.T) {
	h := &host{env: map[string]string{"GOLEM_HOME": filepath.Join(t.TempDir(), "home")}}
	confirmed := func(variable, hostName string) bool {
		t.Helper()
		yes, err := h.keyHosts().Confirmed(variable, hostName)
		if err != nil {
			t.Fatal(err)
		}
		return yes
	}
	if confirmed("KEY", "a.example") {
		t.Error("confirmed by nobody")
	}
	for range 2 {
		if err := h.keyHosts().Confirm("KEY", "a.example"); err != nil {
			t.Fatal(err)
		}
	}
	if !confirmed("KEY", "a.example") || confirmed("KEY", "b.example") || confirmed("OTHER", "a.example") || confirmed("KEY", "a.example:8080") {
		t.Error("another pair than the one that was confirmed")
	}
	file := filepath.Join(h.env["GOLEM_HOME"], "hosts.json")
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if err := os.WriteFile(file, []byte(`{"golem": "hosts", "confirmed": [`), 0o600); err != nil {
		t.Fatal(err)
	}
	if yes, err := h.keyHosts().Confirmed("KEY", "a.example"); yes || !errors.Is(err, fault.Config) {
		t.Error(yes, err)
	}
	if err := h.keyHosts().Confirm("KEY", "b.example"); !errors.Is(err, fault.Config) {
		t.Error(err)
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

// SECURITY 16: what is redacted, and what a command does not get.
func TestKeysAreKnownByTheirNames(t *testing.T) {
	for name, want := range map[string]bool{
		"OPENAI_API_KEY": true, "ACME_KEY": true, "GITHUB_TOKEN": true, "openai_api_key": true, "AWS_SECRET": true,
		"OPENAI_BASE_URL": false, "GOLEM_MODEL": false, "PATH": false, "KEYBOARD": false, "GOLEM_TOKEN": false,
	} {
		if isKeyVariable(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	h := &host{env: map[string]string{"PATH": "/bin", "OPENAI_API_KEY": "sk", "HOME": "/h", "SSH_AUTH_SOCK": "s", "MY_VAR": "1"}}
	env := shell{h: h}.environment()
	if want := []string{"GOLEM=1", "HOME=/h", "NO_COLOR=1", "PATH=/bin", "TERM=dumb"}; !slices.Equal(env, want) {
		t.Error(env)
	}
}

func TestShellOutputIsCapped(t *testing.T) {
	var c capped
	chunk := []byte(strings.Repeat("a", 10_000))
	for range 1000 {
		if n, err := c.Write(chunk); n != len(chunk) || err != nil {
			t.Fatal(n, err)
		}
	}
	c.Write([]byte("THE END\xff"))
	s := c.String()
	if len(s) > maxShellOutput+100 || !strings.HasSuffix(s, "THE END\uFFFD") || !strings.Contains(s, "bytes left out]") {
		t.Errorf("%d bytes, ends in %q", len(s), s[len(s)-20:])
	}
	if cap(c.head)+cap(c.tail) > 4*maxShellOutput {
		t.Errorf("keeps %d bytes", cap(c.head)+cap(c.tail))
	}
	var small capped
	small.Write([]byte("x\n"))
	if small.String() != "x\n" {
		t.Errorf("%q", small.String())
	}
}
