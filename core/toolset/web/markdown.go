package web

import (
	"net/url"
	"slices"
	"strings"

	"golem/core/tool"
)

// markdown returns the part of a page that a person reads: its title, and its main content
// as Markdown, or with all also menus and footers. Links become absolute; base is the
// address of the page. Scripts, styles, comments and hidden elements are left out.
func markdown(page string, base *url.URL, all bool) (title, text string) {
	b := parse(page)
	w := &writer{base: base}
	if b.base != "" && len(b.base) <= maxAddress && base != nil {
		if u, err := base.Parse(b.base); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
			w.base = u
		}
	}
	root := b.stack[0]
	if main := mainOf(root); !all && main != nil {
		root, w.leave = main, words("nav footer")
	} else if !all {
		w.leave = words("nav footer aside header")
	}
	text = w.page(root)
	if text == "" && w.leave != nil {
		w.leave = nil
		text = w.page(b.stack[0])
	}
	return strings.Join(strings.Fields(visible(b.title)), " "), text
}

// plainText returns the visible text of a piece of HTML on one line.
func plainText(s string) string {
	w := &writer{plain: true}
	return strings.Join(strings.Fields(visible(w.inline(parse(s).stack[0]))), " ")
}

// mainOf returns the element that is marked as the main content, if it has at least 100
// bytes of text: main, else an article with at least half of the text. Otherwise it returns
// nil.
func mainOf(root *node) *node {
	is := func(tag string) func(*node) bool {
		return func(n *node) bool {
			return (n.tag == tag || tag == "main" && n.attr["role"] == "main") && n.size() >= 100
		}
	}
	if m := root.find(is("main")); m != nil {
		return m
	}
	article := root.find(is("article"))
	if article == nil || 2*article.size() < root.size() { // the page is a list of articles
		return nil
	}
	return article
}

// writer writes Markdown.
type writer struct {
	base  *url.URL
	leave map[string]bool // elements that are left out
	plain bool            // no links, no marks
	inner bool            // inside a link: a link there is only its text
	sent  int             // bytes of the addresses that were written
	deep  int             // number of lists and quotations around the current element
}

// maxIndent is the largest depth of nested lists and quotations; deeper ones are shown as
// plain blocks.
const maxIndent = 8

