package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// capitals is a model provider (chat completions) that knows one capital. Of Atlantis it says
// that there is no such country only if its instructions ask for that.
type capitals struct{ requests atomic.Int64 }

func (c *capitals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.requests.Add(1)
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	all, answer := fmt.Sprint(body.Messages), "Paris"
	if strings.Contains(all, "Atlantis") {
		answer = "Poseidonis"
		if strings.Contains(all, "does not exist") {
			answer = "No such country."
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", answer)
}

// documented returns the first block of code of the pages on tests that contains a text.
func documented(t *testing.T, with string) string {
	t.Helper()
	for _, name := range []string{"../../docs/testing.md", "../../docs/testing/more.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?s)```[a-z]*\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
			if strings.Contains(block[1], with) {
				return block[1]
			}
		}
	}
	t.Fatalf("the pages on tests have no block with %s", with)
	return ""
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Scenario 82, SPEC §17: the steps of docs/testing.md, with its files. Cases are stale, recorded,
// green and red, stale after a change of the prompt, and green; runs become cases; two models
// stand side by side. On recordings no model is asked.
func TestStepsOfTheDocumentation(t *testing.T) {
	model := &capitals{}
	s := httptest.NewServer(model)
	defer s.Close()
	t.Setenv("OLLAMA_BASE_URL", s.URL)
	dir := t.TempDir()
	worker := strings.ReplaceAll(documented(t, "Answer with the capital"), "openai:gpt-5-mini", "ollama:a")
	writeFiles(t, dir, map[string]string{"main.worker": worker, "tests/capitals.yaml": documented(t, "cases:")})
	step := func(exit, requests int, says string, args ...string) {
		t.Helper()
		before := model.requests.Load()
		out, bad, got := golem(t, dir, args...)
		if got != exit || !regexp.MustCompile(says).MatchString(out+bad) {
			t.Errorf("golem %q: exit %d, want %d with %s\n%s%s", args, got, exit, says, out, bad)
		}
		if asked := model.requests.Load() - before; asked != int64(requests) {
			t.Errorf("golem %q: %d requests, want %d", args, asked, requests)
		}
	}
	step(2, 0, "2 stale", "test")
	step(1, 2, "1 passed, 1 failed", "test", "--record")
	step(1, 0, "(?s)✗ .*Atlantis|does not exist.*got   Poseidonis.*1 passed, 1 failed", "test")
	writeFiles(t, dir, map[string]string{"main.worker": worker + "Of a country that does not exist, say: No such country.\n"})
	step(2, 0, "(?s)message 1 \\(system\\) differs.*2 stale", "test")
	step(0, 1, "1 passed", "test", "--record", "--filter", "does not exist")
	step(2, 0, "1 passed, 1 stale", "test")
	step(0, 2, "2 passed", "test", "--record")
	step(0, 1, "Paris", "run", ".", "Which capital has France?")
	step(0, 0, "tests/which-capital-has-france.yaml", "test", "--accept", "--yes")
	step(0, 1, "Paris", "run", ".", "And France?")
	step(0, 0, `(?s)its input is that of tests/which-capital.*tests/main.yaml`, "trace", "export", "--cases", "--yes")
	step(0, 0, "4 passed", "test", "--junit", "report.xml")
	step(0, 80, `(?s)model .*passed.*ollama:a +40/40.*ollama:b +40/40`, "test", "--model", "ollama:a", "--model", "ollama:b", "--samples", "10", "-q")
	if report, err := os.ReadFile(filepath.Join(dir, "report.xml")); err != nil || !strings.Contains(string(report), `<testsuites name="golem test" tests="4" failures="0" errors="0">`) {
		t.Errorf("%s %v", report, err)
	}
}
