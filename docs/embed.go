// Package docs has the pages of this directory that are for people who use golem. golem docs
// shows them and golem explain searches them, so that they are of the same version as golem.
package docs

import "embed"

//go:embed batches.md cli.md control.md conversations.md embedding.md git.md hardening.md help.md keys.md libraries.md mcp.md
//go:embed messages.md migration.md models.md projects.md publishing.md security.md shell.md templates.md testing.md
//go:embed tools.md trace.md versions.md web.md web-tools.md workers.md
var files embed.FS

// Names has the names of the pages without .md: first the page to begin with, then the
// guides, then what is looked up. Callers must not change it.
var Names = []string{
	"help", "projects", "workers", "templates", "models", "conversations", "tools", "web-tools", "mcp", "shell", "git",
	"control", "security", "trace", "testing", "hardening", "batches", "libraries", "publishing", "web", "embedding",
	"migration", "cli", "keys", "messages", "versions",
}

// Read returns the Markdown of a page of Names. It fails with fs.ErrNotExist if there is none.
func Read(name string) (string, error) {
	text, err := files.ReadFile(name + ".md")
	return string(text), err
}
