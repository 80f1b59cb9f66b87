package batchweb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"golem/core/approval"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/ui"
)

// How much of what is staged the first page lists; golem clearance list has all of it.
const (
	mostStaged = 50
	mostFiles  = 5 // of one item
)

// staged is an item of clearance with what pushing it would do now.
type staged struct {
	store *clearance.Store
	item  clearance.Item
	diffs []clearance.FileDiff
	err   error // why nobody can push it; nil: perhaps one can
}

// digest returns the digest of what the page shows of an item: a decision has it.
func (s staged) digest() string {
	data, _ := json.Marshal(s.item.Listing(s.diffs)) // texts and numbers
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// staged returns an item that an item of this batch staged. If writes is true, the project must
// have no faults.
func (s *server) staged(id string, writes bool) (out staged, err error) {
	now, err := s.batch.Now()
	if err != nil {
		return out, err
	}
	if out.store, err = s.batch.Clearance(writes); err != nil {
		return out, err
	}
	all, err := clearance.ItemsOf(out.store, now.Name)
	if err != nil {
		return out, err
	}
	n := slices.IndexFunc(all, func(it clearance.Item) bool { return it.ID == id })
	if n < 0 {
		return out, fault.New(fault.NotFound, "no item %s of this batch is staged: it was pushed or discarded, or there was none", fault.Brief(id)).Hinting("go back to what is staged now")
	}
	out.item = all[n]
	out.diffs, out.err = out.store.Diff(out.item, "")
	return out, nil
}

// showStaged answers with what pushing an item would do to the files.
func (s *server) showStaged(w http.ResponseWriter, r *http.Request) {
	one, err := s.staged(r.URL.Query().Get("item"), false)
	if err != nil {
		s.fail(w, err)
		return
	}
	write(w, http.StatusOK, stagedPage(one))
}

// receiveDecision carries out a decision on an item, and leads back.
func (s *server) receiveDecision(w http.ResponseWriter, r *http.Request) {
	if !readForm(w, r) {
		return
	}
	if err := s.decide(r.Context(), r.PostForm.Get("decision"), r); err != nil {
		s.fail(w, err)
		return
	}
	http.Redirect(w, r, "./", http.StatusSeeOther)
}

// decide does with an item what golem clearance push and golem clearance discard do, if it is
// what was shown.
func (s *server) decide(ctx context.Context, decision string, r *http.Request) error {
	switch decision {
	case "later":
		return nil
	case "push", "discard":
	default:
		return fault.New(fault.Usage, "the decision is neither push nor discard").Hinting("use the buttons of the page")
	}
	one, err := s.staged(r.PostForm.Get("item"), decision == "push")
	if err != nil {
		return err
	}
	if one.digest() != r.PostForm.Get("shown") {
		return fault.New(fault.Conflict, "the item %s, or a file that it changes, is not what was shown", one.item.ID).Hinting("go back, and look at it again")
	}
	ctx = context.WithoutCancel(ctx) // what has begun is finished, even if the browser leaves
	if decision == "discard" {
		_, err = one.store.Discard(ctx, one.item.ID)
		return err
	}
	if one.err != nil {
		return one.err
	}
	if why := one.onlyElsewhere(); why != "" {
		return fault.New(fault.Usage, "the item %s cannot be pushed here: %s", one.item.ID, why).Hinting("golem clearance diff %s shows it, golem clearance push %s pushes it", one.item.ID, one.item.ID)
	}
	agreed, left := one.agreed(r.PostForm["definition"])
	if left != "" {
		return fault.New(fault.Protected, "nothing was written: %s defines the project, and you did not agree to it", left).Hinting("go back, and tick the file")
	}
	_, err = one.store.Push(ctx, one.item.ID, clearance.Push{Digest: one.item.Digest(), Definitions: agreed})
	return err
}

// agreed returns the files that define the project and whose numbers a person ticked, and the
// first one that was not ticked.
func (s staged) agreed(ticked []string) (agreed []string, left string) {
	for n, d := range s.diffs {
		switch {
		case !d.Definition:
		case slices.Contains(ticked, strconv.Itoa(n)):
			agreed = append(agreed, d.To)
		case left == "":
			left = d.To
		}
	}
	return agreed, left
}

// onlyElsewhere returns why nobody can push an item on the page; "": one can.
func (s staged) onlyElsewhere() string {
	if s.item.Target != "" {
		return "it goes to the target " + s.item.Target
	}
	if _, whole := s.changes(); !whole {
		return "it is too large for this page"
	}
	return ""
}

// changes returns, as HTML, what pushing an item does to each file. whole is false if the page
// does not show all of it.
func (s staged) changes() (body string, whole bool) {
	var out strings.Builder
	for n, d := range s.diffs {
		if n > 0 && out.Len() > mostText {
			fmt.Fprintf(&out, "<p>And %s more, which are not shown.</p>\n", fault.Count(len(s.diffs)-n, "file"))
			return out.String(), false
		}
		fmt.Fprintf(&out, "<h2>%s: %s</h2>\n", kind(d.Change), line(d.To))
		if d.Definition {
			out.WriteString("<p class=\"warn\">This file defines the project.</p>\n")
		}
		if d.Digest != "" && !d.Dir() {
			fmt.Fprintf(&out, "<p>%s, SHA-256 %s</p>\n", fault.Count(int(d.Size), "byte"), line(d.Digest))
		}
		if !patch(&out, d.Patch) {
			out.WriteString("<p>The rest is not shown.</p>\n")
			return out.String(), false
		}
		if !d.Binary && strings.HasPrefix(d.Patch, "Files ") { // a text that is too large to compare
			return out.String(), false
		}
	}
	return out.String(), true
}

// patch writes a diff, at most until the page is full, and reports whether that is all of it.
// It shows also what Safe leaves: ends of lines, special spaces and joiners.
func patch(out *strings.Builder, diff string) (whole bool) {
	out.WriteString("<pre>")
	defer out.WriteString("</pre>\n")
	if len(diff) > mostText {
		diff = diff[:mostText] // its last character may be cut, and is shown as an escape
	} else {
		whole = true
	}
	lines, _ := approval.Lines(diff)
	for n, l := range lines {
		if n > 0 && out.Len() > mostText {
			return false
		}
		class := ""
		switch {
		case n < 2:
		case strings.HasPrefix(l, "+"):
			class = "new"
		case strings.HasPrefix(l, "-"):
			class = "old"
		}
		if class == "" {
			out.WriteString(html.EscapeString(l) + "\n")
		} else {
			fmt.Fprintf(out, "<span class=%q>%s</span>\n", class, html.EscapeString(l))
		}
	}
	return whole
}

// line returns text in one line, in which each character can be seen, for HTML.
func line(s string) string {
	out, _ := approval.Visible(s)
	return html.EscapeString(out)
}

// kind returns what a push does to a file, in a word or two.
func kind(c clearance.Change) string {
	switch {
	case c.Dir() && c.Digest == "":
		return "directory removed"
	case c.Dir():
		return "directory made"
	case c.Digest == "":
		return "removed"
	case c.Base == "":
		return "new"
	}
	return "changed"
}

// stagedList writes what the batch has staged, without the changes themselves.
func stagedList(out *strings.Builder, items []clearance.Item) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(out, "<h2>Staged changes of %s</h2>\n<p>The files of the project stay as they are until you push.</p>\n", fault.Count(len(items), "item"))
	for n, it := range items {
		if n == mostStaged || n > 0 && out.Len() > mostText {
			fmt.Fprintf(out, "<p>And %s more, after these.</p>\n", fault.Count(len(items)-n, "item"))
			break
		}
		fmt.Fprintf(out, "<section class=\"staged\" aria-labelledby=\"s%d\">\n<h3 id=\"s%d\">%s%s</h3>\n<ul>\n", n, n, line(path.Base(it.Run)), stateOf(it))
		for i, c := range it.Changes {
			if i == mostFiles {
				fmt.Fprintf(out, "<li>and %d more</li>\n", len(it.Changes)-i)
				break
			}
			fmt.Fprintf(out, "<li>%s: %s</li>\n", kind(c), html.EscapeString(ui.Brief(c.Name())))
		}
		fmt.Fprintf(out, "</ul>\n<p><a href=\"staged?item=%s\">Show the changes of item %s, and decide</a></p>\n</section>\n", html.EscapeString(it.ID), line(it.ID))
	}
}

