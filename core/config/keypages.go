package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/yamltree"
)

// maxKeyPage is about the most bytes of a page of keys.
const maxKeyPage = 7500

// minShared is the size from which keys that several files share have a section of their own.
const minShared = 300

const keysHead = `# Keys

Every key of every file. ` + "`golem schema NAME`" + ` prints the same as a JSON Schema, for editors. [Workers](workers.md) says what the keys do together. ` + "`*`" + ` in a key stands for a name of your choice.
`

// keyRow is a row of a table of keys, with the first part of the key.
type keyRow struct{ top, row string }

func (f File) rows() []keyRow {
	var out []keyRow
	clean := strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;")
	f.Shape.EachKey("", func(path string, s *yamltree.Shape) {
		top := path
		if i := strings.IndexAny(path, ".["); i >= 0 {
			top = path[:i]
		}
		out = append(out, keyRow{top, fmt.Sprintf("| `%s` | %s | %s |\n", path, clean.Replace(s.Form()), clean.Replace(s.Doc))})
	})
	return out
}

// inner returns the rows below the first parts of keys, by these.
func (f File) inner() map[string]string {
	out := map[string]string{}
	for _, r := range f.rows() {
		if !strings.HasPrefix(r.row, "| `"+r.top+"` |") {
			out[r.top] += r.row
		}
	}
	return out
}

// KeyPages returns the pages of docs that list every key of the files, by their names. What
// several files share is listed once.
func KeyPages(files []File) map[string]string {
	seen, shared := map[string]string{}, map[string]string{}
	for _, f := range files {
		for top, rows := range f.inner() {
			if len(rows) > minShared && seen[top] == rows {
				shared[top] = rows
			}
			seen[top] = rows
		}
	}
	pages, where := sharedPages(shared)
	index := keysHead
	for _, f := range files {
		list := ""
		for i, part := range parts(f.ownRows(shared, where)) {
			name, title := "keys/"+f.Schema, "# Keys: "+f.Schema
			if i > 0 {
				name, title = fmt.Sprintf("%s-%d", name, i+1), fmt.Sprintf("%s, page %d", title, i+1)
			}
			pages[name+".md"] = title + "\n\n" + f.Doc + "\n\n" + keyTable + part
			list += fmt.Sprintf(", [%s](%s.md)", strings.TrimPrefix(name, "keys/"), name)
		}
		index += fmt.Sprintf("\n## %s\n\n%s Its keys: %s.\n", f.Schema, f.Doc, strings.TrimPrefix(list, ", "))
	}
	pages["keys.md"] = index
	return pages
}

// sharedPages returns the pages of shared keys, and the address of each key there.
func sharedPages(shared map[string]string) (pages, where map[string]string) {
	pages, where = map[string]string{}, map[string]string{}
	page, number := "", 1
	for _, top := range slices.Sorted(maps.Keys(shared)) {
		for i, part := range parts(shared[top]) {
			title := top
			if i > 0 {
				title += ", continued"
			}
			section := "\n## " + title + "\n\n" + keyTable + part
			if page != "" && len(page)+len(section) > maxKeyPage {
				page, number = "", number+1
			}
			name := fmt.Sprintf("keys/shared-%d.md", number)
			if page == "" {
				page = fmt.Sprintf("# Keys of several files, page %d\n\nKeys that mean the same in several files.\n", number)
			}
			page += section
			pages[name] = page
			if i == 0 {
				where[top] = fmt.Sprintf("shared-%d.md#%s", number, top)
			}
		}
	}
	return pages, where
}

const keyTable = "| key | value | meaning |\n|---|---|---|\n"

// ownRows returns the rows of a file. In place of those that are shared there is a link to where
// they are.
func (f File) ownRows(shared, where map[string]string) string {
	out := ""
	inner := f.inner()
	for _, r := range f.rows() {
		top := strings.HasPrefix(r.row, "| `"+r.top+"` |")
		switch at := where[r.top]; {
		case at == "" || inner[r.top] != shared[r.top]:
			out += r.row
		case top:
			out += strings.TrimSuffix(r.row, " |\n") + fmt.Sprintf(" [Its keys](%s) |\n", at)
		}
	}
	return out
}

// parts splits rows into parts that fit on a page.
func parts(rows string) []string {
	out := []string{""}
	for row := range strings.Lines(rows) {
		if last := &out[len(out)-1]; *last == "" || len(*last)+len(row) < maxKeyPage-200 {
			*last += row
			continue
		}
		out = append(out, row)
	}
	return out
}
