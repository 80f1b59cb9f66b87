//go:build unix

package main

import (
	"encoding/pem"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sendYard is a project whose target has a remote, which is a repository behind a login.
type sendYard struct {
	t           *testing.T
	work, dir   string
	env         []string
	url, remote string // the address and the directory of the remote
}

// sentKey is the key that the server wants.
const sentKey = "k3y-of-the-remote"

func newSendYard(t *testing.T) *sendYard {
	work := t.TempDir()
	y := &sendYard{t: t, work: work, dir: filepath.Join(work, "p"), remote: filepath.Join(work, "served", "r.git")}
	backend := strings.TrimSpace(y.run(work, "", "git", "--exec-path")) + "/git-http-backend"
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, key, _ := r.BasicAuth(); key != sentKey {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		(&cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Join(work, "served"), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=x"}}).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	y.url = server.URL + "/r.git"
	y.write("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	y.write("gitconfig", "[user]\n\tname = Ann\n\temail = ann@example.com\n")
	y.env = append(os.Environ(), asGolem+"=1", "HOME="+work, "GOLEM_HOME="+filepath.Join(work, "home"), "GIT_CONFIG_GLOBAL="+filepath.Join(work, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1", "GIT_SSL_CAINFO="+filepath.Join(work, "ca.pem"), "SSL_CERT_FILE="+filepath.Join(work, "ca.pem"))
	y.run(work, "", "git", "init", "-q", "--bare", "-b", "main", y.remote)
	y.run(y.remote, "", "git", "config", "http.receivepack", "true")
	for name, text := range map[string]string{
		"project.yaml": "clearance: {targets: {main: {git: ., branch: main, remote: " + y.url + "}}}\n", ".gitignore": ".golem\n", "site/a.txt": "old\n",
		"main.worker": "---\nmodel: script:s.yaml\nsandbox: {paths: {site: {root: ./site, mode: staged}}}\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n---\nWrite.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /site/a.txt, content: \"new\\n\"}}]\n    - say: staged\n",
	} {
		y.write("p/"+name, text)
	}
	y.run(y.dir, "", "git", "init", "-q", "-b", "main")
	y.run(y.dir, "", "git", "add", ".")
	y.run(y.dir, "", "git", "commit", "-q", "-m", "first")
	// What the repository itself says about logins and hooks has no effect.
	y.run(y.dir, "", "git", "config", "credential.helper", "!touch "+work+"/stolen; echo username=a; echo password="+sentKey)
	y.run(y.dir, "", "git", "config", "url."+work+"/elsewhere.insteadOf", y.url)
	y.write("p/.git/hooks/pre-push", "#!/bin/sh\ntouch "+work+"/stolen\n")
	if err := os.Chmod(filepath.Join(y.dir, ".git/hooks/pre-push"), 0o700); err != nil {
		t.Fatal(err)
	}
	return y
}

func (y *sendYard) write(name, text string) {
	y.t.Helper()
	full := filepath.Join(y.work, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		y.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		y.t.Fatal(err)
	}
}

// run runs a program, which must succeed, and returns its output.
func (y *sendYard) run(dir, in string, program string, args ...string) string {
	y.t.Helper()
	out, err := y.try(dir, in, program, args...)
	if err != nil {
		y.t.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
	return out
}

func (y *sendYard) try(dir, in, program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, y.env, strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (y *sendYard) golem(in string, args ...string) (string, error) {
	return y.try(y.dir, in, os.Args[0], args...)
}

// tips returns the messages of the last commits of the project and of the remote.
func (y *sendYard) tips() (project, remote string) {
	remote, _ = y.try(y.remote, "", "git", "log", "-1", "--format=%s", "main")
	return y.run(y.dir, "", "git", "log", "-1", "--format=%s", "main"), remote
}

// staged stages a change, so that there is one item.
func (y *sendYard) staged() {
	y.t.Helper()
	if out, err := y.golem("", "run", ".", "go"); err != nil {
		y.t.Fatalf("%v\n%s", err, out)
	}
}

// A push to a target with a remote also sends the branch there: only if a person trusts the
// address, with the key of a secret or of the person's own credential helper. A refused send
// leaves the commit and says so. No hook and no configuration of the repository has an effect,
// and the key is in no file of the project (SPEC §9).
func TestPushSendsToTheRemote(t *testing.T) {
	t.Parallel()
	for name, login := range map[string]func(*sendYard){
		"secret": func(y *sendYard) {
			y.run(y.dir, sentKey+"\n", os.Args[0], "secret", "set", "git.127.0.0.1")
		},
		"helper": func(y *sendYard) {
			y.write("gitconfig", "[user]\n\tname = Ann\n\temail = ann@example.com\n[credential]\n\thelper = \"!echo username=ann; echo password="+sentKey+" #\"\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newSendYard(t)
			y.staged()
			out, err := y.golem("", "clearance", "push", "--target", "main")
			project, remote := y.tips()
			if err == nil || !strings.Contains(out, "E_TRUST") || !strings.Contains(out, "was not sent to") || project == "first\n" || !strings.Contains(remote, "fatal") {
				t.Fatalf("without trust: %v\n%s\n%s\n%s", err, out, project, remote)
			}
			y.write("home/config.yaml", "projects: {"+y.dir+": {trust: true}}\n")
			y.run(y.dir, "", "git", "checkout", "-q", "--detach")
			y.run(y.dir, "", "git", "branch", "-f", "main", "HEAD~1")
			y.run(y.dir, "", "git", "checkout", "-q", "main")
			y.staged()
			out, err = y.golem("", "clearance", "push", "--target", "main")
			if project, _ := y.tips(); err == nil || !strings.Contains(out, "was not sent to "+y.url) || project == "first\n" {
				t.Fatalf("without a login: %v\n%s", err, out)
			}
			y.run(y.dir, "", "git", "reset", "-q", "--hard", "HEAD~1")
			login(y)
			y.staged()
			if out, err = y.golem("", "clearance", "push", "--target", "main"); err != nil || !strings.Contains(out, "sent main to "+y.url) {
				t.Fatalf("%v\n%s", err, out)
			}
			if project, remote := y.tips(); project != remote || project == "first\n" {
				t.Errorf("the project has %q, the remote %q", project, remote)
			}
			if _, err := os.Stat(filepath.Join(y.work, "stolen")); !os.IsNotExist(err) {
				t.Error("the repository's helper or hook ran")
			}
			if out, err := y.try(y.dir, "", "grep", "-rl", sentKey, ".golem"); err == nil {
				t.Errorf("the key is in %s", out)
			}
		})
	}
}

// An address with a key, of another protocol or without a host is refused when the project is
// read.
func TestRemotesAreChecked(t *testing.T) {
	t.Parallel()
	y := newSendYard(t)
	for address, want := range map[string]string{
		"https://a:b@host/r": "has a key in it", "http://host/r": "begins neither", "ext::sh -c x": "cannot be read as an address", "file:///r": "begins neither", "https://-x/r": "has no host",
		"ssh://-oProxyCommand=x@host/r": "begins with -", "https://host": "has no host or no path", "https://host/r?a": "has a ?", "-x": "begins neither",
	} {
		y.write("p/project.yaml", "clearance: {targets: {main: {git: ., branch: main, remote: '"+address+"'}}}\n")
		if out, err := y.golem("", "check", "."); err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%s", address, err, out)
		}
	}
	y.write("p/project.yaml", "clearance: {targets: {main: {dir: site, remote: 'https://host/r'}}}\n")
	if out, err := y.golem("", "check", "."); err == nil || !strings.Contains(out, "belongs to no branch") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A library in a private repository is installed with the key of a secret or of the person's own
// credential helper, which is kept nowhere (SPEC §9).
func TestPrivateLibraryIsInstalled(t *testing.T) {
	t.Parallel()
	y := newSendYard(t)
	for name, text := range map[string]string{"lib.yaml": "name: utils\nversion: 1.0.0\n", "workers/a.worker": "hello\n"} {
		y.write("lib/"+name, text)
	}
	lib := filepath.Join(y.work, "lib")
	y.run(lib, "", "git", "init", "-q", "-b", "main")
	y.run(lib, "", "git", "add", ".")
	y.run(lib, "", "git", "commit", "-q", "-m", "first")
	y.run(lib, "", "git", "push", "-q", y.remote, "main")
	source := "git+" + y.url + "@main"
	if out, err := y.golem("", "lib", "install", source); err == nil || !strings.Contains(out, "golem secret set git.127.0.0.1") {
		t.Fatalf("without a login: %v\n%s", err, out)
	}
	y.write("gitconfig", "[credential]\n\thelper = \"!echo username=ann; echo password="+sentKey+" #\"\n")
	if out, err := y.golem("", "lib", "install", source); err != nil {
		t.Fatalf("with a helper: %v\n%s", err, out)
	}
	y.run(y.dir, "", os.Args[0], "lib", "remove", "utils")
	y.write("gitconfig", "")
	y.run(y.dir, sentKey+"\n", os.Args[0], "secret", "set", "git.127.0.0.1")
	if out, err := y.golem("", "lib", "install", source); err != nil {
		t.Fatalf("with a secret: %v\n%s", err, out)
	}
	if out, err := y.try(y.dir, "", "grep", "-rl", sentKey, "."); err == nil && strings.TrimSpace(out) != "./.git/config" {
		t.Errorf("the key is in %s", out)
	}
}
