package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/sandbox"
	"golem/core/toolset"
	"golem/docs/reference"
)

func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// maxPageBytes is the most that a page for users may have.
const maxPageBytes = 8 << 10

var flagName = regexp.MustCompile(`--[a-z][a-z-]+`)

// eventType finds the types of events in core/trace/body.go.
var eventType = regexp.MustCompile(`EventType\(\) string +\{ return "(.*?)" \}`)

// fresh tests that pages that a program makes are what it would write, that there are no
// others in the directory dir, and that they are short.
func fresh(t *testing.T, dir string, want map[string]string, command string) {
	t.Helper()
	for name, text := range want {
		if len(text) > maxPageBytes {
			t.Errorf("docs/%s has %d bytes, more than %d", name, len(text), maxPageBytes)
		}
		switch got, err := os.ReadFile(name); {
		case err != nil:
			t.Errorf("docs/%s cannot be read: %v; %s writes it", name, err, command)
		case string(got) != text:
			t.Errorf("docs/%s is out of date: %s writes it", name, command)
		}
	}
	files, err := filepath.Glob(dir + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if _, ok := want[filepath.ToSlash(name)]; !ok {
			t.Errorf("docs/%s is not written any more: remove it", name)
		}
	}
}

// TestReferencePagesAreFresh tests that the pages of commands, flags, providers and events are
// what golem has.
func TestReferencePagesAreFresh(t *testing.T) {
	golem, err := buildGolem()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := reference.Pages("..", t.TempDir(), func(home string, words ...string) (string, error) {
		cmd := exec.Command(golem, words...)
		cmd.Env = []string{"HOME=" + home}
		out, err := cmd.Output()
		return string(out), err
	})
	if err != nil {
		t.Fatal(err)
	}
	fresh(t, "reference", pages, "go run ./docs/reference/write")
	events := pages["trace/events.md"] + pages["trace/shown.md"]
	for _, m := range eventType.FindAllStringSubmatch(page(t, "../core/trace/body.go"), -1) {
		if !strings.Contains(events, "\n## "+m[1]+"\n") {
			t.Errorf("no page of events has %s", m[1])
		}
	}
	for _, p := range model.Rows() {
		if strings.Count(pages["models/providers.md"], "\n| `"+p.Name+"` |") != 2 {
			t.Errorf("the page of providers does not list %s twice", p.Name)
		}
	}
}

// TestCommandLinePagesNameKnownFlags tests that the pages about the command line name only flags
// that exist.
func TestCommandLinePagesNameKnownFlags(t *testing.T) {
	names, err := filepath.Glob("reference/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, name := range names {
		known = append(known, flagName.FindAllString(page(t, name), -1)...)
	}
	for _, name := range flagName.FindAllString(commandLinePages(t), -1) {
		if !slices.Contains(known, name) {
			t.Errorf("the pages about the command line name %s, which golem does not have", name)
		}
	}
}

// TestToolsPageKnowsTheFileTools tests that the page of golem's tools has the file tools, each
// with its arguments and risk.
func TestToolsPageKnowsTheFileTools(t *testing.T) {
	text := page(t, "reference/tools.md")
	files := toolset.Filesystem()
	set, err := toolset.NewRegistry(files).Open(t.Context(), files.Name, nil, toolset.Env{Files: sandbox.Memory(), OutputLimit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range set.Tools() {
		spec := one.Spec()
		at := strings.Index(text, "| `"+spec.Name+"` |")
		if at < 0 {
			t.Errorf("reference/tools.md does not list %s", spec.Name)
			continue
		}
		row, _, _ := strings.Cut(text[at:], "\n")
		var input struct {
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(spec.Input, &input); err != nil {
			t.Fatal(err)
		}
		for name := range input.Properties {
			optional := strings.Contains(row, "*`"+name+"`*")
			if !strings.Contains(row, "`"+name+"`") || optional == slices.Contains(input.Required, name) {
				t.Errorf("reference/tools.md: %s: argument %s is missing, or wrongly optional", spec.Name, name)
			}
		}
		if !strings.Contains(row, "| "+string(spec.Risk)+" |") {
			t.Errorf("reference/tools.md: %s has risk %s", spec.Name, spec.Risk)
		}
	}
}

// commandLinePages returns the text of all pages on the command line.
func commandLinePages(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("cli/*.md")
	if err != nil {
		t.Fatal(err)
	}
	text := page(t, "cli.md")
	for _, name := range names {
		text += page(t, name)
	}
	return text
}

var errorCode = regexp.MustCompile(`\bE_[A-Z_]+[A-Z]\b`)

// TestPagesNameKnownCodes tests that the pages name only error codes that exist.
func TestPagesNameKnownCodes(t *testing.T) {
	for _, name := range append(userPages(t), "design.md", "internal/threats.md", "internal/why.md", "internal/extending.md") {
		for _, code := range errorCode.FindAllString(page(t, name), -1) {
			if code != "E_CODE" && !slices.Contains(fault.Codes(), fault.Code(code)) {
				t.Errorf("%s names %s", name, code)
			}
		}
	}
}

// TestSpecNamesTheCommands tests that SPEC §12 names each command that golem has, except help,
// which every program has.
func TestSpecNamesTheCommands(t *testing.T) {
	_, text, _ := strings.Cut(page(t, "spec.md"), "\n## 12. ")
	text, _, _ = strings.Cut(text, "\n## 13. ")
	commands := regexp.MustCompile("(?m)^\\| \\[`golem (\\w+)`\\]").FindAllStringSubmatch(page(t, "reference/commands.md"), -1)
	if len(commands) < 30 {
		t.Fatalf("only %d commands were found", len(commands))
	}
	for _, m := range commands {
		if m[1] != "help" && !regexp.MustCompile(`\bgolem \[?`+m[1]+`\b`).MatchString(text) {
			t.Errorf("SPEC §12 (docs/spec.md) does not name golem %s", m[1])
		}
	}
}
