package web

import "strings"

// node is an element of a page, or a text (tag ""). The tree is built roughly as browsers do
// it, but with bounded time and depth, because a page may be hostile.
type node struct {
	tag  string
	attr map[string]string
	text string
	kids []*node
	hide bool // a person does not see the element, see hides
}

// maxDeep is the largest depth of the tree. Deeper elements become children of the last one
// at that depth.
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
	// dropped elements contain nothing that a person reads in a page.
	dropped = words("title script style noscript template iframe object embed svg canvas audio video button input select textarea datalist dialog map frameset noframes noembed")
	blocks  = words("address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul caption")
	// closes says which open elements a start tag ends, inside the nearest element of within.
	closes = map[string]struct{ ends, within map[string]bool }{
		"li": {words("li"), words("ul ol menu")}, "dt": {words("dt dd"), words("dl")}, "dd": {words("dt dd"), words("dl")},
		"tr": {words("tr td th"), words("table")}, "td": {words("td th"), words("tr table")}, "th": {words("td th"), words("tr table")},
		"tbody": {words("tbody thead tfoot tr td th"), words("table")}, "tfoot": {words("tbody thead tr td th"), words("table")},
	}
)

// builder builds a tree from the tokens of a page.
type builder struct {
	stack []*node
	title string
	base  string
	nodes int
}

func (b *builder) top() *node { return b.stack[len(b.stack)-1] }

// parse returns the builder after it has read the page; stack[0] is the root of the tree.
func parse(page string) *builder {
	b := &builder{stack: []*node{{tag: "html"}}}
	in := tokensOf(page)
	inTitle := false
	for ; b.nodes < maxNodes; b.nodes++ {
		t, ok := in.next()
		switch {
		case !ok:
			return b
		case t.tag == "" && inTitle:
			b.title, inTitle = t.text[:min(len(t.text), 1000)], false
		case t.tag == "":
			b.top().kids = append(b.top().kids, &node{text: t.text})
		case t.end:
			b.end(t.tag)
		case t.tag == "title":
			inTitle = b.title == "" && len(b.stack) < 4
		default:
			b.start(&node{tag: t.tag, attr: t.attr, hide: hides(t.tag, t.attr)})
		}
	}
	return b
}

func (b *builder) start(n *node) {
	if n.tag == "base" && b.base == "" {
		b.base = n.attr["href"]
	}
	if c, ok := closes[n.tag]; ok {
		b.close(c.ends, c.within)
	} else if blocks[n.tag] {
		b.close(paragraph, nil)
	}
	b.top().kids = append(b.top().kids, n)
	if !voids[n.tag] && len(b.stack) < maxDeep {
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

// end ends the innermost open element with this tag. If there is none, it does nothing.
func (b *builder) end(tag string) {
	for i := len(b.stack) - 1; i > 0; i-- {
		if b.stack[i].tag == tag {
			b.stack = b.stack[:i]
			return
		}
		if b.stack[i].tag == "table" && tag != "body" && tag != "html" {
			return // an end tag in a table does not end an element around the table
		}
	}
}

// hides reports whether an element is invisible, judging by its tag and its own attributes.
// Style sheets are not considered.
func hides(tag string, attr map[string]string) bool {
	if dropped[tag] || attr["aria-hidden"] == "true" {
		return true
	}
	if _, ok := attr["hidden"]; ok {
		return true
	}
	var style strings.Builder // without its comments
	for rest := strings.ToLower(attr["style"]); rest != ""; {
		before, after, _ := strings.Cut(rest, "/*")
		style.WriteString(before)
		_, rest, _ = strings.Cut(after, "*/")
	}
	for rule := range strings.SplitSeq(style.String(), ";") {
		name, value, _ := strings.Cut(rule, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		if unseen[name+":"+value] || vanishes[name] && zero(value) || moves[name] && offScreen(value) {
			return true
		}
	}
	return false
}

// Styles that hide an element: by their value, by a size of zero, by a position far off the
// screen.
var (
	unseen   = words("display:none visibility:hidden visibility:collapse content-visibility:hidden color:transparent transform:scale(0) clip-path:inset(50%) clip-path:inset(100%)")
	vanishes = words("opacity font-size max-height max-width zoom")
	moves    = words("left top right text-indent margin-left")
)

// zero reports whether a length or a number is 0.
func zero(value string) bool {
	number := strings.TrimRight(value, "%abcdefghijklmnopqrstuvwxyz ")
	return number != "" && strings.Trim(number, "+-.0") == ""
}

// offScreen reports whether a length is far off the screen: negative, with at least four digits
// and no decimal point.
func offScreen(value string) bool {
	number := strings.TrimRight(value, "%abcdefghijklmnopqrstuvwxyz ")
	return strings.HasPrefix(number, "-") && len(number) > 4 && !strings.Contains(number, ".")
}

// find returns the first visible element, in the order of the page, for which fits returns
// true, or nil.
func (n *node) find(fits func(*node) bool) *node {
	switch {
	case n.hide:
		return nil
	case n.tag != "" && fits(n):
		return n
	}
	for _, k := range n.kids {
		if f := k.find(fits); f != nil {
			return f
		}
	}
	return nil
}

// size returns how many bytes of visible text are in the node.
func (n *node) size() int {
	if n.tag == "" {
		return len(strings.TrimSpace(n.text))
	}
	if n.hide {
		return 0
	}
	sum := 0
	for _, k := range n.kids {
		sum += k.size()
	}
	return sum
}
