package web

import (
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var base = &url.URL{Scheme: "https", Host: "example.com", Path: "/docs/page.html"}

// Hidden content of a page does not reach the model, in whatever way it is hidden, and visible
// content is not lost if the HTML is malformed.
func TestHiddenAndMalformed(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"comments", `a<!-- X -->b<!--> c --><!---> d<!-- X --!> e<!--!>X-->f<!---!>X---->g`, "ab c --> d efg"},
		{"a declaration", `<!DOCTYPE html><?php X ?>a</ X>b`, "ab"},
		{"scripts", `a<script>X</script ><style>X</style>b<ScRiPt>X</p></sCrIpT/>c<script>"</scripty>X"</script>d`, "abcd"},
		{"a script without an end", `a<script>X`, "a"},
		{"a style in an attribute", `<p style="COLOR:red; Display : NONE !important">X<p style="display:/* */none">X<p style='opacity:0.0'>X<p style="position:absolute;left:-9999px">X<p style=font-size:0em>X<p>a`, "a"},
		{"attributes that confuse", `<p title="a>b" hidden>X</p><p a='"' b=">X" =c>d</p>`, "d"},
		{"an attribute twice", `<p style="color:red" style="display:none">a</p>`, "a"},
		{"invisible characters", "a\u200bb\u200d\u202ec\U000e0041\u00add\ufe0f\ufe0fe&#8203;&zwnj;&#x1F;f", "abcdef"},
		{"bytes", "a\xffb\x00c", "a\ufffdbc"},
		{"references", `&lt;b&gt; &amp;amp; &#65;&#x42; &unknown; &AElig; &#0; & &copy`, "<b> &amp; AB &unknown; Æ \ufffd & ©"},
		{"text that looks like tags", `1 < 2 <3 a<`, "1 < 2 <3 a<"},
		{"an end tag alone", `a</div></main>b`, "ab"},
		{"a tag without an end", `a<p title="`, "a"},
		{"form controls", `<select><option>X</select><textarea>X</p></textarea><button>X</button>a<input value=X>`, "a"},
		{"links", `<a href=" java&#10;script:X ">a</a> <a href="//u:p@other.net/x (1)">b</a> <a href="data:,X">c</a> <a href="?q=1">[d]</a>`, `a [b](https://other.net/x%20%281%29) c [\[d\]](https://example.com/docs/page.html?q=1)`},
		{"a cell in no table", `<td>a<tr>b</table>c`, "a\n\nbc"},
		{"a table for the layout", `<table><tr><td>a<table><tr><td>b</table><td>c</table>`, "a\n\nb\n\nc"},
		{"code with fences", "<pre>a\n```\n b</pre>", "````\na\n```\n b\n````"},
		{"joiners", "👩\u200d💻 می\u200cخواهم a\u200d\u200db", "👩\u200d💻 می\u200cخواهم ab"},
		{"references in addresses", `<a href="/p?id=1&lang=de&num=10">a</a> <a href="/p?a=1&copy=2&copy;">b</a> ?q=1&lang=en`, "[a](https://example.com/p?id=1&lang=de&num=10) [b](https://example.com/p?a=1&copy=2©) ?q=1&lang=en"},
		{"a comment in a script", `<p>a</p><script><!-- <script>X</script> --></script><p>b</p>`, "a\n\nb"},
		{"numbers of a list", `<ol start="5"><li>five<li>six<li value="9">nine<li>ten</ol><ol reversed><li>b<li>a</ol>`, "5. five\n6. six\n9. nine\n10. ten\n\n2. b\n1. a"},
		{"cells over columns", `<table><tr><th>A<th>B<th>C<tr><td colspan=2>x<td>y<tr><td>1<td colspan=99999>2</table>`, "A\n\nB\n\nC\n\nx\n\ny\n\n1\n\n2"},
		{"cells over two columns", `<table><tr><th>A<th>B<th>C<tr><td colspan=2>x<td>y</table>`, "| A | B | C |\n| --- | --- | --- |\n| x |  | y |"},
		{"cells over rows", `<table><tr><th>K<th>V<th>W<tr><td rowspan=2>k<td>1<td rowspan=0>w<tr><td>2<tr><td>l<td>3</table>`, "| K | V | W |\n| --- | --- | --- |\n| k | 1 | w |\n|  | 2 |  |\n| l | 3 |  |"},
	} {
		if _, got := markdown(c.page, base, false); got != c.want || strings.Contains(got, "X") {
			t.Errorf("%s: %q gives\n%q, want\n%q", c.name, c.page, got, c.want)
		}
	}
}

