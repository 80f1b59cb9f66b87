package site

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// document is a page as it was read.
type document struct {
	name     string // without .md
	title    string
	first    string // the first sentence below the title
	source   []byte
	root     ast.Node
	sections []section // the title is the first
}

// section is a heading with the text below it, to the next heading.
type section struct {
	ID    string `json:"id"` // what a link to it has after the "#", "" for the page's title
	Title string `json:"title"`
	Text  string `json:"text"`
	level int
}

// markdown reads and writes CommonMark with tables. HTML in a page is left out.
func markdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(scrolling{}, 100))),
	)
}

func parse(name string, source []byte) *document {
	d := &document{name: name, source: source}
	d.root = markdown().Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{}))))
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		plain := strings.Join(strings.Fields(words(n, source)), " ")
		if h, ok := n.(*ast.Heading); ok {
			id := ""
			if v, ok := h.AttributeString("id"); ok && h.Level > 1 {
				id = string(v.([]byte))
			}
			d.sections = append(d.sections, section{ID: id, Title: plain, level: h.Level})
			continue
		}
		if len(d.sections) == 0 {
			continue
		}
		if last := &d.sections[len(d.sections)-1]; last.Text == "" {
			last.Text = plain
		} else {
			last.Text += " " + plain
		}
	}
	if len(d.sections) > 0 {
		d.title, d.first = d.sections[0].Title, sentence(d.sections[0].Text)
	}
	return d
}

// sentence returns the first sentence of a text.
func sentence(s string) string {
	if before, _, ok := strings.Cut(s, ". "); ok {
		return before + "."
	}
	return s
}

// words returns the text of a node, without marks.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(util.UnescapePunctuations(util.ResolveEntityNames(n.Segment.Value(source))))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		}
		if !entering && (n.Type() == ast.TypeBlock || n.Kind() == extast.KindTableCell) {
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	}) // the function returns no error
	return b.String()
}

// render returns the document as HTML, with links that lead to the pages of the site.
func (m *maker) render(d *document) (string, error) {
	var links []*ast.Link
	err := ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			links = append(links, link)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", err
	}
	for _, link := range links {
		if err := m.lead(d, link); err != nil {
			return "", err
		}
	}
	var b bytes.Buffer
	if err := markdown().Renderer().Render(&b, d.source, d.root); err != nil {
		return "", err
	}
	return b.String(), nil
}

// lead makes a link to a page of docs one to a page of the site. The name of a file as its
// text becomes the title of the page or of the section. A link to another file of the
// repository becomes text.
func (m *maker) lead(d *document, link *ast.Link) error {
	target, err := url.Parse(string(link.Destination))
	if err != nil {
		return fmt.Errorf("the link %s: %w", link.Destination, err)
	}
	if target.IsAbs() || target.Path == "" {
		return nil
	}
	to := strings.TrimSuffix(path.Join(path.Dir(d.name), target.Path), ".md")
	title, known := m.titles[to]
	if !known {
		for child := link.FirstChild(); child != nil; child = link.FirstChild() {
			link.Parent().InsertBefore(link.Parent(), link, child)
		}
		link.Parent().RemoveChild(link.Parent(), link)
		return nil
	}
	if target.Fragment != "" {
		section, known := m.titles[to+"#"+target.Fragment]
		if !known {
			return fmt.Errorf("the link %s leads to no section", link.Destination)
		}
		title = section
	}
	if strings.HasSuffix(words(link, d.source), ".md") {
		link.RemoveChildren(link)
		link.AppendChild(link, ast.NewString([]byte(title)))
	}
	target.Path = strings.TrimSuffix(target.Path, ".md") + ".html"
	link.Destination = []byte(target.String())
	return nil
}

// anchors gives headings the anchors that links in the pages have: letters, digits, "-" and
// "_" in lower case, and "-" for a space.
type anchors struct{ used map[string]int }

// Generate implements parser.IDs.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, string(value))
	if a.used == nil {
		a.used = map[string]int{}
	}
	a.used[id]++
	if n := a.used[id]; n > 1 {
		id = fmt.Sprintf("%s-%d", id, n-1)
	}
	return []byte(id)
}

// Put implements parser.IDs. No page gives a heading an anchor of its own.
func (a *anchors) Put([]byte) {}

// scrolling writes what may be wider than the page, tables and code, so that it scrolls by
// itself, also with the keyboard.
type scrolling struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (scrolling) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(extast.KindTable, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := "</table>\n</div>\n"
		if entering {
			tag = "<div class=\"table\" role=\"group\" aria-label=\"Table\" tabindex=\"0\">\n<table>\n"
		}
		_, err := w.WriteString(tag)
		return ast.WalkContinue, err
	})
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(ast.KindCodeBlock, code)
}

// code writes a block of code.
func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, err := w.WriteString("</code></pre>\n")
		return ast.WalkContinue, err
	}
	_, err := w.WriteString("<pre tabindex=\"0\"><code>")
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		html.DefaultWriter.RawWrite(w, line.Value(source))
	}
	return ast.WalkSkipChildren, err
}