// page writes an element, without invisible characters and repeated empty lines.
func (w *writer) page(n *node) string {
	var out []string
	empty := true
	for line := range strings.SplitSeq(visible(w.block(n)), "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line != "" || !empty {
			out = append(out, line)
		}
		empty = line == ""
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

func (w *writer) skips(n *node) bool { return n.hide || w.leave[n.tag] }

// block writes the children of an element, with empty lines between them. Successive inline
// children are one paragraph.
func (w *writer) block(n *node) string {
	var out []string
	var run []*node
	flush := func() {
		if text := strings.TrimSpace(w.inline(&node{tag: "span", kids: run})); text != "" {
			out = append(out, text)
		}
		run = nil
	}
	for _, k := range n.kids {
		switch {
		case w.skips(k):
		case k.tag == "" || !blocks[k.tag] && k.tag != "pre" && !k.holdsBlocks(4):
			run = append(run, k)
		default:
			flush()
			if text := w.element(k); strings.TrimSpace(text) != "" {
				out = append(out, text)
			}
		}
	}
	flush()
	return strings.Join(out, "\n\n")
}

// holdsBlocks reports whether an inline element contains a block, down to so many levels
// below its children.
func (n *node) holdsBlocks(levels int) bool {
	return slices.ContainsFunc(n.kids, func(k *node) bool { return blocks[k.tag] || levels > 0 && k.tag != "" && k.holdsBlocks(levels-1) })
}

// element writes one block element.
func (w *writer) element(n *node) string {
	switch n.tag {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		text := strings.Join(strings.Fields(w.inline(n)), " ")
		if text == "" {
			return ""
		}
		return strings.Repeat("#", int(n.tag[1]-'0')) + " " + text
	case "hr":
		return "---"
	case "pre":
		return w.code(n)
	case "ul", "ol", "menu":
		if w.deep < maxIndent {
			w.deep++
			defer func() { w.deep-- }()
			return w.list(n)
		}
	case "blockquote":
		if w.deep < maxIndent {
			w.deep++
			defer func() { w.deep-- }()
			return "> " + strings.ReplaceAll(w.block(n), "\n", "\n> ")
		}
	case "table":
		return w.table(n)
	case "dt":
		return "**" + strings.TrimSpace(w.inline(n)) + "**"
	}
	return w.block(n)
}

// code writes a text unchanged in a code block, with a fence that the text does not contain.
func (w *writer) code(n *node) string {
	text := strings.Trim(n.raw(), "\n")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	fence, language := tool.Fence(text), ""
	if c := n.find(func(n *node) bool { return strings.Contains(n.attr["class"], "language-") }); c != nil {
		_, after, _ := strings.Cut(c.attr["class"], "language-")
		if f := strings.Fields(after); len(f) > 0 && len(f[0]) < 20 && strings.Trim(f[0], "abcdefghijklmnopqrstuvwxyz0123456789+#-") == "" {
			language = f[0]
		}
	}
	return fence + language + "\n" + text + "\n" + fence
}

// raw returns the text of an element with its white space.
func (n *node) raw() string {
	if n.tag == "" {
		return n.text
	}
	if n.tag == "br" {
		return "\n"
	}
	if n.hide {
		return ""
	}
	var b strings.Builder
	for _, k := range n.kids {
		b.WriteString(k.raw())
	}
	return b.String()
}

var (
	marks = map[string]string{"b": "**", "strong": "**", "i": "*", "em": "*", "del": "~~", "s": "~~"}
	codes = words("code kbd samp tt")
	// asText escapes a text for the brackets of a link.
	asText = strings.NewReplacer("[", `\[`, "]", `\]`)
	asURL  = strings.NewReplacer("(", "%28", ")", "%29", " ", "%20")
)

// inline returns the text of an element with links and marks, without paragraphs.
func (w *writer) inline(n *node) string {
	var b strings.Builder
	w.run(&b, n)
	return b.String()
}

func (w *writer) run(b *strings.Builder, n *node) {
	for _, k := range n.kids {
		switch {
		case k.tag == "":
			w.words(b, k.text)
		case w.skips(k):
		case k.tag == "br":
			b.WriteString("\n")
		case w.plain:
			w.run(b, k)
			if blocks[k.tag] {
				b.WriteString(" ")
			}
		case k.tag == "img":
			w.image(b, k)
		case k.tag == "a":
			w.link(b, k)
		case codes[k.tag]:
			text := strings.Join(strings.Fields(k.raw()), " ")
			if text != "" && !strings.Contains(text, "`") {
				text = "`" + text + "`"
			}
			b.WriteString(text)
		case marks[k.tag] != "":
			w.marked(b, k, marks[k.tag])
		default:
			if blocks[k.tag] {
				w.words(b, " ")
			}
			w.run(b, k)
			if blocks[k.tag] {
				w.words(b, " ")
			}
		}
	}
}

// words writes a text and replaces each run of white space by one space.
func (w *writer) words(b *strings.Builder, text string) {
	fields := strings.Fields(text)
	space := func() {
		if s := b.String(); s != "" && s[len(s)-1] != ' ' && s[len(s)-1] != '\n' {
			b.WriteByte(' ')
		}
	}
	if len(fields) == 0 {
		if text != "" {
			space()
		}
		return
	}
	if strings.TrimLeft(text, " \t\r\n") != text {
		space()
	}
	b.WriteString(strings.Join(fields, " "))
	if strings.TrimRight(text, " \t\r\n") != text {
		space()
	}
}

func (w *writer) marked(b *strings.Builder, n *node, mark string) {
	inner := w.inline(n)
	text := strings.TrimSpace(inner)
	if text == "" || strings.Contains(text, "\n") {
		w.words(b, inner)
		return
	}
	if inner[0] == ' ' {
		w.words(b, " ")
	}
	b.WriteString(mark + text + mark)
	if inner[len(inner)-1] == ' ' {
		b.WriteByte(' ')
	}
}

func (w *writer) link(b *strings.Builder, n *node) {
	if w.inner {
		w.run(b, n)
		return
	}
	w.inner = true
	text := strings.Join(strings.Fields(w.inline(n)), " ")
	w.inner = false
	to := w.address(n.attr["href"])
	if text == "" || to == "" {
		b.WriteString(text)
		return
	}
	b.WriteString("[" + asText.Replace(text) + "](" + to + ")")
}

func (w *writer) image(b *strings.Builder, n *node) {
	alt := strings.Join(strings.Fields(n.attr["alt"]), " ")
	if alt == "" {
		return
	}
	if to := w.address(n.attr["src"]); to != "" {
		alt = "![" + asText.Replace(alt) + "](" + to + ")"
	}
	b.WriteString(alt)
}
