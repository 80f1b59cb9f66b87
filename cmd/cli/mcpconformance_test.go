package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golem/core/mcp"

	"golem/cmd/cli/console"
	"golem/cmd/cli/mcphost"
	"golem/cmd/cli/secretstore"
)

// failsBecause has the scenarios for clients that golem does not pass, each with its reason.
var failsBecause = map[string]string{
	"elicitation-sep1034-client-defaults":       "golem does not let servers ask its user",
	"auth/basic-cimd":                           "golem registers itself, and has no document at an address of its own",
	"auth/scope-step-up":                        "more rights are never asked for without the person: the error names golem mcp login --scope",
	"auth/2025-03-26-oauth-metadata-backcompat": "an authorization server without a metadata document of the resource",
	"auth/2025-03-26-oauth-endpoint-fallback":   "an authorization server without a metadata document",
	"auth/client-credentials-jwt":               "an extension without a person",
	"auth/client-credentials-basic":             "an extension without a person",
	"auth/cross-app-access-complete-flow":       "an extension of enterprises",
}

// clientScenarios are the suite's scenarios for clients, in the groups in which the suite
// plays them, each group in one process. The one that is left waits a minute for what golem
// never does: TestLongConformanceClient plays it too.
var clientScenarios = [][]string{
	{"--suite", "auth"}, {"--suite", "backcompat"}, {"--suite", "draft"}, {"--suite", "extensions"},
	{"--scenario", "initialize"}, {"--scenario", "tools_call"}, {"--scenario", "sse-retry"},
}

// TestConformanceClient plays the suite's servers for golem as the client. Every scenario
// passes, or is expected to fail for a written reason.
func TestConformanceClient(t *testing.T) {
	t.Parallel()
	suite, client := conformanceSuite(t), conformanceClient(t)
	out := make(chan string, len(clientScenarios))
	for _, group := range clientScenarios {
		go func() {
			args := append([]string{"client", "--command", client, "-o", t.TempDir()}, group...)
			text := suite(t, args...)
			if group[0] == "--scenario" { // it has no summary
				text = oneScenario(group[1], text)
			}
			out <- text
		}()
	}
	var all string
	for range clientScenarios {
		all += <-out
	}
	conforms(t, all, 25, 18, failsBecause)
}

// oneScenario returns the line that the summary of a group would have for a scenario.
func oneScenario(name, out string) string {
	if strings.Contains(out, "OVERALL: PASSED") {
		return "✓ " + name + ":\n"
	}
	return out + "\n✗ " + name + ":\n"
}

// conforms checks the summaries of the suite: how many scenarios were played, how many of
// them passed, and that each other one is named with a reason. A key of because may be the
// beginning of several names.
func conforms(t *testing.T, out string, played, passes int, because map[string]string) {
	t.Helper()
	passed, all := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^([✓✗]) ([^:\s]+):`).FindAllStringSubmatch(out, -1) {
		expected := slices.ContainsFunc(slices.Collect(maps.Keys(because)), func(name string) bool { return strings.HasPrefix(m[2], name) })
		all++
		switch {
		case m[1] == "✓" && expected:
			t.Errorf("%s passes: it is no longer expected to fail", m[2])
		case m[1] == "✓":
			passed++
		case !expected:
			t.Errorf("%s fails", m[2])
		}
	}
	if passed != passes || all != played {
		t.Errorf("%d of %d scenarios pass, want %d of %d", passed, all, passes, played)
	}
	if t.Failed() {
		t.Log(out)
	}
}

// conformanceClient returns a command that starts this test binary as the client.
func conformanceClient(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "client.sh")
	text := fmt.Sprintf("#!/bin/sh\nGOLEM_TEST_CONFORMANCE=\"$1\" exec %q -test.run '^TestConformanceClientMain$' -test.count=1\n", self)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return script
}

// TestConformanceClientMain is the client that the suite starts.
func TestConformanceClientMain(t *testing.T) {
	address := os.Getenv("GOLEM_TEST_CONFORMANCE")
	if address == "" {
		return // in an ordinary run there is no server
	}
	var given struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	_ = json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &given) // most scenarios have none
	h := console.New(map[string]string{"GOLEM_HOME": t.TempDir()}, "")
	ctx := context.Background()
	visit := func() error {
		c := mcphost.New(h, t.TempDir()).Connect(mcp.Server{Name: "suite", URL: address})
		defer c.Close()
		if err := c.Open(ctx); err != nil {
			return err
		}
		tools, _, err := c.Client().Tools(ctx, func(string) bool { return true })
		if err != nil {
			return err
		}
		for _, one := range tools {
			if _, err := c.Client().Call(ctx, one.Name, json.RawMessage(`{"a":5,"b":3}`), nil); err != nil {
				return err
			}
		}
		return nil
	}
	err := visit()
	if err == nil || !strings.Contains(err.Error(), "golem mcp login") {
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	l := mcphost.Login{Server: address, ClientID: given.ID, Secret: given.Secret, Show: func(at, _ string) {
		go func() {
			if res, err := http.Get(at); err == nil { // the browser, which follows redirects
				res.Body.Close()
			}
		}()
	}}
	in, err := l.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := secretstore.Open(h).KeepSignIn(in, secretstore.InFile); err != nil {
		t.Fatal(err)
	}
	if err := visit(); err != nil {
		t.Fatal(err)
	}
}

// conformanceSuite returns a function that runs the command of the published suite, and
// returns its output.
func conformanceSuite(t *testing.T) func(t *testing.T, args ...string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", "conformance"))
	if err != nil {
		t.Fatal(err)
	}
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if from, err := os.ReadFile(filepath.Join(dir, "node_modules", ".package-lock.from")); err != nil || !bytes.Equal(from, lock) {
		t.Fatal("the packages of cmd/cli/testdata/conformance are not installed, or others than its lock file names: make test installs them")
	}
	main := runnableSuite(t, filepath.Join(dir, "node_modules"))
	return func(t *testing.T, args ...string) string {
		cmd := exec.Command("node", append([]string{main}, args...)...)
		cmd.Dir, cmd.Env = t.TempDir(), slices.Clone(os.Environ())
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) { // it exits with 1 if a scenario fails
			t.Error(err)
		}
		return string(out)
	}
}

// runnableSuite returns the program of the suite in a copy that Node 20 can run: only its
// command for SDKs, which nothing here uses, needs globSync, which Node has from version 22 on.
func runnableSuite(t *testing.T, modules string) string {
	t.Helper()
	dir := t.TempDir()
	at := filepath.Join(modules, "@modelcontextprotocol", "conformance")
	main, err := os.ReadFile(filepath.Join(at, "dist", "index.js"))
	if err == nil {
		err = errors.Join(os.Mkdir(filepath.Join(dir, "dist"), 0o700), os.Symlink(modules, filepath.Join(dir, "node_modules")), os.Symlink(filepath.Join(at, "package.json"), filepath.Join(dir, "package.json")))
	}
	out := filepath.Join(dir, "dist", "index.js")
	if err == nil {
		err = os.WriteFile(out, bytes.Replace(main, []byte("globSync as"), []byte("existsSync as"), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
