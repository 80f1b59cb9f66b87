// Package site makes the documentation as static web pages: the pages of package docs with a
// list of all pages, a search, and styles for light and dark. Nothing in them is loaded from
// elsewhere, and no page has a script or a style in it, so that they work under Policy.
package site

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"path"
	"slices"
	"strings"

	"golem/docs"
)

// Policy is the Content-Security-Policy that the pages need, and that a server should send
// with each of them. They have it in themselves, too, for servers that send no headers.
const Policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"

//go:embed style.css
var style []byte

//go:embed search.js
var script []byte

//go:embed icon.svg
var icon []byte

// maker makes the files of a site.
type maker struct {
	app    string            // the address of golem's page, relative to the site's root, "" if there is none
	names  []string          // the names of all pages, in the order of reading
	titles map[string]string // the headings of all pages, by name and by name#anchor
}

// Files returns the files of the site by their slash paths. app is the address of golem's own
// page, relative to the directory of the site, to which each page leads; "" if there is none.
func Files(app string) (map[string][]byte, error) {
	m := &maker{app: app, names: slices.Concat(docs.Names, docs.ErrorPages()), titles: map[string]string{}}
	read := map[string]*document{}
	for _, name := range m.names {
		text, err := docs.Read(name)
		if err != nil {
			return nil, fmt.Errorf("the page %s: %w", name, err)
		}
		read[name] = parse(name, []byte(text))
		m.titles[name] = read[name].title
		for _, s := range read[name].sections {
			m.titles[name+"#"+s.ID] = s.Title
		}
	}
	files := map[string][]byte{"style.css": style, "search.js": script, "icon.svg": icon}
	var index []indexed
	for _, name := range m.names {
		d := read[name]
		body, err := m.render(d)
		if err != nil {
			return nil, fmt.Errorf("the page %s: %w", name, err)
		}
		files[name+".html"] = m.page(d, body)
		index = append(index, indexed{name + ".html", d.title, d.sections})
	}
	files["index.html"] = m.page(&document{name: "index", title: "golem's documentation"}, m.contents(read))
	var err error
	files["search.json"], err = json.Marshal(index)
	return files, err
}

// indexed is a page as the search knows it.
type indexed struct {
	Path     string    `json:"path"`
	Title    string    `json:"title"`
	Sections []section `json:"sections"`
}

// page returns a whole page: body with what is around it.
func (m *maker) page(d *document, body string) []byte {
	root := strings.Repeat("../", strings.Count(d.name, "/"))
	title := html.EscapeString(d.title)
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en" data-root="%[1]s">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%[2]s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>%[3]s · golem</title>
<link rel="stylesheet" href="%[1]sstyle.css">
<link rel="icon" href="%[1]sicon.svg" type="image/svg+xml">
<script src="%[1]ssearch.js" defer></script>
</head>
<body>
<a class="skip" href="#main-text">Skip to the text</a>
<header>
<a class="home" href="%[1]sindex.html">golem <span>documentation</span></a>
<div class="search" role="search" hidden>
<input type="search" aria-label="Search the documentation" placeholder="Search: words, or an error" autocomplete="off" spellcheck="false">
<div class="found" hidden><p role="status"></p><ol></ol></div>
</div>
`, root, html.EscapeString(Policy), title)
	if m.app != "" {
		fmt.Fprintf(&b, "<a class=\"app\" href=\"%s%s\">Open golem</a>\n", root, html.EscapeString(m.app))
	}
	b.WriteString("</header>\n<div class=\"columns\">\n")
	m.menu(&b, d.name, root)
	b.WriteString("<main id=\"main-text\" tabindex=\"-1\">\n")
	if d.name == "index" {
		fmt.Fprintf(&b, "<h1>%s</h1>\n", title)
	}
	b.WriteString(body)
	m.neighbours(&b, d.name, root)
	b.WriteString("</main>\n")
	d.outline(&b)
	b.WriteString("</div>\n</body>\n</html>\n")
	return []byte(b.String())
}

// menu writes the list of all pages. The page with this name is marked in it.
func (m *maker) menu(b *strings.Builder, name, root string) {
	b.WriteString("<details class=\"menu\">\n<summary>Pages</summary>\n<nav aria-label=\"Pages\">\n")
	for _, part := range docs.Contents {
		fmt.Fprintf(b, "<h2>%s</h2>\n<ul>\n", html.EscapeString(part.Title))
		for _, page := range part.Pages {
			current := ""
			if page == name || page == "errors" && path.Dir(name) == "errors" {
				current = ` aria-current="page"`
			}
			fmt.Fprintf(b, "<li><a href=\"%s%s.html\"%s>%s</a></li>\n", root, page, current, html.EscapeString(m.titles[page]))
		}
		b.WriteString("</ul>\n")
	}
	b.WriteString("</nav>\n</details>\n")
}

// neighbours writes links to the page before the page with this name and to the one after it.
func (m *maker) neighbours(b *strings.Builder, name, root string) {
	i := slices.Index(docs.Names, name)
	if i < 0 {
		return
	}
	b.WriteString("<nav class=\"neighbours\" aria-label=\"Next pages\">\n")
	if i > 0 {
		fmt.Fprintf(b, "<a rel=\"prev\" href=\"%s%s.html\">← %s</a>\n", root, docs.Names[i-1], html.EscapeString(m.titles[docs.Names[i-1]]))
	}
	if i+1 < len(docs.Names) {
		fmt.Fprintf(b, "<a rel=\"next\" href=\"%s%s.html\">%s →</a>\n", root, docs.Names[i+1], html.EscapeString(m.titles[docs.Names[i+1]]))
	}
	b.WriteString("</nav>\n")
}

// contents returns the body of the first page: each part with its pages and how they begin.
func (m *maker) contents(read map[string]*document) string {
	var b strings.Builder
	for _, part := range docs.Contents {
		fmt.Fprintf(&b, "<section class=\"part\">\n<h2>%s</h2>\n<p>%s</p>\n<ul>\n", html.EscapeString(part.Title), html.EscapeString(part.About))
		for _, page := range part.Pages {
			fmt.Fprintf(&b, "<li><a href=\"%s.html\">%s</a> <span>%s</span></li>\n", page, html.EscapeString(m.titles[page]), html.EscapeString(read[page].first))
		}
		b.WriteString("</ul>\n</section>\n")
	}
	return b.String()
}

// outline writes links to the sections of a page that has several.
func (d *document) outline(b *strings.Builder) {
	var rows []string
	for _, s := range d.sections {
		if s.level == 2 {
			rows = append(rows, fmt.Sprintf("<li><a href=\"#%s\">%s</a></li>\n", s.ID, html.EscapeString(s.Title)))
		}
	}
	if len(rows) > 1 {
		fmt.Fprintf(b, "<details class=\"outline\">\n<summary>On this page</summary>\n<nav aria-label=\"On this page\">\n<ul>\n%s</ul>\n</nav>\n</details>\n", strings.Join(rows, ""))
	}
}
