//go:build !js

package web_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/profiler"
	"github.com/chromedp/chromedp"
	"github.com/evanw/esbuild/pkg/api"
	"pgregory.net/rapid"

	"golem/web/webtest"
)

// markdown opens a page in which md(text) returns the HTML that the page makes from Markdown.
func markdown(t *testing.T) *webtest.Page {
	t.Helper()
	r := api.Build(api.BuildOptions{
		Stdin: &api.StdinOptions{ResolveDir: ".", Loader: api.LoaderJSX, Contents: `
			import { render } from 'preact'
			import { Markdown } from './ui/markdown.jsx'
			const box = document.createElement('div')
			const draw = (text) => { render(null, box); render(<Markdown text={text} />, box) }
			document.body.append(box)
			window.md = (text) => { draw(text); return box.firstChild.innerHTML }
			import { faultText } from './ui/texts.js'
			window.faultText = faultText
			// grown draws a text that comes in pieces, and gives its HTML and how often it was drawn.
			window.grown = (pieces) => { render(null, box); let text = ''; for (const p of pieces) render(<Markdown text={text += p} live />, box); render(<Markdown text={text} />, box); return box.firstChild.innerHTML }
			window.tags = (text) => { draw(text); return [...new Set([...box.querySelectorAll('*')].flatMap((e) => [e.localName, ...[...e.attributes].map((a) => e.localName + '.' + a.name)]))].join(' ') }`},
		Bundle: true, Format: api.FormatIIFE, JSX: api.JSXAutomatic, JSXImportSource: "preact",
	})
	if len(r.Errors) > 0 {
		t.Fatal(r.Errors[0].Text)
	}
	css, err := os.ReadFile("ui/styles.css")
	if err != nil {
		t.Fatal(err)
	}
	site := fstest.MapFS{
		"index.html": {Data: []byte(`<!doctype html><link rel="icon" href="data:,"><link rel="stylesheet" href="styles.css"><body><script src="md.js"></script>`)},
		"md.js":      {Data: r.OutputFiles[0].Contents},
		"styles.css": {Data: css},
	}
	// Private, and so a process of its own, whose steps are counted alone.
	return browserOf(t).OpenPrivate(t, webtest.Serve(t, site, "/").URL)
}

func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return `""` // unreachable: a string has JSON
	}
	return string(data)
}

// copyButton matches the button in each block of code.
var copyButton = regexp.MustCompile(`<button type="button" class="[a-z ]*copy" aria-label="copy this code".*?</button>`)

