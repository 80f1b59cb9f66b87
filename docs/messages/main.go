// Command messages writes docs/messages.md: every error message of golem, with
// its code and its hint, read from the Go source. Run it at the repository's
// root after you changed a message:
//
//	go run ./docs/messages
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

const output = "docs/messages.md"

// head is the beginning of the page.
const head = `# Messages

Every error and warning that golem reports, grouped by its code. The code is stable; the text is not. ` + "`{…}`" + ` stands for a value, and the hint says what to do.
In a message the place comes first: ` + "`main.worker:4:1: E_CONFIG: unknown key \"toolset\" (did you mean toolsets)`" + `. [trace.md](trace.md) says how a message looks in JSON.

This page is generated from the source. After you changed a message, run ` + "`go run ./docs/messages`" + ` at the root of the repository.
`

func main() {
	page, err := render(".")
	if err == nil {
		err = os.WriteFile(output, []byte(page), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// render returns the page for the Go files below root.
func render(root string) (string, error) {
	s, err := read(root)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(head)
	found := s.messages()
	for _, code := range s.codes {
		section(&b, "## "+code.name+"\n", code.comment, found[code.name])
	}
	section(&b, "## Without a code of their own\n",
		"These are causes: they stand after the colon of another message, or take the code of the operation that failed", found[""])
	return b.String(), nil
}

// section writes the table of one code. It writes nothing for a code without messages.
func section(b *strings.Builder, title, comment string, rows []message) {
	if len(rows) == 0 {
		return
	}
	slices.SortFunc(rows, func(x, y message) int {
		return strings.Compare(strings.ToLower(x.text)+"\x00"+x.hint, strings.ToLower(y.text)+"\x00"+y.hint)
	})
	rows = slices.Compact(rows)
	fmt.Fprintf(b, "\n%s\n", title)
	if comment != "" {
		fmt.Fprintf(b, "%s.\n\n", strings.ToUpper(comment[:1])+comment[1:])
	}
	b.WriteString("| message | hint |\n|---|---|\n")
	for _, m := range rows {
		fmt.Fprintf(b, "| %s | %s |\n", cell(m.text), cell(m.hint))
	}
}

// cell returns a text for a cell of the table, with the characters escaped that have a meaning
// in Markdown.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ⏎ ", "<", "&lt;", "*", `\*`, "_", `\_`).Replace(text)
}
