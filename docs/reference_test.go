package docs_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golem/core/describe"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/options"
	"golem/core/sandbox"
	"golem/core/toolset"
	"golem/core/trace"
	"golem/core/ui"
)

func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var flagName = regexp.MustCompile(`--[a-z][a-z-]+`)

// TestCommandLinePageKnowsTheFlags tests that cli.md has every flag, and only flags that exist.
func TestCommandLinePageKnowsTheFlags(t *testing.T) {
	dir := checkout(t)
	var known []string
	for _, command := range []string{"run", "chat", "init", "check", "workers", "trace list", "trace show", "trace diff", "trace export", "test", "trust", "clearance list", "clearance diff", "clearance push", "undo", "conversations", "harden", "batch", "batch list", "batch show", "batch questions", "batch retry", "batch remove", "worker", "tool new", "tool build", "tool pack", "tool inspect", "tool call", "tool lock", "tool add", "tool update", "pack", "lib install", "lib list", "lib info", "lib update", "lib remove", "lib lock", "mcp serve", "mcp login", "serve", "import", "web"} {
		for line := range strings.Lines(shell(t, dir, "golem "+command+" --help")) {
			if name := flagName.FindString(line); name != "" && strings.HasPrefix(strings.TrimSpace(line), "-") {
				known = append(known, name)
			}
		}
	}
	text := commandLinePages(t)
	told := flagName.FindAllString(text, -1)
	for _, name := range known {
		if name != "--help" && !slices.Contains(told, name) {
			t.Errorf("cli.md does not tell of %s", name)
		}
	}
	for _, name := range told {
		if !slices.Contains(known, name) {
			t.Errorf("cli.md tells of %s, which golem does not have", name)
		}
	}
}

// TestCommandLinePageHasTheCommandsOfAChat tests that cli.md lists the commands of a chat as
// /help does.
func TestCommandLinePageHasTheCommandsOfAChat(t *testing.T) {
	if want := "```\n" + ui.CommandHelp(true) + "```\n"; !strings.Contains(commandLinePages(t), want) {
		t.Errorf("cli.md does not have the list of /help:\n%s", want)
	}
}