// stateOf returns what is special about an item, for a heading.
func stateOf(it clearance.Item) string {
	switch {
	case it.Err != nil:
		return " (shown only)"
	case it.State != clearance.Pending:
		return " (" + line(string(it.State)) + ")"
	}
	return ""
}

// stagedPage returns the page with what pushing an item would do, and the decisions after it.
func stagedPage(s staged) string {
	var out strings.Builder
	fmt.Fprintf(&out, "<h1>Push item %s?%s</h1>\n<p>Staged by %s: %s.</p>\n", line(s.item.ID), stateOf(s.item), line(path.Base(s.item.Run)), fault.Count(len(s.item.Changes), "change"))
	changes, _ := s.changes()
	out.WriteString(changes)
	if s.err != nil {
		f := fault.Of(s.err, fault.Conflict)
		fmt.Fprintf(&out, "<p class=\"warn\">You cannot push it: %s: %s %s</p>\n", text(string(f.Code)), text(f.Message), text(f.Hint))
	}
	if s.item.Err != nil {
		out.WriteString("<p class=\"warn\">You cannot decide: " + text(fault.Of(s.item.Err, fault.Trust).Message) + "</p>\n")
	} else {
		decisions(&out, s)
	}
	out.WriteString("<p><a href=\"./\">Back, without a decision</a></p>\n")
	return document("golem batch: staged changes", "", out.String())
}

// decisions writes the buttons for an item. The first button decides nothing, so that Enter in a
// field does nothing, and to discard needs two.
func decisions(out *strings.Builder, s staged) {
	hidden := fmt.Sprintf("<input type=\"hidden\" name=\"item\" value=\"%s\">\n<input type=\"hidden\" name=\"shown\" value=\"%s\">\n", html.EscapeString(s.item.ID), s.digest())
	if why := s.onlyElsewhere(); s.err != nil {
		// the page has said why
	} else if why != "" {
		fmt.Fprintf(out, "<p>You cannot push it here: %s. Use golem clearance diff %s and golem clearance push %s.</p>\n", text(why), line(s.item.ID), line(s.item.ID))
	} else {
		out.WriteString("<form method=\"post\" action=\"decide\" class=\"ask\">\n" + hidden)
		for n, d := range s.diffs {
			if d.Definition {
				fmt.Fprintf(out, "<label class=\"tick\"><input type=\"checkbox\" name=\"definition\" value=\"%d\" required autocomplete=\"off\"> Write %s, which defines the project</label>\n", n, line(d.To))
			}
		}
		out.WriteString("<div class=\"answers\"><button name=\"decision\" value=\"later\" formnovalidate>Decide later</button><button name=\"decision\" value=\"push\" class=\"yes\">Push: write these files</button></div>\n</form>\n")
	}
	out.WriteString("<details><summary>Discard it…</summary>\n<form method=\"post\" action=\"decide\">\n" + hidden + "<p>What was staged is lost, and the files stay as they are.</p>\n<button name=\"decision\" value=\"discard\">Discard</button>\n</form></details>\n")
}
