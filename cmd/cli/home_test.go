package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// homeHost returns a process in dir, for an account whose home directory by the user
// database is account.
func homeHost(dir, account string, env map[string]string) *host {
	h := &host{dir: dir, env: env}
	h.homes.silent = true
	h.homes.account = func() string { return account }
	return h
}

func plant(t *testing.T, dir string, files ...string) {
	t.Helper()
	for _, name := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// realTemp returns a temporary directory without links in its path.
func realTemp(t *testing.T) string {
	t.Helper()
	return resolved(t.TempDir())
}

// Scenario 67: nothing of GOLEM_HOME is read where it lies in the project.
func TestNothingOfAHomeInTheProjectCounts(t *testing.T) {
	root := realTemp(t)
	plant(t, root, "main.worker", ".golem/config.yaml", ".golem/trust.json", ".golem/secrets.json", ".golem/state.key", ".golem/tools/x.wasm", ".golem/libs/l/lib.yaml", ".golem/workers/w.worker")
	h := homeHost(root, "/root", map[string]string{"HOME": root})
	h.judgeHome(place{root: root})
	if data, err := h.config(); h.home() != "" || h.trusted() != nil || h.secrets() != nil || h.homeTools() != nil || len(data) > 0 || err != nil {
		t.Error("something of it counts")
	}
	if s := h.stateOf(nil, root); s.Kept() {
		t.Error("state is kept under a key of the project")
	}
	if h.rules(place{root: root}).File != nil {
		t.Error("its rules count")
	}
	if libs, err := h.libraries(&flags{}); err != nil || len(libs) > 0 || len(h.searchPath()) > 0 {
		t.Error("its libraries or workers count:", libs, err)
	}
	if tools := h.newTools(false); tools.cache.dir != "" {
		t.Error("its cache counts")
	}
	if closed := h.closed(); len(closed) != 1 || filepath.FromSlash(closed[0]) != filepath.Join(root, ".golem") {
		t.Error("a worker may reach it:", closed)
	}
}

// SPEC §3: the one exception is the account's own home directory, where TARGET is no
// project of that place.
func TestTheAccountsHomeDirectory(t *testing.T) {
	account := realTemp(t)
	plant(t, account, ".golem/config.yaml", ".golem/workers/w.worker", "notes.txt")
	env := map[string]string{"HOME": account}
	worker := place{root: filepath.Join(account, ".golem", "workers"), entry: "./w.worker", file: true, work: account, shelf: true}
	for name, c := range map[string]struct {
		account string
		p       place
		counts  bool
	}{
		"a worker on GOLEM_PATH":                   {account, worker, true},
		"no project there":                         {account, place{root: account}, true},
		"HOME says so, the user database does not": {"/root", worker, false},
		"a worker on a GOLEM_PATH below it":        {account, place{root: filepath.Join(account, "mine"), work: account}, true},
		"a project below it":                       {account, place{root: filepath.Join(account, "below")}, true},
		"no user database":                         {"", worker, false},
	} {
		plant(t, account, "below/main.worker", "mine/main.worker")
		h := homeHost(account, c.account, env)
		if h.judgeHome(c.p); (h.home() != "") != c.counts {
			t.Errorf("%s: counts: %v", name, !c.counts)
		}
	}
	if p, err := homeHost(account, account, env).resolve("w"); err != nil || p.work != account {
		t.Error("cd ~; golem my-worker:", p, err)
	}
	plant(t, account, "main.worker")
	for _, p := range []place{{root: account}, {root: account, entry: "./main.worker", file: true}, {root: account, work: account}} {
		h := homeHost(account, account, env)
		if h.judgeHome(p); h.home() != "" {
			t.Errorf("%+v: a project in the home directory has it", p)
		}
	}
	h := homeHost(account, account, map[string]string{"HOME": account, "GOLEM_HOME": filepath.Join(account, "other")})
	if h.judgeHome(worker); h.home() != "" {
		t.Error("another directory in the home directory is no exception")
	}
}

// A link in GOLEM_HOME that leads into what workers write is not followed.
func TestLinksOutOfGolemHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links need a right there
	}
	account := realTemp(t)
	plant(t, account, "dotfiles/golem.yaml", ".golem/workers/w.worker")
	if err := os.Symlink("../dotfiles/golem.yaml", filepath.Join(account, ".golem", "config.yaml")); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": account}
	for _, p := range []place{
		{root: filepath.Join(account, "dotfiles")},
		{root: filepath.Join(account, ".golem", "workers"), work: account},
	} {
		h := homeHost(account, account, env)
		if h.judgeHome(p); h.home() != "" || !strings.HasPrefix(h.homes.refused, "config.yaml in it leads into") {
			t.Errorf("%+v: %q", p, h.homes.refused)
		}
	}
	h := homeHost(account, account, env)
	if h.judgeHome(place{root: filepath.Join(account, "elsewhere")}); h.home() == "" {
		t.Error(h.homes.refused)
	}
}

// Case and other names of a directory make no difference where the file system has none.
func TestAnotherNameOfTheProject(t *testing.T) {
	root := filepath.Join(realTemp(t), "Project")
	plant(t, root, "main.worker", ".golem/config.yaml")
	for _, home := range []string{strings.ToLower(root), strings.ToUpper(root), root + "/../Project", root + "/."} {
		h := homeHost("/", "/root", map[string]string{"GOLEM_HOME": home + "/.golem"})
		if h.judgeHome(place{root: root}); h.home() != "" {
			t.Errorf("%s counts", home)
		}
	}
}

// A relative HOME names no home directory for ~ in config.yaml, nor does one in the
// project.
func TestTildeIsNotTheProject(t *testing.T) {
	root, account := realTemp(t), realTemp(t)
	for home, want := range map[string]string{".": "", root: account, account: account} {
		h := homeHost(root, account, map[string]string{"HOME": home})
		if got := h.tilde(place{root: root}); got != want {
			t.Errorf("HOME=%s: %q, want %q", home, got, want)
		}
	}
}

// homeOf returns the directory that a test uses as GOLEM_HOME for a project in a
// temporary directory: beside it, because one in the project does not count.
func homeOf(dir string) string { return dir + "-home" }
