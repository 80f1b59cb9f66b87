package markdown

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"golem/cmd/cli/columns"
)

// reader returns the Markdown parser. It is built when it is first needed.
var reader = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()
})

// renderBlock draws a piece of source, which contains one block or several.
func renderBlock(source string, o Options) []string {
	if strings.TrimSpace(source) == "" {
		return nil
	}
	src := []byte(source)
	r := &renderer{o: o, src: src}
	if tooDeep(source) {
		return r.plain(source, o.Width)
	}
	return breakWide(r.children(reader().Parse(text.NewReader(src)), o.Width, false), o.Width)
}

// maxMarks is how many bytes of block marks (quotes, list items) a line may begin with.
// The parser's time grows with the square of the nesting depth, so deeper text is drawn
// as it is.
const maxMarks = 64

func tooDeep(source string) bool {
	for l := range strings.Lines(source) {
		marks := len(l) - len(strings.TrimLeft(l, "> -*+"))
		if marks > maxMarks && strings.ContainsAny(l[:marks], ">-*+") {
			return true
		}
	}
	return false
}

// breakWide breaks lines that are still wider than width, which happens in deeply nested
// blocks. Such lines lose their styles.
func breakWide(lines []string, width int) []string {
	for i := 0; i < len(lines); i++ {
		if columns.Of(lines[i]) <= width {
			continue
		}
		var pieces []string
		for _, p := range chop([]span{{ansi.Strip(lines[i]), ""}}, width) {
			pieces = append(pieces, styled(Options{}, p))
		}
		lines = slices.Replace(lines, i, i+1, pieces...)
		i += len(pieces) - 1
	}
	return lines
}

type renderer struct {
	o     Options
	src   []byte
	depth int // how deep the blocks are nested
}

// maxDepth is how deep nested blocks are drawn as blocks. Deeper ones are drawn as
// plain source, because indentation leaves no room.
const maxDepth = 12

// children draws the blocks inside a block, with empty lines between them unless tight
// is true.
func (r *renderer) children(n ast.Node, width int, tight bool) []string {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxDepth {
		return r.plain(r.source(n), width)
	}
	var out []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines := r.block(c, width)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && !tight {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

func (r *renderer) block(n ast.Node, width int) []string {
	width = max(width, 8)
	switch n := n.(type) {
	case *ast.Heading:
		style := bold
		if n.Level == 1 {
			style += ";" + under
		}
		spans := r.inline(n, style)
		if !r.o.Color {
			spans = append([]span{{strings.Repeat("#", n.Level) + " ", ""}}, spans...)
		}
		return r.lines(spans, width)
	case *ast.Paragraph, *ast.TextBlock:
		return r.lines(r.inline(n, ""), width)
	case *ast.List:
		return r.list(n, width)
	case *ast.Blockquote:
		return prefixed(r.children(n, width-2, false), paint(r.o.Color, dim, "│ "), paint(r.o.Color, dim, "│ "))
	case *ast.FencedCodeBlock:
		name := ""
		if lang := n.Language(r.src); lang != nil {
			name = strings.ToLower(string(lang))
		}
		c := &code{name: name, lang: syntaxOf(name)}
		return append(c.head(r.withWidth(width)), r.code(c, n, width)...)
	case *ast.CodeBlock:
		return r.code(&code{}, n, width)
	case *ast.HTMLBlock:
		return r.plain(r.source(n), width)
	case *ast.ThematicBreak:
		return []string{paint(r.o.Color, dim, strings.Repeat("─", min(width, 40)))}
	case *extast.Table:
		return r.table(n, width)
	}
	return r.children(n, width, true)
}

// withWidth returns the options for a part of this width.
func (r *renderer) withWidth(width int) Options {
	return Options{width, r.o.Color, r.o.PlainCode}
}

func (r *renderer) code(c *code, n ast.Node, width int) []string {
	var out []string
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		out = append(out, c.line(r.withWidth(width), strings.TrimSuffix(string(at.Value(r.src)), "\n"))...)
	}
	return out
}

func (r *renderer) list(n *ast.List, width int) []string {
	var out []string
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		if len(out) > 0 && !n.IsTight {
			out = append(out, "")
		}
		lines := r.children(c, width-columns.Of(mark), n.IsTight)
		if len(lines) == 0 {
			lines = []string{""}
		}
		out = append(out, prefixed(lines, mark, strings.Repeat(" ", columns.Of(mark)))...)
	}
	return out
}

// prefixed puts first in front of the first line, and rest in front of the others.
func prefixed(lines []string, first, rest string) []string {
	for i := range lines {
		switch {
		case i == 0:
			lines[i] = first + lines[i]
		case lines[i] != "" || strings.TrimSpace(rest) != "":
			lines[i] = rest + lines[i]
		}
	}
	return lines
}

func (r *renderer) lines(spans []span, width int) []string {
	var out []string
	for _, l := range wrap(spans, width) {
		out = append(out, styled(r.o, l))
	}
	return out
}

// source returns the source text of a block and of the blocks inside it.
func (r *renderer) source(n ast.Node) string {
	var b strings.Builder
	for queue := []ast.Node{n}; len(queue) > 0; {
		n = queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if n.Type() != ast.TypeInline {
			for i := range n.Lines().Len() {
				at := n.Lines().At(i)
				b.Write(at.Value(r.src))
			}
			if n, ok := n.(*ast.HTMLBlock); ok && n.HasClosure() { // the line with its end, and what follows there
				b.Write(n.ClosureLine.Value(r.src))
			}
			for c := n.LastChild(); c != nil; c = c.PreviousSibling() {
				queue = append(queue, c)
			}
		}
	}
	return b.String()
}

// plain draws text without interpreting it as Markdown.
func (r *renderer) plain(s string, width int) []string {
	var out []string
	for _, l := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		out = append(out, r.lines([]span{{leaf(l), dim}}, width)...)
	}
	return out
}
