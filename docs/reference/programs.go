package reference

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

const programsHead = `# Programs that a wildcard covers

A [rule on commands](../workers/commands.md) with a wildcard, such as ` + "`\"git log *\"`" + `, covers only these programs, with their common options in the exact spelling. For everything else, write the command without a wildcard.

`

// programGroup is a part of the page.
type programGroup struct {
	title string
	has   func(program) bool
}

// programGroups are the parts of the page, in their order.
var programGroups = []programGroup{
	{"With any options", func(p program) bool { return p.any }},
	{"With options that start nothing and write nothing", func(p program) bool { return !p.named && p.operands == "" }},
	{"The same, with files in the directory only", func(p program) bool { return !p.named && p.operands == "staysInside" }},
	{"The same, without other words", func(p program) bool { return !p.named && p.operands == "noOperand" }},
	{"The same, with a format", func(p program) bool { return !p.named && p.operands == "format" }},
	{"These change files, or run the project's code: a rule must have these words", func(p program) bool { return p.named }},
}

const programsEnd = `
Hooks and editors that git is configured to start are started. Options of builds and tests that choose another program, file or directory ask: ` + "`-exec`, `-toolexec`, `-o`, `make -f`, `make SHELL=…`, `npm --script-shell`, `cargo --config`, `pytest -p`" + `.

## What always asks under a wildcard

- an option that golem does not know, also after ` + "`--`" + `, or an abbreviated one
- a program with its directory: ` + "`./git`, `/usr/bin/git`" + `
- options before a subcommand (` + "`git -C`" + `), except ` + "`--no-pager`" + `
- formats of git that check signatures (` + "`%G?`, `%(signature)`" + `), or with names that are not git's
- a word that the shell may turn into an option: ` + "`*.go`; `./*.go` and `src/*.go`" + ` are fine
- git, while a repository in, above or below the directory is configured to start a program (` + "`core.fsmonitor`" + `, a diff driver, a filter, ` + "`gpg.program`" + `) or in a way that golem does not know. Your own ` + "`~/.gitconfig`" + ` does not count
- git in a line that leaves the directory (` + "`cd .. && git status`" + `), writes to ` + "`.git`" + `, or copies or moves files (` + "`cp a b && git status`" + `)

A program that is not in the lists always asks, such as ` + "`git push`, `go run`, `sed`, `xargs`, `sudo`, `python`, `curl`" + ` or a script of yours.
`

// program is a row of the table of programs in core/approval/sh.
type program struct {
	names    []string
	any      bool   // with any options
	named    bool   // a rule must have its words
	operands string // the function that judges its other words
}

// Programs returns the page of the programs that a rule with a wildcard covers, from the source
// below root.
func Programs(root string) (string, error) {
	const file = "core/approval/sh/programs.go"
	rows, err := newSource(root).elements(file, "programs")
	if err != nil {
		return "", err
	}
	groups := make([][]string, len(programGroups))
	for _, row := range rows {
		p := programRow(elements(row))
		i := slices.IndexFunc(programGroups, func(g programGroup) bool { return g.has(p) })
		if i < 0 || len(p.names) == 0 {
			return "", fmt.Errorf("%s: docs/reference/programs.go has no group for %q", file, p.names)
		}
		groups[i] = append(groups[i], p.names...)
	}
	var b strings.Builder
	b.WriteString(programsHead)
	for i, names := range groups {
		fmt.Fprintf(&b, "- **%s:** %s\n", programGroups[i].title, ticked(names))
	}
	return b.String() + programsEnd, nil
}

// programRow reads a row of the table.
func programRow(fields []ast.Expr) program {
	var p program
	for _, field := range fields {
		pair, ok := field.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, _ := pair.Key.(*ast.Ident)
		value, _ := pair.Value.(*ast.Ident)
		switch {
		case key == nil:
		case key.Name == "names":
			p.names = strings.Split(text(pair.Value), ",")
		case key.Name == "short":
			p.any = text(pair.Value) == "*"
		case key.Name == "named":
			p.named = value != nil && value.Name == "true"
		case key.Name == "operands" && value != nil:
			p.operands = value.Name
		}
	}
	return p
}
