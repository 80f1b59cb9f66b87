package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const loginKey = "sk-good-4711-geheim"

// loginProvider is a provider with one key, three models and one of them that has retired.
func loginProvider(t *testing.T) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var body struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		answer := `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`
		switch {
		case r.Header.Get("Authorization") != "Bearer "+loginKey:
			w.WriteHeader(http.StatusUnauthorized)
			answer = `{"error":{"message":"Incorrect API key provided.","code":"invalid_api_key"}}`
		case strings.HasSuffix(r.URL.Path, "/models"):
			answer = `{"data":[{"id":"gpt-4o"},{"id":"gpt-5-mini"},{"id":"gpt-5"}]}`
		case body.Model == "gpt-4o":
			w.WriteHeader(http.StatusNotFound)
			answer = `{"error":{"message":"The model gpt-4o has retired."}}`
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(s.Close)
	t.Setenv("OPENAI_BASE_URL", s.URL)
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
}

// Scenario 80 at a terminal: a part of a name lists what has it; a wrong key is asked for again,
// and a model that does not answer is chosen again, without asking for the key. The key is
// never shown.
func TestTerminalLogin(t *testing.T) {
	loginProvider(t)
	dir := ptyProject(t, nil)
	r := startPTY(t, dir, nil, false, "login")
	for _, step := range []struct{ wait, typed string }{
		{"Provider (name or number): ", "open"},
		{"2 names with open:", "nothing"},
		{"There is no nothing in this list", "1"},
		{"Key for openai (not shown): ", "sk-bad-4711"},
		{"openai refused the key (401): Incorrect API key provided. (copy the key again", loginKey},
		{"3 models of openai:", "gpt-4o"},
		{"The model gpt-4o has retired.", ""},
		{"your default model is openai:gpt-5-mini now", ""},
	} {
		r.expect(step.wait)
		if strings.HasPrefix(step.wait, "openai refused") {
			r.expectTimes("Key for openai (not shown): ", 2)
		}
		if strings.HasPrefix(step.wait, "The model") {
			r.expectTimes("Default model (name or number; Enter: openai:gpt-5-mini): ", 2)
		}
		r.typeKeys(step.typed + "\n")
	}
	r.exit(0)
	if strings.Contains(r.text(), loginKey) || strings.Contains(r.text(), "sk-bad-4711") || strings.Count(r.text(), "Key for openai") != 2 {
		t.Errorf("%s", r.text())
	}
	config, err := os.ReadFile(filepath.Join(homeOf(dir), "config.yaml"))
	if err != nil || !strings.Contains(string(config), "model: openai:gpt-5-mini") {
		t.Errorf("%s, %v", config, err)
	}
}

// Whoever leaves golem login at any question is not asked again, and nothing is kept.
func TestTerminalLoginIsLeft(t *testing.T) {
	loginProvider(t)
	for _, c := range []struct {
		typed []string // each after the question before it
		code  int
	}{
		{[]string{"\x04"}, 2},
		{[]string{"\x03"}, 130},
		{[]string{"openai\n", "\x04"}, 2},
		{[]string{"openai\n", "\x03"}, 130},
		{[]string{"openai\n", loginKey + "\n", "\x04"}, 2},
		{[]string{"openai\n", loginKey + "\n", "\x03"}, 130},
	} {
		dir := ptyProject(t, nil)
		r := startPTY(t, dir, nil, false, "login")
		for i, keys := range c.typed {
			r.expect([]string{"Provider (name or number): ", "Key for openai (not shown): ", "Default model (name"}[i])
			r.typeKeys(keys)
		}
		r.exit(c.code)
		if left, _ := filepath.Glob(filepath.Join(homeOf(dir), "config.yaml")); len(left) > 0 || strings.Count(r.text(), "Key for openai") > 1 {
			t.Errorf("%q: %v\n%s", c.typed, left, r.text())
		}
	}
}
