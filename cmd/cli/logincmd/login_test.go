package logincmd

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golem/cmd/cli/console"
)

const goodKey = "sk-good-4711-geheim"

// provider is a provider of models that takes one key. asked has the models that were asked.
func provider(t *testing.T, asked *[]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer "+goodKey {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"message":"Incorrect API key provided.","code":"invalid_api_key"}}`))
			return
		}
		if strings.HasSuffix(r.URL.Path, "/models") {
			_, _ = w.Write([]byte(`{"data":[{"id":"gpt-4o"},{"id":"gpt-5-mini"},{"id":"gpt-5"}]}`))
			return
		}
		var body struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		*asked = append(*asked, body.Model)
		if body.Model == "gone" {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error":{"message":"The model gone has retired."}}`))
			return
		}
		_, _ = w.Write([]byte(`{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// consoleOf returns a console whose standard input has a text, and a function that returns
// what it said.
func consoleOf(t *testing.T, env map[string]string, input string) (*console.Console, func() string) {
	t.Helper()
	dir := t.TempDir()
	file := func(name, text string) *os.File {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err == nil {
			_, err = f.Seek(0, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	c := console.New(env, dir)
	c.In, c.Out, c.Err = file("in", input), file("out", ""), file("err", "")
	return c, func() string {
		out, _ := os.ReadFile(filepath.Join(dir, "out"))
		said, _ := os.ReadFile(filepath.Join(dir, "err"))
		return string(out) + string(said)
	}
}

// Scenario 80: a key that works is kept with the default model; one that does not work, and a
// model that does not answer, change nothing and are told with the provider's words.
func TestLogin(t *testing.T) {
	var asked []string
	home := t.TempDir()
	env := map[string]string{"GOLEM_HOME": home, "OPENAI_BASE_URL": provider(t, &asked), "DBUS_SESSION_BUS_ADDRESS": ""}
	left := func() (all string) {
		for _, name := range []string{"config.yaml", "secrets.json"} {
			data, _ := os.ReadFile(filepath.Join(home, name))
			all += string(data)
		}
		return all
	}
	for _, bad := range []struct {
		l           login
		key, expect string
	}{
		{login{provider: "openai"}, "sk-bad-4711\n", "Incorrect API key provided"},
		{login{provider: "openai", model: "gone"}, goodKey + "\n", "The model gone has retired"},
		{login{provider: "openai"}, "", "there is no key"},
		{login{provider: "openai"}, "two words here", "this is not a key"},
		{login{provider: "opena"}, goodKey, "openai"},
		{login{}, goodKey, "PROVIDER is missing"},
		{login{provider: "openai", store: "pocket"}, goodKey, "neither keyring nor file"},
	} {
		c, said := consoleOf(t, env, bad.key)
		l := bad.l
		_, err := l.run(c)
		if err == nil || !strings.Contains(err.Error(), bad.expect) || strings.Contains(err.Error()+said(), goodKey) || left() != "" {
			t.Errorf("%+v: %v; kept %q", bad.l, err, left())
		}
	}
	asked = nil
	c, said := consoleOf(t, env, goodKey+"\r\n")
	l := login{provider: "OpenAI", store: "file"}
	if done, err := l.run(c); !done || err != nil {
		t.Fatal(done, err)
	}
	if text := said(); strings.Contains(text, goodKey) || !strings.Contains(text, "your default model is openai:gpt-5-mini now") || len(asked) != 1 {
		t.Errorf("%s; asked %v", text, asked)
	}
	if kept := left(); !strings.Contains(kept, "model: openai:gpt-5-mini\n") || !strings.Contains(kept, goodKey) {
		t.Errorf("kept: %s", kept)
	}
	c, said = consoleOf(t, env, "")
	if err := listKeys(c, false); err != nil || !strings.Contains(said(), "OPENAI_API_KEY  file") || !strings.Contains(said(), "default model: openai:gpt-5-mini") {
		t.Errorf("%v: %s", err, said())
	}
	if err := removeKey(c, "openai"); err != nil || strings.Contains(left(), goodKey) {
		t.Errorf("%v: %s", err, left())
	}
}

// What Enter chooses is a model of the list.
func TestUsualModel(t *testing.T) {
	for want, names := range map[string][]string{
		"openai:gpt-5-mini":         {"openai:gpt-4o", "openai:gpt-5", "openai:gpt-5-mini"},
		"openai:gpt-5-mini-2027":    {"openai:gpt-5-mini-2026", "openai:gpt-5-mini-2027", "openai:gpt-5-x"},
		"ollama:only":               {"ollama:only"},
		"":                          {"ollama:a", "ollama:b"},
		"anthropic:claude-sonnet-9": {"anthropic:claude-haiku-9", "anthropic:claude-sonnet-8", "anthropic:claude-sonnet-9"},
	} {
		provider, _, _ := strings.Cut(names[0], ":")
		if got := usualOf(provider, names); got != want {
			t.Errorf("%v: %q, want %q", names, got, want)
		}
	}
}