// TestMarkdown tests which HTML the page makes from Markdown.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	p := markdown(t)
	for text, want := range map[string]string{
		"a *b* **c** ***d*** _e_ __f__ ~~g~~":         `<p>a <em>b</em> <strong>c</strong> <em><strong>d</strong></em> <em>e</em> <strong>f</strong> <del>g</del></p>`,
		"snake_case_name 2*3*4 ** * open *x":          `<p>snake_case_name 2<em>3</em>4 ** * open *x</p>`,
		"**a *b* c** and *a **b** c*":                 `<p><strong>a <em>b</em> c</strong> and <em>a <strong>b</strong> c</em></p>`,
		"`a*b*` ``c`d`` `e":                           "<p><code>a*b*</code> <code>c`d</code> `e</p>",
		`\*a\* &lt;b&gt; &#65; &nope; a\`:             `<p>*a* &lt;b&gt; A &amp;nope; a\</p>`,
		"&copy; &ngE; &semi;x &copy &rlm;":            `<p>© ≧̸ ;x &amp;copy \u200f</p>`,
		"a\n*\n1.\n-":                                 "<p class=\"md-heading l2\">a\n*\n1.</p>",
		"<b>x</b><br>y":                               `<p>&lt;b&gt;x&lt;/b&gt;<br>y</p>`,
		"a\nb  \nc":                                   "<p>a\nb<br>c</p>",
		"# One\n\ntext\n## Two ##\nThree\n===":        `<p class="md-heading l1">One</p><p>text</p><p class="md-heading l2">Two</p><p class="md-heading l1">Three</p>`,
		"---\n\n* * *":                                `<hr><hr>`,
		"> a\n> > b\nc":                               `<blockquote><p>a</p><blockquote><p>b` + "\n" + `c</p></blockquote></blockquote>`,
		"```go\na *b*\n\n  <c>\n```\nd":               `<div class="code" data-lang="go"><pre tabindex="0"><code>a *b*` + "\n\n  &lt;c&gt;" + `</code></pre></div><p>d</p>`,
		"```\nopen":                                   `<div class="code"><pre tabindex="0"><code>open</code></pre></div>`,
		"    code\n    more":                          `<div class="code"><pre tabindex="0"><code>code` + "\nmore</code></pre></div>",
		"- a\n- b\n  - c\n\n    d\n- e":               `<ul><li>a</li><li>b<ul><li>c<p>d</p></li></ul></li><li>e</li></ul>`,
		"3. a\n4. b\n\ntext":                          `<ol start="3"><li>a</li><li>b</li></ol><p>text</p>`,
		"1. a\n\n2. b\n\n   more":                     `<ol start="1"><li>a</li><li>b<p>more</p></li></ol>`,
		"text\n- a\n* b":                              `<p>text</p><ul><li>a</li></ul><ul><li>b</li></ul>`,
		"It was in\n1984. Then":                       "<p>It was in\n1984. Then</p>",
		"- [ ] a\n- [x] b":                            `<ul><li><input type="checkbox" disabled="" aria-label="task">a</li><li><input type="checkbox" disabled="" aria-label="task">b</li></ul>`,
		"a | b\n--|:-:\n1 | `x|y`\n| 2 | \\| |\n\nz":  `<table tabindex="0"><thead><tr><th>a</th><th class="mid">b</th></tr></thead><tbody><tr><td>1</td><td class="mid"><code>x|y</code></td></tr><tr><td>2</td><td class="mid">|</td></tr></tbody></table><p>z</p>`,
		"[a](javascript:b) [c](/d) [e][f] [g":         `<p><span>a<span class="md-host"> (javascript:b)</span></span> <span>c<span class="md-host"> (/d)</span></span> [e][f] [g</p>`,
		"[not a `link](/foo`)":                        "<p>[not a <code>link](/foo</code>)</p>",
		"[a `]` b](/c) <https://e.ex/]>[d](/e)":       `<p><span>a <code>]</code> b<span class="md-host"> (/c)</span></span> <a href="https://e.ex/]" target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer" title="opens https://e.ex/] in a new tab">https://e.ex/]</a><span>d<span class="md-host"> (/e)</span></span></p>`,
		"It costs $5 or $6, not \\$7":                 `<p>It costs $5 or $6, not $7</p>`,
		"so $x^2$ and \\(y\\), $ a$":                  `<p>so <span class="math" title="$x^2$">$x^2$</span> and <span class="math" title="\(y\)">\(y\)</span>, $ a$</p>`,
		"$$\nx\n$$\ntext":                             "<p><span class=\"math block\" title=\"$$\nx\n$$\">$$\nx\n$$</span></p><p>text</p>",
		"a[^1]\n\n[^1]: The *note*\n    goes on\n\nb": `<p>a<sup class="md-mark"><button type="button" aria-label="footnote 1">1</button></sup></p><div class="md-note" data-note="1"><sup>1</sup><div><p>The <em>note</em>` + "\ngoes on" + `</p></div></div><p>b</p>`,
		"```mermaid\na-->b\n```":                      `<p class="small muted">A diagram in the language Mermaid. golem draws no diagrams: this is its source.</p><div class="code" data-lang="mermaid"><pre tabindex="0"><code>a--&gt;b</code></pre></div>`,
		"":                                            ``,
	} {
		got := webtest.Eval[string](p, "md("+quoted(text)+")")
		if got = copyButton.ReplaceAllString(got, ""); got != want {
			t.Errorf("%q became\n%s\nwant\n%s", text, got, want)
		}
	}
	// A line that a model breaks is broken, as on a terminal.
	for text, want := range map[string]string{"Roses are red\nViolets are *blue*\n3": "Roses are red\nViolets are blue\n3", "- a\n  b": "a\nb"} {
		if got := webtest.Eval[string](p, "(md("+quoted(text)+"), document.querySelector('.md').innerText)"); got != want {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	// Whatever leads outside says where, opens elsewhere, and tells nothing of the page.
	for text, want := range map[string]string{
		"[a](https://b.example/c)":             `href="https://b.example/c".*>a<span class="md-host"> \(b.example\)</span></a>`,
		"[**a**](https://b.example \"t\")":     `href="https://b.example/".*><strong>a</strong><span`,
		"![a](https://b.example/c.png)":        `href="https://b.example/c.png".*>\[image: a\]<span`,
		"see https://b.example/c_d_(e). Next":  `href="https://b.example/c_d_\(e\)".*>https://b.example/c_d_\(e\)</a>\. Next`,
		"<https://b.example>":                  `href="https://b.example/".*>https://b.example</a>`,
		"<mailto:a@b.example>":                 `href="mailto:a@b.example".*>mailto:a@b.example</a>`,
		"[a@b.example](mailto:a@b.example)":    `href="mailto:a@b.example".*>a@b.example</a>`,
		"[https://good.example](https://e.ex)": `<span class="md-host"> \(e.ex\)</span>`,
		// A label that has the host somewhere, or that looks like it, is not where the link leads.
		"[https://paypal.com/login](https://aypal.com/login)":      `<span class="md-host"> \(aypal.com\)</span>`,
		"[https://good.example/b.ex](https://b.ex)":                `<span class="md-host"> \(b.ex\)</span>`,
		"[https://b.ex.good.example](https://b.ex)":                `<span class="md-host"> \(b.ex\)</span>`,
		"[https://good.example@b.ex](https://b.ex)":                `<span class="md-host"> \(b.ex\)</span>`,
		`[https://b.ex\@good.example](https://b.ex)`:               `<span class="md-host"> \(b.ex\)</span>`,
		"[https://\u0430pple.example](https://\u0430pple.example)": `<span class="md-host"> \(xn--pple-43d.example\)</span>`,
		"[ya@b.example](mailto:a@b.example)":                       `<span class="md-host"> \(a@b.example\)</span>`,
	} {
		got := webtest.Eval[string](p, "md("+quoted(text)+")")
		if !regexp.MustCompile(want).MatchString(got) || !strings.Contains(got, `target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer"`) {
			t.Errorf("%q became\n%s\nwant\n%s", text, got, want)
		}
	}
}

// allowed matches the elements and attributes that the page may make from a text.
var allowed = regexp.MustCompile(`^((p|br|em|strong|del|sup|code|pre|hr|blockquote|ul|ol|li|span|table|thead|tbody|tr|th|td|div|a|input|button|svg|path|p\.class|div\.(class|data-lang|data-note)|span\.(class|title)|sup\.class|button\.(type|class|aria-label|title)|svg\.(class|viewBox|width|height|aria-hidden|focusable)|path\.(d|fill|stroke|stroke-width|stroke-linecap|stroke-linejoin)|pre\.tabindex|table\.tabindex|ol\.start|a\.(href|target|rel|referrerpolicy|title)|input\.(type|disabled|checked|aria-label))( |$))*$`)

// TestMarkdownHolds tests that no text of a model becomes any other element or attribute.
func TestMarkdownHolds(t *testing.T) {
	t.Parallel()
	p := markdown(t)
	piece := rapid.SampledFrom([]string{"*", "**", "_", "~~", "`", "```", "[", "](", ")", "!", "<", ">", "<script>", "<img src=x onerror=a>", "javascript:", "https://a.example/", "data:text/html,", "|", "\n|--|--|\n",
		"\n", "\n\n", "  ", "    ", "- ", "1. ", "> ", "# ", "\\", "&lt;", "&#60;", "&", "a", "b c", "\x00", "\u202e", "\"", "'"})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(rt, "text"), "")
		if got := webtest.Eval[string](p, "tags("+quoted(text)+")"); !allowed.MatchString(got) {
			rt.Fatalf("%q became %s", text, got)
		}
		if !webtest.Eval[bool](p, "(() => { const t = "+quoted(text+"\n\n"+text)+"; return grown(t.match(/[^]{1,7}/g)) === md(t) })()") {
			rt.Fatalf("%q twice becomes something else when it comes in pieces", text)
		}
	})
}

