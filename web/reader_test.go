//go:build !js

package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"golem/web/webtest"
)

// heard is a node of the accessibility tree, as a screen reader says it.
type heard struct {
	depth            int
	role, name, said string // said: value, description and state
	disabled, leads  bool   // leads: it is in a navigation
}

// unspoken are roles that screen readers do not say by themselves.
var unspoken = []string{"none", "generic", "InlineTextBox", "LineBreak", "RootWebArea", "paragraph", "LayoutTable", "LayoutTableRow", "LayoutTableCell", "LabelText", "SvgRoot", "Section", "emphasis", "strong", "superscript", "ListMarker", "rowgroup"}

// controls are roles of elements that a person uses.
var controls = []string{"button", "link", "textbox", "combobox", "checkbox", "radio", "searchbox", "spinbutton", "switch", "slider", "DisclosureTriangle", "treeitem", "menuitem", "tab"}

// axText returns a value of the accessibility tree as text.
func axText(v *accessibility.Value) string {
	var s any
	if v == nil || json.Unmarshal(v.Value, &s) != nil || s == nil {
		return ""
	}
	return strings.Join(strings.Fields(fmt.Sprint(s)), " ")
}

// reading returns the page's accessibility tree in the order in which a screen reader goes
// through it, and keeps it as text in build/reader for a person to read.
func reading(t *testing.T, p *webtest.Page, name string) []heard {
	t.Helper()
	if _, err := chromedp.Call(p.Context(), accessibility.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	tree, err := chromedp.Call(p.Context(), accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range tree.Nodes {
		nodes[n.NodeID] = n
	}
	var out []heard
	var walk func(n *accessibility.Node, depth int, within string, leads bool)
	walk = func(n *accessibility.Node, depth int, within string, leads bool) {
		h := heard{depth: depth, role: axText(n.Role), name: axText(n.Name), leads: leads}
		for _, s := range []string{axText(n.Value), axText(n.Description)} {
			if s != "" {
				h.said += " | " + s
			}
		}
		for _, p := range n.Properties {
			v := axText(p.Value)
			switch {
			case p.Name == "disabled" && v == "true":
				h.disabled, h.said = true, h.said+" (disabled)"
			case slices.Contains([]accessibility.PropertyName{"level", "expanded", "checked", "pressed", "selected", "modal"}, p.Name) && v != "":
				h.said += fmt.Sprintf(" (%s %s)", p.Name, v)
			}
		}
		repeated := h.role == "StaticText" && (h.name == "" || strings.Contains(within, h.name)) // a part of the name above it
		if !n.Ignored && !slices.Contains(unspoken, h.role) && !repeated {
			out = append(out, h)
			depth++
			if h.name != "" {
				within = h.name
			}
		}
		for _, id := range n.ChildIDs {
			if c := nodes[id]; c != nil {
				walk(c, depth, within, leads || h.role == "navigation")
			}
		}
	}
	if len(tree.Nodes) > 0 {
		walk(tree.Nodes[0], 0, "", false)
	}
	var b strings.Builder
	for _, h := range out {
		fmt.Fprintf(&b, "%s%s %q%s\n", strings.Repeat("  ", h.depth), h.role, h.name, h.said)
	}
	keep(t, "reader/"+name+".txt", []byte(b.String()))
	return out
}

// TestReadersTree reads the accessibility tree of the main flows as a screen reader does:
// every control, dialog, region and table has a name, no two controls that do different things
// have the same name, headings follow each other without a gap, each message has one, and the
// depth of files and calls is said.
func TestReadersTree(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	read := func(name string, wanted ...string) {
		t.Helper()
		var before int
		names := map[string]int{}
		tree := reading(t, p, name)
		for _, w := range wanted {
			if !slices.ContainsFunc(tree, func(h heard) bool { return h.role+" "+h.name+h.said == w }) {
				t.Errorf("%s: %s is not said", name, w)
			}
		}
		for _, h := range tree {
			switch {
			case h.name == "" && (slices.Contains(controls, h.role) || slices.Contains([]string{"dialog", "alertdialog", "region", "table", "tree", "image", "img", "progressbar", "log", "navigation"}, h.role)):
				t.Errorf("%s: a %s has no name%s", name, h.role, h.said)
			case slices.Contains(controls, h.role) && !h.disabled && !h.leads:
				names[h.role+" "+h.name]++
			case h.role == "heading":
				var level int
				if _, at, ok := strings.Cut(h.said, "(level "); ok {
					_, _ = fmt.Sscan(strings.TrimSuffix(at, ")"), &level)
				}
				if before > 0 && level > before+1 {
					t.Errorf("%s: the heading %q of level %d follows one of level %d", name, h.name, level, before)
				}
				before = level
			}
		}
		for n, times := range names {
			if times > 1 {
				t.Errorf("%s: %d controls have the name %s", name, times, n)
			}
		}
		if names := webtest.Eval[string](p, `[...document.querySelectorAll('h1')].map((h) => h.innerText).join()`); strings.Contains(names, ",") || names == "" {
			t.Errorf("%s: the headings of level 1 are %q", name, names)
		}
	}
	do(p, `await text("is ready")`)
	read("first")
	do(p, `await click("Ada starts on Monday"); await text("Change a file?")`)
	settled(p)
	read("question", "heading Change a file? (level 2)")
	yes(p)
	read("answered", "heading You (level 3)", "heading Golem (level 3)", "status ")
	do(p, `await click("History"); await until("the history", () => document.querySelector('.side .past'))`)
	read("history")
	do(p, `await click("what you can do"); await text("start over")`)
	read("menu")
	do(p, `await click("Close"); await click("Files"); await click("main.worker"); await until("the editor", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content'))`)
	read("files", "listitem  (level 2)")
	do(p, `await click("Trace"); await until("the run", () => button(".jsonl"))`)
	read("runs")
	do(p, `await click(".jsonl"); await text("Timeline"); await click("writer")`)
	read("trace", "listitem  (level 2)")
	do(p, `await click("Projects"); await text("Examples")`)
	read("projects")
	do(p, `await click("Settings"); await text("Model providers")`)
	read("settings")
	project(t, p, "team", team)
	do(p, `await click("Workers"); await until("the graph", () => document.querySelectorAll('.box').length === 5)`)
	read("workers")
}
