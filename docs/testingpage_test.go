package docs_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golem/core/worktest"
)

// TestTestingPage tests that "The first test" of testing.md says what happens: without a
// recording both cases are stale, after --record the second one is red, after a change of the
// prompt both are stale, and the command with --filter records one of them again. A script
// answers in place of the model.
func TestTestingPage(t *testing.T) {
	text := page(t, "testing.md")
	blocks := block.FindAllStringSubmatch(text, 3)
	worker, cases, commands := blocks[0][2], blocks[1][2], blocks[2][2]
	dir := checkout(t)
	project := filepath.Join(dir, "capitals")
	write(t, filepath.Join(project, "main.worker"), strings.Replace(worker, "openai:gpt-5-mini", "script:script.yaml", 1))
	write(t, filepath.Join(project, "tests", "capitals.yaml"), cases)
	write(t, filepath.Join(project, "script.yaml"), "script: 1\nworkers:\n  main:\n    - {when: {text: France}, say: Paris}\n    - {say: Unknown}\n")
	filtered := regexp.MustCompile("`(golem test --record --filter [^`]+)`").FindStringSubmatch(text)
	if filtered == nil || !strings.Contains(commands, "golem test --record ") {
		t.Fatal("testing.md has no commands")
	}
	for _, step := range []struct{ command, want string }{
		{"golem test", "0 passed, 2 stale"},
		{"golem test --record", "1 passed, 1 failed"},
		{"golem test", "1 passed, 1 failed"},
		{"echo 'If there is none, say so.' >>main.worker; golem test", "0 passed, 2 stale"},
		{filtered[1], "0 passed, 1 failed"},
	} {
		if out := shell(t, project, "PATH="+filepath.Join(dir, "bin")+":$PATH; "+step.command+" || test $? -le 2"); !strings.Contains(out, step.want) {
			t.Errorf("%s: no %q in\n%s", step.command, step.want, out)
		}
	}
}

// TestEvalsOfThePage tests that golem reads all that the evals in testing/more.md say.
func TestEvalsOfThePage(t *testing.T) {
	_, after, _ := strings.Cut(page(t, "testing/more.md"), "\n```json\n")
	text, _, _ := strings.Cut(after, "```")
	file, faults := worktest.ReadEvals("skills/owls/evals/evals.json", []byte(text))
	if len(faults) > 0 || len(file.Cases) != 1 {
		t.Fatalf("%d evals, %v in\n%s", len(file.Cases), faults, text)
	}
	c := file.Cases[0]
	if c.Name != "1" || c.Input.Text == "" || c.Expected == "" || len(c.Expectations) != 1 || len(c.Laid) != 1 || c.Laid[0].From != "skills/owls/evals/files/birds.md" {
		t.Errorf("golem reads %+v", c)
	}
}
