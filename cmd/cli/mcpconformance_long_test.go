//go:build long

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golem/core/mcp"
)

// conformanceSuite is the published suite of the Model Context Protocol.
const conformanceSuite = "@modelcontextprotocol/conformance@0.1.16"

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

// TestLongConformanceClient plays the suite's servers for golem as the client. Every
// scenario passes, or is expected to fail for a written reason.
func TestLongConformanceClient(t *testing.T) {
	suite := installSuite(t)
	list := suite(t, "list")
	_, clients, _ := strings.Cut(list, "Client scenarios")
	names := regexp.MustCompile(`(?m)^  - (\S+)`).FindAllStringSubmatch(clients, -1)
	if len(names) < 20 {
		t.Fatalf("%d scenarios: %s", len(names), list)
	}
	passed := 0
	for _, n := range names {
		name := n[1]
		out, err := playScenario(t, suite, name)
		_, expected := failsBecause[name]
		switch {
		case err == nil && !expected:
			passed++
		case err == nil:
			t.Errorf("%s passes: remove it from failsBecause", name)
		case !expected:
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	if passed != 18 || passed+len(failsBecause) != len(names) {
		t.Errorf("%d of %d scenarios pass, want 18; %d fail for a written reason", passed, len(names), len(failsBecause))
	}
}

// playScenario plays one scenario with this test binary as the client.
func playScenario(t *testing.T, suite func(*testing.T, ...string) string, name string) (out string, err error) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "client.sh")
	text := fmt.Sprintf("#!/bin/sh\nGOLEM_TEST_CONFORMANCE=\"$1\" exec %q -test.run '^TestConformanceClientMain$' -test.count=1\n", self)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	out = suite(t, "client", "--command", script, "--scenario", name, "-o", t.TempDir())
	if !strings.Contains(out, "SUCCESS") && !strings.Contains(out, "OVERALL: PASSED") || strings.Contains(out, "OVERALL: FAILED") || strings.Contains(out, "FAILURE") {
		return out, errors.New("it fails")
	}
	return out, nil
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
	h := &host{env: map[string]string{"GOLEM_HOME": t.TempDir()}}
	ctx := context.Background()
	visit := func() error {
		c := h.mcpHost(t.TempDir()).Connect(mcp.Server{Name: "suite", URL: address})
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
	l := login{server: address, clientID: given.ID, secret: given.Secret, show: func(at, _ string) {
		go func() {
			if res, err := http.Get(at); err == nil { // the browser, which follows redirects
				res.Body.Close()
			}
		}()
	}}
	in, err := l.run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.secretStore().keepSignIn(in, inFile); err != nil {
		t.Fatal(err)
	}
	if err := visit(); err != nil {
		t.Fatal(err)
	}
}

// installSuite installs the suite and returns a function that runs its command.
func installSuite(t *testing.T) func(t *testing.T, args ...string) string {
	dir := t.TempDir()
	npm := exec.Command("npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir, conformanceSuite)
	if out, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	main := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	data, err := os.ReadFile(main)
	if err != nil {
		t.Fatal(err)
	}
	// Only its command for SDKs needs globSync, which Node has from version 22 on.
	if err := os.WriteFile(main, bytes.Replace(data, []byte("globSync as"), []byte("existsSync as"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, args ...string) string {
		cmd := exec.Command("node", append([]string{main}, args...)...)
		cmd.Dir, cmd.Env = t.TempDir(), slices.Clone(os.Environ())
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(out)
	}
}