// The main content is the element that is marked so, or the complete page if none is.
func TestMainContent(t *testing.T) {
	long := strings.Repeat("owls fly at night. ", 10)
	for _, c := range []struct{ name, page, want string }{
		{"main", `<nav>menu</nav><main><nav>on this page</nav>` + long + `<aside>note</aside></main><footer>end</footer>`, long + "\n\nnote"},
		{"role", `<div>x</div><div role=main>` + long + `</div>`, long},
		{"one article", `<p>x</p><article>` + long + `</article>`, long},
		{"many articles", `<article>` + long + `</article><article>` + long + `b</article><article>` + long + `</article>`, long + "\n\n" + long + "b\n\n" + long},
		{"menus alone", `<nav>menu</nav><footer>end</footer>`, "menu\n\nend"},
	} {
		_, got := markdown(c.page, base, false)
		if want := strings.ReplaceAll(c.want, ". \n", ".\n"); got != strings.TrimSpace(want) {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, want)
		}
	}
	if _, all := markdown(`<nav>menu</nav><main>`+long+`</main>`, base, true); !strings.HasPrefix(all, "menu") {
		t.Errorf("all: %q", all)
	}
}

// The time for a hostile page, with deep nesting or many elements, grows only linearly with
// its size.
func TestBombs(t *testing.T) {
	for name, page := range map[string]string{
		"deep":        strings.Repeat("<div>", 60000) + "end",
		"quotations":  strings.Repeat("<blockquote><ul><li>", 10000) + strings.Repeat("<p>a", 10000),
		"tables":      strings.Repeat("<table><tr><td>", 10000) + "end",
		"attributes":  "<p " + strings.Repeat("a=b c ", 20000) + ">end",
		"open tags":   strings.Repeat("<a href=x", 20000),
		"closing":     strings.Repeat("</p></div>", 40000) + "end",
		"ends of raw": "<script>" + strings.Repeat("</scrip", 40000),
		"marks":       strings.Repeat("<b><i><a href=x>a", 6000),
		"references":  strings.Repeat("&", 200000),
		"backticks":   "<pre>" + strings.Repeat("`", 2_000_000) + "</pre>",
		"long base":   `<base href="https://h/` + strings.Repeat("A", 100_000) + `/">` + strings.Repeat(`<img alt=y src=x>`, 2000),
		"base":        `<base href="https://h/` + strings.Repeat("A", 1900) + `/">` + strings.Repeat(`<img alt=y src=x>`, 20_000),
		"links":       strings.Repeat("<a href=/x>", 98) + strings.Repeat("[", 100_000),
		"other ends":  strings.Repeat("<!----!>", 1_000_000) + "end",
		"hyphens":     strings.Repeat("<!--"+strings.Repeat("-", 1000), 1000) + "end",
		"comments":    `<main style="` + strings.Repeat("x/**/", 400_000) + `">end`,
	} {
		_, text := markdown(page, base, false)
		if len(text) > 20*len(page) {
			t.Errorf("%s: %d bytes give %d", name, len(page), len(text))
		}
	}
}

// Each known charset is decoded, and an unknown one is named in the text.
func TestCharsets(t *testing.T) {
	for _, c := range []struct{ header, body, want string }{
		{"text/html; charset=ISO-8859-1", "caf\xe9 \x80", "café €"},
		{"text/html", "<meta charset=windows-1252>caf\xe9", "café"},
		{"text/plain; charset=\"utf-8\"", "caf\xc3\xa9", "café"},
		{"text/plain", "\xff\xfec\x00\xe9\x00", "cé"},
		{"text/plain", "\xfe\xff\x00c\x00\xe9", "cé"},
		{"text/plain", "\xff\xfe", ""},
		{"text/plain; charset=koi8-r", "a\xc1", "aа"},
		{"text/plain; charset=iso-8859-15", "5 \xa4", "5 €"},
		{"text/html", "<meta http-equiv=content-type content='text/html; charset=iso-8859-2'>\xb1", "ą"},
		{"text/plain; charset=windows-1251", "\xcf\xf0", "Пр"},
		{"text/plain; charset=utf-16le", "c\x00\xe9\x00", "cé"},
		{"text/plain; charset=x-other", "a\xc1", "[the page is in the charset x-other, of which only ASCII can be read]\na\ufffd"},
	} {
		kind, charset := contentType(c.header, []byte(c.body))
		got := Source{}.text([]byte(c.body), charset)
		if kind == "text/html" {
			_, got = markdown(got, base, false)
		}
		if got != c.want {
			t.Errorf("%s %q: %q, want %q", c.header, c.body, got, c.want)
		}
	}
}

// The result for any page contains only visible characters.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"<p>a</p>", "<table><tr><td>a|b<th>c", "<a href='//x'>y</a>", "<!--", "<pre><code class=language-go>x", "&#x110000;", "<script><!--", "<ul><li><ol><li>a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, page string) {
		title, text := markdown(page, base, len(page)%2 == 0)
		for _, s := range []string{title, text, plainText(page)} {
			if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) }) {
				t.Fatalf("%q gives %q", page, s)
			}
		}
	})
}
