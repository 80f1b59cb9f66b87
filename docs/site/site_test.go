package site

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"golem/docs"
)

var (
	address = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	withID  = regexp.MustCompile(`\bid="([^"]*)"`)
	onEvent = regexp.MustCompile(`(?i)<[^>]*\s(?:on\w+|style)=|<style|<script(?: defer)?>|<iframe|<object|<embed|<base`)
)

// TestEveryLinkLeadsSomewhere tests that each address in each page is that of a file of the
// site, of a section that it has, of golem's page, or of the web.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	files, err := Files("../")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for name, data := range files {
		for _, m := range withID.FindAllSubmatch(data, -1) {
			if ids[name+"#"+string(m[1])] {
				t.Errorf("%s has #%s twice", name, m[1])
			}
			ids[name+"#"+string(m[1])] = true
		}
	}
	found := 0
	for name, data := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range address.FindAllSubmatch(data, -1) {
			to, section, _ := strings.Cut(string(m[1]), "#")
			if strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://") {
				continue
			}
			found++
			if to = path.Join(path.Dir(name), to); strings.HasPrefix(string(m[1]), "#") {
				to = name
			}
			if to == ".." {
				continue // golem's page
			}
			if _, ok := files[to]; !ok || section != "" && !ids[to+"#"+section] {
				t.Errorf("%s leads to %s", name, m[1])
			}
		}
	}
	if found < 3000 {
		t.Errorf("only %d addresses", found)
	}
}

// TestPagesHaveNoCodeInThem tests that no page has a script, a style or an address of code in
// it, which the Policy forbids.
func TestPagesHaveNoCodeInThem(t *testing.T) {
	files, err := Files("")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		if m := onEvent.Find(data); m != nil {
			t.Errorf("%s has %s", name, m)
		}
		if n := strings.Count(string(data), "<script"); n != 1 {
			t.Errorf("%s has %d scripts", name, n)
		}
	}
	if again, err := Files(""); err != nil || string(again["search.json"]) != string(files["search.json"]) || string(again["index.html"]) != string(files["index.html"]) {
		t.Errorf("two sites differ: %v", err)
	}
}

// TestHostileMarkdown tests that what a page says is never code of the site.
func TestHostileMarkdown(t *testing.T) {
	d := parse("x", []byte("# <b>T</b> & \"q\"\n\nA <script>alert(1)</script> b.\n\n<img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) [b](data:text/html,x)\n\n```html\n<script>\"x\"</script>\n```\n\n| a |\n|---|\n| <i onclick=x> |\n\n## \"><script>\n"))
	m := &maker{titles: map[string]string{}}
	body, err := m.render(d)
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ToLower(string(m.page(d, body)))
	for _, bad := range []string{"<script>", "onerror=alert(1)>", "href=\"javascript:", "href=\"data:", "<i onclick", "<b>t"} {
		if strings.Contains(strings.ReplaceAll(page, "&lt;", "("), bad) {
			t.Errorf("%q is in %s", bad, page)
		}
	}
	if !strings.Contains(body, `&lt;script&gt;&quot;x&quot;&lt;/script&gt;`) {
		t.Errorf("the code is not shown: %s", body)
	}
}

// TestNamesBecomeTitles tests that a link whose text is the name of a file has the title of
// the page or of the section, and that a link out of the documentation becomes text.
func TestNamesBecomeTitles(t *testing.T) {
	m := &maker{titles: map[string]string{"a": "Page <A>", "a#b-c": "B c", "errors/E_A": "E_A"}}
	for markdown, want := range map[string]string{
		"[a.md](a.md)":             `<a href="a.html">Page &lt;A&gt;</a>`,
		"[a.md](a.md#b-c)":         `<a href="a.html#b-c">B c</a>`,
		"[here](a.md#b-c)":         `<a href="a.html#b-c">here</a>`,
		"[E_A](errors/E_A.md)":     `<a href="errors/E_A.html">E_A</a>`,
		"[why](internal/why.md)":   `<p>why</p>`,
		"[x `y`](../bench/x.md) z": `<p>x <code>y</code> z</p>`,
		"[w](https://example.com)": `<a href="https://example.com">w</a>`,
	} {
		got, err := m.render(parse("x", []byte(markdown)))
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v, %s", markdown, err, got)
		}
	}
	for _, wrong := range []string{"[a](a.md#none)", "[a](a%zz.md)"} {
		if got, err := m.render(parse("x", []byte(wrong))); err == nil {
			t.Errorf("%s: %s", wrong, got)
		}
	}
}

// TestSearchHasEverything tests that the index of the search has each page with its sections.
func TestSearchHasEverything(t *testing.T) {
	for _, name := range append(docs.ErrorPages(), docs.Names...) {
		text, err := docs.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		d := parse(name, []byte(text))
		if d.title == "" || len(d.sections) == 0 || d.sections[0].ID != "" || d.first == "" {
			t.Errorf("%s: %q, %q, %d sections", name, d.title, d.first, len(d.sections))
		}
	}
}
