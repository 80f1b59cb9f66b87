// Package docs has the pages of this directory that are for people who use golem. golem docs
// shows them and golem explain searches them, so that they are of the same version as golem.
package docs

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed batches.md cli.md control.md conversations.md editors.md embedding.md git.md hardening.md help.md keys.md libraries.md mcp.md
//go:embed errors.md migration.md models.md projects.md publishing.md security.md serve.md shell.md start.md templates.md testing.md
//go:embed batches/*.md import.md tools.md trace.md versions.md web.md web-tools.md words.md workers.md errors/*.md cookbook/*.md workers/*.md tools/*.md mcp/*.md models/*.md
//go:embed shell/*.md conversations/*.md libraries/*.md hardening/*.md testing/*.md git/*.md control/*.md web/*.md trace/*.md cli/*.md keys/*.md reference/*.md
var files embed.FS

// Part is a group of pages in the table of contents.
type Part struct {
	Title string
	About string   // one sentence
	Pages []string // their names without .md, in the order of reading
}

// Contents is the table of contents. Callers must not change it.
var Contents = []Part{
	{"Start", "From nothing to a worker of your own.", []string{"start", "projects", "workers", "models", "control", "words"}},
	{"Workers", "What is in the file of a worker, and what it may do.", []string{
		"workers/files", "workers/toolsets", "workers/skills", "workers/approval", "workers/commands",
		"workers/delegation", "templates", "workers/script-model", "workers/settings",
	}},
	{"Models", "Which model answers, and what it costs.", []string{"models/other-providers", "models/cost", "models/answers"}},
	{"Tools", "What workers can do beyond files.", []string{
		"tools", "tools/rights", "tools/others", "tools/go", "tools/description",
		"mcp", "mcp/tools", "mcp/signing-in", "shell", "shell/walls", "web-tools", "git", "git/sending",
	}},
	{"Work", "One task on each page.", []string{
		"conversations", "conversations/kept", "conversations/moving", "control/staged", "control/undo", "trace", "trace/opentelemetry",
		"testing", "testing/more", "hardening", "hardening/rules", "batches", "batches/machines",
	}},
	{"Share", "Projects and workers for others, and golem in other programs.", []string{
		"libraries", "libraries/installing", "publishing", "import", "serve", "editors", "mcp/server", "web", "web/views", "web/embedding", "web/providing",
		"embedding", "migration",
	}},
	{"Cookbook", "Small projects to copy. They run as they are, without a key.", []string{
		"cookbook/summarize-files", "cookbook/answer-as-json", "cookbook/write-without-questions", "cookbook/take-it-back",
		"cookbook/decide-later", "cookbook/workers-that-help", "cookbook/tool-in-javascript", "cookbook/share-a-text",
		"cookbook/many-inputs", "cookbook/test-a-prompt", "cookbook/in-a-script", "cookbook/what-happened",
	}},
	{"Help", "What you see, and what to do.", []string{"help", "errors"}},
	{"Security", "What golem protects, and what it does not.", []string{"security"}},
	{"Command line", "Commands, screens and versions.", []string{
		"cli", "cli/running", "cli/screens", "cli/chat", "versions"}},
	{"Lists", "Made from golem itself.", []string{
		"reference/pages", "reference/tools", "reference/limits", "reference/limits-runs", "reference/json", "reference/otlp", "reference/golem-js", "reference/page-options", "reference/commands", "reference/flags", "reference/chat", "reference/commands-run", "reference/commands-project", "reference/commands-show", "reference/commands-test",
		"reference/commands-decide", "reference/commands-you", "reference/commands-tools", "reference/commands-libraries", "reference/commands-batch", "reference/commands-serve",
		"keys", "keys/worker", "keys/project", "keys/shared-1", "keys/shared-2", "keys/shared-3", "keys/shared-4", "keys/config", "keys/lib", "keys/test",
		"models/providers", "trace/events", "trace/shown", "trace/values", "trace/question", "shell/programs", "shell/system-calls",
		"reference/templates", "reference/script", "reference/tools-yaml",
	}},
}

// Names has the names of the pages of Contents, in the order of reading. Callers must not
// change it.
var Names = names()

func names() []string {
	var out []string
	for _, part := range Contents {
		out = append(out, part.Pages...)
	}
	return out
}

// ErrorPages returns the names of the pages of error codes without .md, such as
// errors/E_TRUST, in the order of the alphabet. The messages of some codes are on several
// pages: errors/E_USAGE-2 has those that do not fit on errors/E_USAGE.
func ErrorPages() []string {
	found, _ := fs.Glob(files, "errors/*.md") // the pattern is valid
	for i, name := range found {
		found[i] = strings.TrimSuffix(name, ".md")
	}
	return found
}

// PagesOf returns the names of the pages of an error code, in their order.
func PagesOf(code string) []string {
	all, name := ErrorPages(), path.Join("errors", code)
	var out []string
	for _, page := range all {
		if page == name || strings.HasPrefix(page, name+"-") {
			out = append(out, page)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return len(a) - len(b) }) // E_A, E_A-2, …
	return out
}

// Read returns the Markdown of a page of Names or ErrorPages. It fails with fs.ErrNotExist if
// there is none.
func Read(name string) (string, error) {
	text, err := files.ReadFile(name + ".md")
	return string(text), err
}