// TestMarkdownIsLinear tests texts that are made to be expensive: twice the text takes twice
// the steps. The browser counts how often each block of the script runs, so that the result
// does not depend on the speed of the machine.
func TestMarkdownIsLinear(t *testing.T) {
	t.Parallel()
	p := markdown(t)
	texts := map[string]func(n int) string{
		"a wide table": func(n int) string {
			return strings.Repeat("a|", n/8) + "\n" + strings.Repeat("-|", n/8) + "\n" + strings.Repeat("a|\n", n/8)
		},
		"nested marks":   func(n int) string { return strings.Repeat("*a ", n/6) + strings.Repeat("a* ", n/6) },
		"nested lists":   func(n int) string { return nested("- ", 2, n/50) },
		"nested quotes":  func(n int) string { return strings.Repeat("> ", n/2) + "a" },
		"backticks":      func(n int) string { return ticks(n / 50) },
		"a long word":    func(n int) string { return strings.Repeat("a", 10*n) },
		"many emphasis":  func(n int) string { return strings.Repeat("*a*\n\n", n/5) },
		"long and plain": func(n int) string { return strings.Repeat("word ", 2*n) },
	}
	for _, one := range []string{"*", "*a ", "*a* ", "a* ", "**a *b ", "_a", "[", "[](", "[a](  ", "![", "`", "` `` ", "<", "<a ", "&", "h", "https://", "> ", "- ", "1. ", "|", "|a", "\\", "\n", "  \n", "a\n", "# # ", "~~~", "- \n\n", "- a\n  ", "a|b\n", "|-"} {
		texts[quoted(one)] = func(n int) string { return strings.Repeat(one, n/len(one)) }
	}
	const n = 7_000 // a paragraph of more than 16,384 characters is plain text
	steps := counting(t, p)
	for _, name := range slices.Sorted(maps.Keys(texts)) { // what the browser does by itself is not counted: it has to end
		webtest.Eval[string](p, "md("+quoted(texts[name](6*n))+")")
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		once, twice := text(n), text(2*n)
		a, b := steps("md("+quoted(once)+")"), steps("md("+quoted(twice)+")")
		// nested lists and backticks are longer than twice as long
		grown := float64(b) / float64(a) / (float64(len(twice)) / float64(len(once)))
		if few := b < int64(len(twice)); a == 0 || grown > 1.3 && !few { // few: less than a step a byte
			t.Errorf("%s: %d bytes took %d steps, %d took %d", name, len(once), a, len(twice), b)
		}
		t.Logf("%-16s %.1f steps a byte, %.2f times as many for twice the text", name, float64(a)/float64(len(once)), grown)
	}
}

