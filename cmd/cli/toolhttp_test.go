package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golem/cmd/cli/console"
)

// golem runs golem in dir without a person, and returns its output and exit code.
func golem(t *testing.T, dir string, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asGolem+"=1", "GOLEM_HOME="+homeOf(dir), "NO_COLOR=1")
	var out, bad bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &bad
	err = cmd.Run()
	var code *exec.ExitError
	if err != nil && !errors.As(err, &code) {
		t.Fatal(err)
	}
	return out.String(), bad.String(), cmd.ProcessState.ExitCode()
}

// Scenario 15, SPEC §6: a module reaches only the hosts that it was granted, by hand
// and in a worker; a worker also needs network_enabled.
func TestModuleReachesGrantedHosts(t *testing.T) {
	var hits atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		fmt.Fprint(w, "hello ", r.Header.Get("X-Key"))
	}))
	defer s.Close()
	at := strings.TrimPrefix(s.URL, "http://")
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "tools"), os.DirFS(filepath.Join("testdata", "modules"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "tools", "count.wasm")); err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(map[string]string{"url": s.URL + "/x"})
	if err != nil {
		t.Fatal(err)
	}
	call := []string{"tool", "call", "tools/fetch.wasm", "fetch", string(args)}
	for _, c := range []struct {
		flags      []string
		exit       int
		says, asks string
	}{
		{nil, console.ExitFailed, "E_GRANT", "--allow-host"},
		{[]string{"--allow-host", "example.com"}, console.ExitFailed, "E_NETWORK", "not in its allowed_hosts"},
		{[]string{"--allow-host", at}, console.ExitOK, "200 hello secret", ""},
	} {
		before := hits.Load()
		out, bad, exit := golem(t, dir, append(call, c.flags...)...)
		if exit != c.exit || !strings.Contains(out+bad, c.says) || !strings.Contains(out+bad, c.asks) {
			t.Errorf("%q: exit %d\n%s%s", c.flags, exit, out, bad)
		}
		if reached := hits.Load() > before; reached != (c.exit == console.ExitOK) {
			t.Errorf("%q: reached %v", c.flags, reached)
		}
	}

	script := fmt.Sprintf("script: 1\nworkers:\n  main:\n    - calls: [{tool: fetch, args: {url: %q}}]\n    - when: {error: E_NETWORK}\n      say: refused\n    - when: {tool: fetch, match: '(.+)'}\n      say: got $1\n", s.URL)
	for enabled, want := range map[bool]string{false: "refused\n", true: "got 200 hello secret\n"} {
		worker := fmt.Sprintf("---\nmodel: script:script.yaml\nsandbox: {network_enabled: %v}\ntoolsets: {custom: {modules: {fetch: {allowed_hosts: [%q]}}}}\n---\ngo\n", enabled, at)
		for name, text := range map[string]string{"main.worker": worker, "script.yaml": script} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		out, bad, exit := golem(t, dir, ".", "go", "--approve-all", "--trust")
		if exit != console.ExitOK || out != want {
			t.Errorf("network_enabled %v: exit %d, %q\n%s", enabled, exit, out, bad)
		}
	}
}
