package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestHardeningPageShowsTheReport tests that hardening.md shows all that golem harden prints for
// its files where nobody can answer its question. The time of a call is 3 ms in the page.
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
	printed := shell(t, dir, "cd desk && golem harden triage --model script:harden.yaml || test $? -eq 3")
	printed = regexp.MustCompile(`(a call after:  \$0\.00, ).*?,`).ReplaceAllString(printed, "${1}3 ms,")
	printed = regexp.MustCompile(` +\n`).ReplaceAllString(printed, "\n")
	shown := regexp.MustCompile("(?s)```text\n(.*?)```").FindStringSubmatch(text)
	if shown == nil {
		t.Fatalf("golem prints\n%s", printed)
	}
	sameScreen(t, "hardening.md", shown[1], printed)
}
