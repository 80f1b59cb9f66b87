package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The commands of "From prompt to code in fifteen minutes" are those of the script of the
// command line that plays them, in its order.
func TestHardeningPageIsPlayed(t *testing.T) {
	script, err := os.ReadFile("../cmd/cli/testdata/script/s84_harden.txtar")
	if err != nil {
		t.Fatal(err)
	}
	played, commands := string(script), 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page(t, "hardening.md"), -1) {
		for line := range strings.Lines(block[1]) {
			line = " " + strings.ReplaceAll(strings.TrimSpace(line), "MODEL", "script:harden.yaml") + "\n"
			_, rest, found := strings.Cut(played, line)
			if !found {
				t.Errorf("the script does not play %q here", line)
				continue
			}
			played, commands = rest, commands+1
		}
	}
	if commands < 8 {
		t.Errorf("only %d commands", commands)
	}
	tutorial, _, _ := strings.Cut(page(t, "hardening.md"), "\n## What golem does not trust")
	files := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(tutorial, -1)
	for _, part := range files {
		if !strings.Contains(string(script), " --\n"+part[1]) {
			t.Errorf("the script has another file than\n%s", part[1])
		}
	}
	if len(files) != 4 {
		t.Errorf("%d files", len(files))
	}
}

// TestHardeningPageShowsTheReport tests that hardening.md shows the report that golem prints for
// its files. GOLEM_UPDATE=1 writes it. The time of a call is 3 ms in the page.
func TestHardeningPageShowsTheReport(t *testing.T) {
	text, dir := page(t, "hardening.md"), checkout(t)
	files := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(text, -1)
	for i, name := range []string{"main.worker", "workers/triage.worker", "tests/triage.yaml", "answers.yaml"} {
		write(t, filepath.Join(dir, "desk", filepath.FromSlash(name)), files[i][1])
	}
	script, err := os.ReadFile("../cmd/cli/testdata/script/s84_harden.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, model, _ := strings.Cut(string(script), "\n-- desk/harden.yaml --\n")
	write(t, filepath.Join(dir, "desk", "harden.yaml"), model)
	out := shell(t, dir, "cd desk && golem harden triage --model script:harden.yaml || test $? -eq 3")
	report := regexp.MustCompile(`(?s)triage: \d+ cases.*?\n  writing it: .*?\n`).FindString(out)
	report = regexp.MustCompile(`(a call after:  \$0\.00, ).*?,`).ReplaceAllString(report, "${1}3 ms,")
	report = regexp.MustCompile(` +\n`).ReplaceAllString(report, "\n")
	shown := regexp.MustCompile("(?s)```text\n(.*?)```").FindStringSubmatchIndex(text)
	if report == "" || shown == nil {
		t.Fatalf("golem prints\n%s", out)
	}
	if text[shown[2]:shown[3]] == report {
		return
	}
	if os.Getenv("GOLEM_UPDATE") == "" {
		t.Errorf("hardening.md shows\n%s\ngolem prints\n%s\nGOLEM_UPDATE=1 go test ./docs -run TestHardeningPageShowsTheReport writes it", text[shown[2]:shown[3]], report)
	} else if err := os.WriteFile("hardening.md", []byte(text[:shown[2]]+report+text[shown[3]:]), 0o644); err != nil {
		t.Error(err)
	}
}
