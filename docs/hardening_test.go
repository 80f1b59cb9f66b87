package docs_test

import (
	"os"
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
