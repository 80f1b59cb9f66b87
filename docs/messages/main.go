// Command messages writes docs/errors.md and a page in docs/errors for each code of an error:
// what it means, its usual causes, and every message with its hint, read from the Go source.
// Run it at the repository's root after you changed a message:
//
//	go run ./docs/messages
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxPage is about the most bytes of a page. The messages of a code that has more are on
// several pages.
const maxPage = 7500

// index is the beginning of docs/errors.md.
const index = `# Error codes

Every error and warning of golem has a code. The code stays the same in later versions, the words may not. ` + "`golem explain CODE`" + ` shows in a terminal what the page of a code says here, and ` + "`golem explain 'WHOLE MESSAGE'`" + ` shows what fits to one message.

In a message the place comes first: ` + "`main.worker:4:1: E_CONFIG: unknown key \"toolset\" (did you mean toolsets)`" + `. [trace.md](trace.md) says how a message looks in JSON.

| code | what it means |
|---|---|
`

// withoutCode is the name of the page of messages that are parts of others.
const withoutCode = "without-code"

func main() {
	pages, err := render(".")
	if err == nil {
		err = write("docs", pages)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the pages below dir, and removes pages of errors that are not among them.
func write(dir string, pages map[string]string) error {
	if err := os.MkdirAll(filepath.Join(dir, "errors"), 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "errors", "*.md"))
	if err != nil {
		return err
	}
	for _, file := range old {
		if _, kept := pages["errors/"+filepath.Base(file)]; !kept {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(pages[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// render returns the pages for the Go files below root, by their names in docs.
func render(root string) (map[string]string, error) {
	s, err := read(root)
	if err != nil {
		return nil, err
	}
	pages := map[string]string{}
	found := s.messages()
	var list strings.Builder
	list.WriteString(index)
	for _, code := range s.codes {
		known := causes[code.name]
		if len(known) == 0 {
			return nil, fmt.Errorf("docs/messages/causes.go has no cause of %s", code.name)
		}
		meaning := strings.ToUpper(code.comment[:1]) + code.comment[1:]
		fmt.Fprintf(&list, "| [%s](errors/%s.md) | %s |\n", code.name, code.name, cell(meaning))
		addPages(pages, code.name, code.name, beginning(meaning, known), found[code.name])
	}
	list.WriteString("\n[Messages without a code](errors/" + withoutCode + ".md) are parts of others.\n")
	pages["errors.md"] = list.String()
	addPages(pages, withoutCode, "Messages without a code",
		"These are causes: they follow the colon of another message, or get the code of the operation that failed.\n", found[""])
	return pages, nil
}

// beginning returns what a code's page says before its messages.
func beginning(meaning string, known []cause) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n| usual cause | what to do |\n|---|---|\n", meaning)
	for _, c := range known {
		fmt.Fprintf(&b, "| %s | %s |\n", c.what, c.do)
	}
	return b.String()
}

// addPages adds the pages of one code: text, then the table of its messages, on further pages
// where they do not fit on one.
func addPages(pages map[string]string, name, title, text string, rows []message) {
	slices.SortFunc(rows, func(x, y message) int {
		return strings.Compare(strings.ToLower(x.text)+"\x00"+x.hint, strings.ToLower(y.text)+"\x00"+y.hint)
	})
	rows = slices.Compact(rows)
	if len(rows) == 0 {
		pages["errors/"+name+".md"] = "# " + title + "\n\n" + text + "\nNo message of this version has this code.\n"
		return
	}
	const head = "| message | what to do |\n|---|---|\n"
	own, number := "# "+title+"\n\n"+text+"\n## Messages\n\n`{…}` stands for a value.\n\n"+head, 1
	for i, m := range rows {
		row := fmt.Sprintf("| %s | %s |\n", cell(m.text), cell(m.hint))
		if i > 0 && len(own)+len(row) > maxPage {
			next := fmt.Sprintf("%s-%d.md", name, number+1)
			pages[pageName(name, number)] = own + "\n[More messages](" + next + ")\n"
			number++
			own = fmt.Sprintf("# %s, page %d\n\nMore messages of [%s](%s.md), in the order of the alphabet. `{…}` stands for a value.\n\n%s", title, number, title, name, head)
		}
		own += row
	}
	pages[pageName(name, number)] = own
}

// pageName returns the name of a code's page with this number, from 1.
func pageName(name string, number int) string {
	if number == 1 {
		return "errors/" + name + ".md"
	}
	return fmt.Sprintf("errors/%s-%d.md", name, number)
}

// cell returns a text for a cell of the table, with the characters escaped that have a meaning
// in Markdown.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ⏎ ", "<", "&lt;", "*", `\*`, "_", `\_`, "[", `\[`).Replace(text)
}