// TestStreamedMarkdownIsLinear tests that a text that comes in pieces is parsed block by block:
// twice the text, drawn twice as often, takes about twice the steps, also if only one block
// grows.
func TestStreamedMarkdownIsLinear(t *testing.T) {
	t.Parallel()
	p := markdown(t)
	const n = 40_000
	steps := counting(t, p)
	for _, text := range []string{"# A\n\nSome *words* and `code`.\n\n- a\n- b\n\n", "- one *item*\n", "|a|b|\n", "a long line of words "} {
		grown := func(n int) string {
			return fmt.Sprintf("grown(%s.repeat(%d).match(/[^]{1,500}/g))", quoted(text), n/len(text))
		}
		a, b := steps(grown(n)), steps(grown(2*n))
		if a == 0 || float64(b)/float64(a) > 2.6 { // parsing once more at every step would be 4
			t.Errorf("%q: %d bytes took %d steps, %d took %d", text, n, a, 2*n, b)
		}
	}
}

// TestFaultsInWordsOfThePage tests that a fault is shown with the message and the hint that it has
// for the page.
func TestFaultsInWordsOfThePage(t *testing.T) {
	t.Parallel()
	p := markdown(t)
	for text, want := range map[string]string{
		`{"code":"E_A","message":"m","hint":"h","where":{"file":"a.worker","line":3}}`: "a.worker:3: E_A: m (h)",
		`{"code":"E_A","message":"m"}`:                                              `E_A: m`,
		`{"code":"E_A","message":"m","hint":"h","page":{"hint":"p"}}`:               `E_A: m (p)`,
		`{"code":"E_A","message":"m","hint":"h","page":{"message":"q","hint":"p"}}`: `E_A: q (p)`,
		`{"code":"E_A","message":"m","hint":"h","page":{"message":"q"}}`:            `E_A: q`,
	} {
		if got := webtest.Eval[string](p, "faultText("+text+")"); got != want {
			t.Errorf("%s is shown as %q, want %q", text, got, want)
		}
	}
}

// counting returns a function that evaluates an expression and returns how often the blocks
// of the page's script ran meanwhile.
func counting(t *testing.T, p *webtest.Page) func(expression string) int64 {
	t.Helper()
	yes := true
	if _, err := chromedp.Call(p.Context(), profiler.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(p.Context(), profiler.StartPreciseCoverage, profiler.StartPreciseCoverageParams{CallCount: &yes, Detailed: &yes}); err != nil {
		t.Fatal(err)
	}
	p.Reload() // only what is compiled from here on counts its blocks
	webtest.Eval[string](p, "new Promise((ready) => { const look = () => window.md ? ready('') : setTimeout(look, 20); look() })")
	take := func() (total int64) {
		r, err := chromedp.Call(p.Context(), profiler.TakePreciseCoverage, cdp.Empty{}) // and begins again at 0
		if err != nil {
			t.Fatal(err)
		}
		for _, script := range r.Result {
			if strings.HasSuffix(script.URL, "/md.js") {
				for _, f := range script.Functions {
					for _, block := range f.Ranges {
						total += block.Count
					}
				}
			}
		}
		return total
	}
	return func(expression string) int64 {
		take()
		webtest.Eval[string](p, expression)
		return take()
	}
}

// TestLongMarkdown tests that a text of any length is shown completely (Scenario 46).
func TestLongMarkdown(t *testing.T) {
	t.Parallel()
	p := markdown(t)
	if got := webtest.Eval[string](p, "tags('# a **b** '.repeat(800_000))"); got != "div div.class p p.class div.style" {
		t.Errorf("%.200s", got)
	}
	if got := webtest.Eval[int](p, "md('# a **b** '.repeat(800_000)).length"); got < 8_000_000 {
		t.Errorf("%d characters of 8,000,000", got)
	}
}

func nested(mark string, step, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", step*i) + mark + "a\n")
	}
	return b.String()
}

func ticks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("`", i+1) + " ")
	}
	return b.String()
}
