package web

import (
	"strings"

	"golang.org/x/net/html"
)

// node is an element of a page, or a text (tag ""). Pages are read with the tokenizer
// alone: what belongs into what is settled here, roughly as browsers do, in time and
// depth that a hostile page cannot raise.
type node struct {
	tag  string
	attr map[string]string
	text string
	kids []*node
}

// maxDeep is how many elements lie in one another at most; deeper ones become
// children of the last.
const maxDeep = 100

// maxNodes is how many elements and texts of a page are read.
const maxNodes = 500_000

func words(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

var (
	paragraph = words("p")
	voids     = words("area base br col embed hr img input link meta param source track wbr")
	// dropped elements hold nothing that a person reads in a page.
	dropped = words("script style noscript template iframe object embed svg canvas audio video button input select textarea datalist dialog map frameset noframes noembed")
	blocks  = words("address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul caption")
	// closes says which open elements a start tag ends, up to the nearest of within.
	closes = map[string]struct{ ends, within map[string]bool }{
		"li": {words("li"), words("ul ol menu")}, "dt": {words("dt dd"), words("dl")}, "dd": {words("dt dd"), words("dl")},
		"tr": {words("tr td th"), words("table")}, "td": {words("td th"), words("tr table")}, "th": {words("td th"), words("tr table")},
		"tbody": {words("tbody thead tfoot tr td th"), words("table")}, "tfoot": {words("tbody thead tr td th"), words("table")},
	}
)

// builder puts the tokens of a page into a tree.
type builder struct {
	stack []*node
	title strings.Builder
	base  string
	nodes int
}

func (b *builder) top() *node { return b.stack[len(b.stack)-1] }

// parse reads a page. What comes after a tag that is too long is left out.
func parse(page string) *builder {
	b := &builder{stack: []*node{{tag: "html"}}}
	z := html.NewTokenizer(strings.NewReader(page))
	z.SetMaxBuf(4 << 20)
	inTitle := false
	for ; b.nodes < maxNodes; b.nodes++ {
		switch z.Next() {
		case html.ErrorToken:
			return b
		case html.TextToken:
			if text := string(z.Text()); inTitle && b.title.Len() < 1000 {
				b.title.WriteString(text)
			} else {
				b.top().kids = append(b.top().kids, &node{text: text})
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			inTitle = t.Data == "title" && b.title.Len() == 0 && len(b.stack) < 4
			if !inTitle {
				b.start(t)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if inTitle {
				inTitle = false
			} else {
				b.end(string(name))
			}
		}
	}
	return b
}

func (b *builder) start(t html.Token) {
	n := &node{tag: t.Data, attr: map[string]string{}}
	for _, a := range t.Attr {
		if _, twice := n.attr[a.Key]; !twice {
			n.attr[a.Key] = a.Val
		}
	}
	if t.Data == "base" && b.base == "" {
		b.base = n.attr["href"]
	}
	if c, ok := closes[t.Data]; ok {
		b.close(c.ends, c.within)
	} else if blocks[t.Data] {
		b.close(paragraph, nil)
	}
	b.top().kids = append(b.top().kids, n)
	if !voids[t.Data] && (t.Type != html.SelfClosingTagToken || !dropped[t.Data]) && len(b.stack) < maxDeep {
		b.stack = append(b.stack, n)
	}
}

// close ends the open elements of a kind, but none beyond within. An open paragraph
// (within nil) ends only if nothing but inline elements is open in it.
func (b *builder) close(ends, within map[string]bool) {
	for i := len(b.stack) - 1; i > 0; i-- {
		tag := b.stack[i].tag
		if within[tag] || within == nil && blocks[tag] && !ends[tag] {
			return
		}
		if ends[tag] {
			b.stack = b.stack[:i]
			if within == nil {
				return
			}
		}
	}
}

// end ends an element; of one that is not open, nothing.
func (b *builder) end(tag string) {
	for i := len(b.stack) - 1; i > 0; i-- {
		if b.stack[i].tag == tag {
			b.stack = b.stack[:i]
			return
		}
		if b.stack[i].tag == "table" && tag != "body" && tag != "html" {
			return // nothing in a table ends what is around it
		}
	}
}

// hidden reports whether a person does not see the element, as far as it says by
// itself: what a style sheet hides is not known.
func (n *node) hidden() bool {
	if dropped[n.tag] || n.attr["aria-hidden"] == "true" {
		return true
	}
	if _, ok := n.attr["hidden"]; ok {
		return true
	}
	style := strings.ToLower(n.attr["style"])
	for {
		before, rest, found := strings.Cut(style, "/*")
		if !found {
			break
		}
		_, after, _ := strings.Cut(rest, "*/")
		style = before + after
	}
	for rule := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(rule, ":")
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		switch name = strings.TrimSpace(name); {
		case name == "display" && value == "none", name == "visibility" && (value == "hidden" || value == "collapse"),
			name == "content-visibility" && value == "hidden", name == "color" && value == "transparent",
			(name == "opacity" || name == "font-size" || name == "max-height" || name == "max-width" || name == "zoom") && zero(value),
			(name == "left" || name == "top" || name == "right" || name == "text-indent" || name == "margin-left") && far(value),
			name == "clip" && strings.HasPrefix(value, "rect("), name == "clip-path" && strings.HasPrefix(value, "inset(50%"),
			name == "transform" && strings.HasPrefix(value, "scale(0"):
			return true
		}
	}
	return false
}

// zero reports whether a length or a number is 0.
func zero(value string) bool {
	number := strings.TrimRight(value, "%abcdefghijklmnopqrstuvwxyz ")
	return number != "" && strings.Trim(number, "+-.0") == ""
}

// far reports whether a length leads off the screen.
func far(value string) bool {
	number := strings.TrimRight(value, "%abcdefghijklmnopqrstuvwxyz ")
	return strings.HasPrefix(number, "-") && len(number) > 4 && !strings.Contains(number, ".")
}

// find is the first element, in the order of the page, that fits.
func (n *node) find(fits func(*node) bool) *node {
	if n.tag != "" && (n.hidden() || fits(n)) {
		if n.hidden() {
			return nil
		}
		return n
	}
	for _, k := range n.kids {
		if f := k.find(fits); f != nil {
			return f
		}
	}
	return nil
}

// size is how many bytes of text a person sees in it.
func (n *node) size() int {
	if n.tag == "" {
		return len(strings.TrimSpace(n.text))
	}
	if n.hidden() {
		return 0
	}
	sum := 0
	for _, k := range n.kids {
		sum += k.size()
	}
	return sum
}
