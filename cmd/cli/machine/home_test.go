package machine

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/home"
	"golem/cmd/cli/secretstore"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// homeHost returns a process in dir, for an account whose home directory by the user
// database is account.
func homeHost(dir, account string, env map[string]string) *console.Console {
	c := console.New(env, dir)
	c.Home = home.New(env, dir, nil, func() string { return account })
	return c
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
	return disk.Resolved(t.TempDir())
}

// Scenario 67: nothing of GOLEM_HOME is read where it lies in the project.
func TestNothingOfAHomeInTheProjectCounts(t *testing.T) {
	root := realTemp(t)
	plant(t, root, "main.worker", ".golem/config.yaml", ".golem/trust.json", ".golem/secrets.json", ".golem/state.key", ".golem/tools/x.wasm", ".golem/libs/l/lib.yaml", ".golem/workers/w.worker")
	c := homeHost(root, "/root", map[string]string{"HOME": root})
	c.Home.Judge(home.Ground{Root: root})
	if data, err := c.Home.Config(); c.Home.Dir() != "" || c.Home.Trusted() != nil || secretstore.Secrets(c) != nil || toolhost.HomeFiles(c, "tools") != nil || len(data) > 0 || err != nil {
		t.Error("something of it counts")
	}
	if s := c.Home.State(nil, root); s.Kept() {
		t.Error("state is kept under a key of the project")
	}
	if target.Rules(c, target.Place{Root: root}).File != nil {
		t.Error("its rules count")
	}
	if libs, err := Libraries(c, nil); err != nil || len(libs) > 0 || len(target.SearchPath(c)) > 0 {
		t.Error("its libraries or workers count:", libs, err)
	}
	if tools := toolhost.New(c, false); tools.Cache.Dir != "" {
		t.Error("its cache counts")
	}
	if closed := ClosedDirs(c); len(closed) != 1 || filepath.FromSlash(closed[0]) != filepath.Join(root, ".golem") {
		t.Error("a worker may reach it:", closed)
	}
}

// SPEC §3: the one exception is the account's own home directory, where TARGET is no
// project of that place.
func TestTheAccountsHomeDirectory(t *testing.T) {
	account := realTemp(t)
	plant(t, account, ".golem/config.yaml", ".golem/workers/w.worker", "notes.txt")
	env := map[string]string{"HOME": account}
	worker := target.Place{Root: filepath.Join(account, ".golem", "workers"), Entry: "./w.worker", File: true, Work: account, Shelf: true}
	for name, c := range map[string]struct {
		account string
		p       target.Place
		counts  bool
	}{
		"a worker on GOLEM_PATH":                   {account, worker, true},
		"no project there":                         {account, target.Place{Root: account}, true},
		"HOME says so, the user database does not": {"/root", worker, false},
		"a worker on a GOLEM_PATH below it":        {account, target.Place{Root: filepath.Join(account, "mine"), Work: account}, true},
		"a project below it":                       {account, target.Place{Root: filepath.Join(account, "below")}, true},
		"no user database":                         {"", worker, false},
	} {
		plant(t, account, "below/main.worker", "mine/main.worker")
		h := homeHost(account, c.account, env)
		if h.Home.Judge(c.p.Ground()); (h.Home.Dir() != "") != c.counts {
			t.Errorf("%s: counts: %v", name, !c.counts)
		}
	}
	if p, err := target.Resolve(homeHost(account, account, env), "w"); err != nil || p.Work != account {
		t.Error("cd ~; golem my-worker:", p, err)
	}
	plant(t, account, "main.worker")
	for _, p := range []target.Place{{Root: account}, {Root: account, Entry: "./main.worker", File: true}, {Root: account, Work: account}} {
		h := homeHost(account, account, env)
		if h.Home.Judge(p.Ground()); h.Home.Dir() != "" {
			t.Errorf("%+v: a project in the home directory has it", p)
		}
	}
	h := homeHost(account, account, map[string]string{"HOME": account, "GOLEM_HOME": filepath.Join(account, "other")})
	if h.Home.Judge(worker.Ground()); h.Home.Dir() != "" {
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
	for _, p := range []target.Place{
		{Root: filepath.Join(account, "dotfiles")},
		{Root: filepath.Join(account, ".golem", "workers"), Work: account},
	} {
		why := ""
		h := home.New(env, account, func(text string) { why = text }, func() string { return account })
		if h.Judge(p.Ground()); h.Dir() != "" || !strings.Contains(why, "because config.yaml in it leads into") {
			t.Errorf("%+v: %q", p, why)
		}
	}
	c := homeHost(account, account, env)
	if c.Home.Judge(home.Ground{Root: filepath.Join(account, "elsewhere")}); c.Home.Dir() == "" {
		t.Error("a project elsewhere: it does not count")
	}
}

// Case and other names of a directory make no difference where the file system has none.
func TestAnotherNameOfTheProject(t *testing.T) {
	root := filepath.Join(realTemp(t), "Project")
	plant(t, root, "main.worker", ".golem/config.yaml")
	for _, named := range []string{strings.ToLower(root), strings.ToUpper(root), root + "/../Project", root + "/."} {
		c := homeHost("/", "/root", map[string]string{"GOLEM_HOME": named + "/.golem"})
		if c.Home.Judge(home.Ground{Root: root}); c.Home.Dir() != "" {
			t.Errorf("%s counts", named)
		}
	}
}

// A relative HOME names no home directory for ~ in config.yaml, nor does one in the
// project.
func TestTildeIsNotTheProject(t *testing.T) {
	root, account := realTemp(t), realTemp(t)
	for named, want := range map[string]string{".": "", root: account, account: account} {
		c := homeHost(root, account, map[string]string{"HOME": named})
		if got := target.Tilde(c, target.Place{Root: root}); got != want {
			t.Errorf("HOME=%s: %q, want %q", named, got, want)
		}
	}
}
