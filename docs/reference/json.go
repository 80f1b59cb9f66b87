package reference

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const jsonHead = `# What --json prints

` + "`?`" + ` marks a field that may be missing. Programs must ignore fields that they do not know. [Events](../trace/events.md) are what ` + "`golem run --json`" + ` prints; ` + "`faults`, `usage` and `error`" + ` are [the same there](../trace/values.md).
`

// printed is a type of which golem prints a value. of says where it is in the first type of its
// section.
type printed struct{ of, file, name string }

// printedTypes are the sections of the page with their types.
var printedTypes = []struct {
	title string
	types []printed
}{
	{"golem check", []printed{{"", "cmd/cli/projectcmd/check.go", "checkResult"}, {"`trust`", "cmd/cli/projectcmd/check.go", "checkTrust"}}},
	{"golem workers --tree", []printed{
		{"", "core/describe/calltree.go", "CallTree"}, {"each of `workers`", "core/describe/calltree.go", "TreeWorker"},
		{"each of `tools`", "core/describe/calltree.go", "TreeTool"}, {"each of `calls`", "core/describe/calltree.go", "WorkerCall"},
	}},
	{"golem skills", []printed{{"each of `skills`", "cmd/cli/projectcmd/skills.go", "skillRow"}}},
	{"golem trace diff", []printed{
		{"", "core/ui/report/diff.go", "Comparison"}, {"`a` and `b`", "core/ui/report/diff.go", "Side"},
		{"each of `differences`", "core/ui/report/diff.go", "Difference"},
	}},
	{"results.jsonl", []printed{{"each line", "core/batch/batch.go", "Result"}}},
	{"summary.json", []printed{{"", "core/batch/summary.go", "Summary"}}},
	{"A recording", []printed{
		{"the first line", "core/model/recording.go", "recordingHeader"}, {"each other line", "core/model/recording.go", "recordingLine"},
		{"`answer`", "core/model/recording.go", "recordedAnswer"}, {"`failure`", "core/model/recording.go", "recordedFailure"},
	}},
}

// JSON returns the page of the values that golem prints for programs, from the source below root.
func JSON(root string) (string, error) {
	out := jsonHead
	for _, section := range printedTypes {
		out += "\n## " + section.title + "\n"
		for _, p := range section.types {
			fields, err := fieldsOf(filepath.Join(root, filepath.FromSlash(p.file)), p.name)
			if err != nil {
				return "", err
			}
			if p.of != "" {
				out += "\n" + capital(p.of) + ":\n"
			}
			out += "\n" + fields
		}
		if section.title == "results.jsonl" {
			line, err := resultLine(root)
			if err != nil {
				return "", err
			}
			out += "\n```json\n" + line + "\n```\n"
		}
	}
	return out, nil
}

// resultLine returns a line of results.jsonl, which a recipe shows. A test compares the recipe
// with what golem batch writes.
func resultLine(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, "docs", "cookbook", "many-inputs.md"))
	line := regexp.MustCompile(`(?m)^\{"item".*$`).FindString(string(data))
	if err == nil && line == "" {
		err = errors.New("docs/cookbook/many-inputs.md shows no line of results.jsonl")
	}
	return line, err
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// fieldsOf returns the lines of the fields of a struct in a file.
func fieldsOf(file, name string) (string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		return "", err
	}
	var found *ast.StructType
	ast.Inspect(parsed, func(n ast.Node) bool {
		if t, ok := n.(*ast.TypeSpec); ok && t.Name.Name == name {
			found, _ = t.Type.(*ast.StructType)
		}
		return found == nil
	})
	if found == nil {
		return "", fmt.Errorf("%s has no struct %s", file, name)
	}
	out := ""
	for _, f := range found.Fields.List {
		line, err := field(f)
		if err != nil {
			return "", fmt.Errorf("%s: %s: %w", file, name, err)
		}
		out += line
	}
	return out, nil
}
