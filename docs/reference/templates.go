package reference

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const templatesHead = `# What templates have

A [template](../templates.md) is written in Jinja2. This page lists what golem's has.

`

// templateFunctions are the functions, with their arguments.
const templateFunctions = "\n**Functions:** `file(NAME)`, `range(START, STOP, STEP)`, `dict(NAME=VALUE)`, `namespace(NAME=VALUE)`\n"

const builtinHead = `
## golem's own templates

` + "`{% extends \"builtin:NAME\" %}`" + ` uses one; write the blocks that differ.

`

var blockName = regexp.MustCompile(`\{% block (\w+) %\}`)

// Templates returns the page of filters, tests, functions and built-in templates, from the
// source below root.
func Templates(root string) (string, error) {
	s := newSource(root)
	var b strings.Builder
	b.WriteString(templatesHead)
	for i, list := range []struct{ title, name string }{{"Filters", "templateFilters"}, {"Tests", "templateTests"}} {
		entries, err := s.elements("core/prompt/builtins.go", list.name)
		if err != nil {
			return "", err
		}
		var names []string
		for _, entry := range entries {
			if pair, ok := entry.(*ast.KeyValueExpr); ok {
				names = append(names, text(pair.Key))
			}
		}
		slices.Sort(names)
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "**%s:** %s\n", list.title, ticked(names))
	}
	b.WriteString(templateFunctions + builtinHead)
	files, err := filepath.Glob(filepath.Join(root, "core", "builtin", "workers", "templates", "*.jinja"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("no built-in templates: %w", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		part, err := builtinTemplate(string(data))
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		b.WriteString(part)
	}
	return b.String(), nil
}

// builtinTemplate returns what the comment at the beginning of a template says, as an item of a
// list: its name, what it is, the blocks and the variables.
func builtinTemplate(source string) (string, error) {
	comment, _, ok := strings.Cut(strings.TrimPrefix(source, "{#-"), "-#}")
	if !ok {
		return "", fmt.Errorf("it does not begin with a comment")
	}
	comment = strings.Join(strings.Fields(comment), " ")
	for _, m := range blockName.FindAllStringSubmatch(source, -1) {
		if !strings.Contains(comment, m[1]) {
			return "", fmt.Errorf("its comment does not name the block %s", m[1])
		}
	}
	name, says, _ := strings.Cut(comment, ": ")
	return fmt.Sprintf("- `%s`: %s\n", name, says), nil
}
