package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// inline returns the styled spans of the inline nodes in a block.
func (r *renderer) inline(n ast.Node, style string) []span {
	var out []span
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, r.span(c, style)...)
	}
	return out
}

// span returns the spans of one inline node. Character references are decoded first and
// the result is escaped after that, so that a reference cannot produce a control
// character.
func (r *renderer) span(n ast.Node, style string) []span {
	switch n := n.(type) {
	case *ast.Text:
		out := []span{{leaf(decoded(n.Segment.Value(r.src), n.IsRaw())), style}}
		switch {
		case n.HardLineBreak(), n.SoftLineBreak(): // a model's line breaks are intended: keep them
			out = append(out, span{"\n", ""})
		}
		return out
	case *ast.String:
		return []span{{leaf(decoded(n.Value, n.IsRaw())), style}}
	case *ast.CodeSpan:
		var b strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				b.Write(t.Segment.Value(r.src))
			}
		}
		return r.marked("`", []span{{leaf(b.String()), addStyle(style, codeStyle)}})
	case *ast.Emphasis:
		if n.Level == 2 {
			return r.marked("**", r.inline(n, addStyle(style, bold)))
		}
		return r.marked("*", r.inline(n, addStyle(style, italic)))
	case *extast.Strikethrough:
		return r.marked("~~", r.inline(n, addStyle(style, strike)))
	case *extast.TaskCheckBox:
		if n.IsChecked {
			return []span{{"[x] ", style}}
		}
		return []span{{"[ ] ", style}}
	case *ast.Link:
		return r.link(r.inline(n, addStyle(style, under)), string(n.Destination), style)
	case *ast.AutoLink:
		return []span{{leaf(string(n.URL(r.src))), addStyle(style, under)}}
	case *ast.Image:
		label := append([]span{{"[image: ", style}}, r.inline(n, style)...)
		return r.link(append(label, span{"]", style}), string(n.Destination), style)
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			at := n.Segments.At(i)
			b.Write(at.Value(r.src))
		}
		return []span{{leaf(b.String()), addStyle(style, dim)}}
	}
	return r.inline(n, style)
}

// link returns a link's label followed by its address, so that a person sees where it
// leads. The address is left out if the label is the same text.
func (r *renderer) link(label []span, to, style string) []span {
	var b strings.Builder
	for _, s := range label {
		b.WriteString(s.text)
	}
	to = leaf(decoded([]byte(to), false))
	if to == "" || to == b.String() {
		return label
	}
	return append(label, span{" (" + to + ")", addStyle(style, dim)})
}

// marked puts the Markdown mark around spans if colours are off, because then no style
// shows what the mark means.
func (r *renderer) marked(mark string, spans []span) []span {
	if r.o.Color {
		return spans
	}
	return append(append([]span{{mark, ""}}, spans...), span{mark, ""})
}

func addStyle(style, more string) string {
	if style == "" {
		return more
	}
	return style + ";" + more
}

// decoded returns text with its backslash escapes and character references resolved, each
// once: an escaped & begins no reference. Raw text is returned unchanged.
func decoded(src []byte, raw bool) string {
	if raw || !strings.ContainsAny(string(src), `\&`) {
		return string(src)
	}
	var out []byte
	for i := 0; i < len(src); i++ {
		switch {
		case src[i] == '\\' && i+1 < len(src) && util.IsPunct(src[i+1]):
			i++
		case src[i] == '&':
			if end := bytes.IndexByte(src[i:min(len(src), i+longestReference)], ';'); end > 0 {
				out = append(out, util.ResolveEntityNames(util.ResolveNumericReferences(src[i:i+end+1]))...)
				i += end
				continue
			}
		}
		out = append(out, src[i])
	}
	return string(out)
}

// longestReference is the length of the longest character reference with its ampersand and
// semicolon: CounterClockwiseContourIntegral.
const longestReference = 33