// TestPagesHaveTheOptions tests that cli.md and web/options.md have the tables that are made from the
// options of a run; GOLEM_UPDATE=1 writes them.
func TestPagesHaveTheOptions(t *testing.T) {
	cli, web := options.All.Markdown()
	for name, parts := range map[string][]string{"cli.md": cli, "web/options.md": web} {
		text := page(t, name)
		for _, part := range parts {
			head, _, _ := strings.Cut(part, "|---|---|\n")
			before, old, ok := strings.Cut(text, head)
			_, after, _ := strings.Cut(old, "\n\n")
			switch written := before + part + "\n" + after; {
			case !ok:
				t.Errorf("%s has no table %q", name, head)
			case os.Getenv("GOLEM_UPDATE") != "":
				text = written
			case written != text:
				t.Errorf("a table of %s is not what the options say: GOLEM_UPDATE=1 go test ./docs -run TestPagesHaveTheOptions\n%s", name, part)
			}
		}
		if os.Getenv("GOLEM_UPDATE") != "" {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCommandLinePageHasTheTree tests that cli.md has every key of `golem workers --tree --json`.
func TestCommandLinePageHasTheTree(t *testing.T) {
	shape := func(of reflect.Type) string {
		var names []string
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			names = append(names, strconv.Quote(name))
		}
		return strings.Join(names, ",")
	}
	want := `"workers":[{` + shape(reflect.TypeFor[describe.TreeWorker]()) + `}]`
	if !strings.Contains(commandLinePages(t), want) {
		t.Errorf("cli.md does not have %s", want)
	}
}

// TestTracePageKnowsTheEvents tests that trace.md has every event and each of its fields.
func TestTracePageKnowsTheEvents(t *testing.T) {
	text := page(t, "trace.md") + page(t, "trace/events.md")
	for _, body := range []trace.Body{
		trace.RunStart{}, trace.RunEnd{}, trace.WorkerStart{}, trace.WorkerEnd{}, trace.Message{}, trace.ModelStart{}, trace.ModelEnd{},
		trace.Retry{}, trace.ToolStart{}, trace.ToolEnd{}, trace.Approval{}, trace.Fallback{}, trace.Warning{}, trace.Error{},
		trace.Delta{}, trace.Reasoning{}, trace.Progress{}, trace.Status{}, trace.Diff{}, trace.Ask{},
	} {
		entry := "| `" + body.EventType() + "` |"
		if body.Transient() {
			entry = "`" + body.EventType() + " {"
		}
		at := strings.Index(text, entry)
		if at < 0 {
			t.Errorf("trace.md does not tell of %s", body.EventType())
			continue
		}
		if body.EventType() == "error" {
			continue // it is the fault, told further down
		}
		row, _, _ := strings.Cut(text[at:], "\n\n")
		if body.Transient() {
			row, _, _ = strings.Cut(row, "}")
		} else {
			row, _, _ = strings.Cut(row, "\n")
		}
		typ := reflect.TypeOf(body)
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name != "-" && !strings.Contains(row, name) { // "-" is in no file
				t.Errorf("trace.md: %s does not tell of %s", body.EventType(), name)
			}
		}
	}
}

// TestModelsPageKnowsTheProviders tests that the table in models.md has a row for each provider,
// with the data of the code.
func TestModelsPageKnowsTheProviders(t *testing.T) {
	text := page(t, "models/providers.md")
	yes := map[bool]string{true: "yes", false: "no"}
	every := model.Settings{}
	for _, name := range []string{"temperature", "top_p", "max_output_tokens", "reasoning_effort", "seed", "stop", "parallel_tool_calls", "service_tier", "verbosity", "cache"} {
		every[name] = nil
	}
	for _, p := range model.Rows() {
		at := strings.Index(text, "| `"+p.Name+"` |")
		if at < 0 {
			t.Errorf("models.md does not list %s", p.Name)
			continue
		}
		row, _, _ := strings.Cut(text[at:], "\n")
		address, protocol := cmp.Or(p.BaseURL, "your own"), cmp.Or(p.API, model.Chat)
		back := "nothing"
		switch {
		case p.Name == "openai":
			protocol, back = "responses; chat at other addresses", "reasoning items"
		case p.API == model.Anthropic:
			back = "thinking"
		case len(p.Quirks.Carry) > 0:
			back = "`" + strings.Join(p.Quirks.Carry, "`, `") + "`"
		}
		output := map[string]string{model.JSONSchema: "JSON Schema", model.JSONObject: "JSON object"}[p.JSON]
		lacks := strings.Join(model.Config{}.Lacking(p.Name+":m", every), ", ")
		want := strings.Join([]string{"", address, yes[p.Image], yes[p.PDF], output, protocol, lacks, back, ""}, " | ")
		if !strings.Contains(row, strings.TrimSuffix(want, " ")) || !strings.Contains(row, p.KeyVar) {
			t.Errorf("models.md says\n%s\nwant %s and %s", row, p.KeyVar, want)
		}
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if from := cells[len(cells)-1]; len(cells) != 10 || from != "yes" && from != "not known" && !strings.HasPrefix(from, "with ") {
			t.Errorf("models.md: %s has %d cells, and from a page %q", p.Name, len(cells), from)
		}
	}
	_, table, _ := strings.Cut(text, "| provider |")
	table, _, _ = strings.Cut(table, "\n\n")
	if rows := strings.Count(table, "\n| `"); rows != len(model.Rows()) {
		t.Errorf("models.md lists %d providers, golem has %d", rows, len(model.Rows()))
	}
}

// TestWorkersPageKnowsTheFileTools tests that the table of file tools in workers/toolsets.md has each
// tool's arguments and risk.
func TestWorkersPageKnowsTheFileTools(t *testing.T) {
	text := page(t, "workers/toolsets.md")
	files := toolset.Filesystem()
	set, err := toolset.NewRegistry(files).Open(t.Context(), files.Name, nil, toolset.Env{Files: sandbox.Memory(), OutputLimit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range set.Tools() {
		spec := one.Spec()
		at := strings.Index(text, "| `"+spec.Name+"` |")
		if at < 0 {
			t.Errorf("workers/toolsets.md does not list %s", spec.Name)
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
				t.Errorf("workers/toolsets.md: %s: argument %s is missing, or wrongly optional", spec.Name, name)
			}
		}
		if !strings.HasSuffix(row, "| "+string(spec.Risk)+" |") {
			t.Errorf("workers/toolsets.md: %s has risk %s", spec.Name, spec.Risk)
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
