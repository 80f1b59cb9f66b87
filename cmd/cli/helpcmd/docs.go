// Package helpcmd has the commands that show golem's documentation.
package helpcmd

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/ui"
	"golem/docs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/markdown"
)

// DocsCommand returns the command golem docs (SPEC §13).
func DocsCommand(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use: "docs [WORDS]", Short: "show a page of the documentation, or search it",
		Long: `golem docs shows the documentation of this version of golem.

  golem docs                        the list of pages
  golem docs tools                  the page tools
  golem docs tools/rights#secrets   one part of a page
  golem docs resume a batch         the part that fits best to these words, and others
  golem docs E_TRUST                what golem explain says of a code

In a pipe it writes Markdown.`,
		Args:              console.Words(0, math.MaxInt),
		ValidArgsFunction: completePages,
		RunE:              func(_ *cobra.Command, words []string) error { return showDocs(c, words) },
	}
}

func completePages(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return docs.Names, cobra.ShellCompDirectiveNoFileComp
}

func showDocs(c *console.Console, words []string) error {
	all, err := allSections()
	if err != nil {
		return err
	}
	if len(words) == 0 {
		return listPages(c, all)
	}
	if len(words) == 1 {
		page, part, _ := strings.Cut(words[0], "#")
		page = pageNamed(strings.TrimSuffix(page, ".md"))
		if slices.Contains(docs.Names, page) || slices.Contains(docs.ErrorPages(), page) {
			return showPart(c, all, page, part)
		}
		if slices.Contains(fault.Codes(), fault.Code(words[0])) {
			return explain(c, words[0], false)
		}
	}
	return showFound(c, all, words)
}

// pageNamed returns the name of the page whose last word is this one, such as workers/files for
// files, if there is exactly one, else the word itself.
func pageNamed(word string) string {
	found := word
	for _, name := range docs.Names {
		if name == word {
			return word
		}
		if strings.HasSuffix(name, "/"+word) {
			if found != word {
				return word
			}
			found = name
		}
	}
	return found
}

// listPages prints the table of contents.
func listPages(c *console.Console, all []section) error {
	titles := map[string]string{}
	for _, s := range all {
		if s.level == 1 {
			titles[s.page] = s.title
		}
	}
	var b strings.Builder
	for _, part := range docs.Contents {
		var rows [][]string
		for _, page := range part.Pages {
			rows = append(rows, []string{"  " + page, titles[page]})
		}
		b.WriteString(part.Title + "\n" + ui.Table(console.Narrowed(c.Out, rows)) + "\n")
	}
	return c.Print(b.String() + "golem docs PAGE shows a page, golem docs WORDS searches all of them, golem explain CODE explains an error. Begin with golem docs start\n")
}

// showPart prints the part of a page whose heading has this anchor, the whole page if it is "".
func showPart(c *console.Console, all []section, page, part string) error {
	var known []string
	for i, s := range all {
		if s.page != page {
			continue
		}
		if part == "" || s.anchor == part {
			return showMarkdown(c, whole(all, i))
		}
		known = append(known, s.anchor)
	}
	return console.Usage("the page %s has no part %q", page, part).Hinting("%s", fault.DidYouMean(part, known))
}

// maxOthers is the number of other places that a search lists.
const maxOthers = 8

// showFound prints the part that fits best to words, and names the next ones.
func showFound(c *console.Console, all []section, words []string) error {
	if !strings.ContainsFunc(strings.Join(words, ""), isLetterOrDigit) {
		return console.Usage("%q has no words to search for", strings.Join(words, " ")).Hinting("golem docs lists the pages")
	}
	found := search(all, words)
	if len(found) == 0 {
		return console.Usage("no page has all of the words %q", strings.Join(words, " ")).
			Hinting("use fewer or other words; golem docs lists the pages")
	}
	best := all[found[0]]
	if err := showMarkdown(c, fmt.Sprintf("*golem docs %s*\n\n%s", best.address(), best.text)); err != nil {
		return err
	}
	var rows [][]string
	for _, i := range found[1:min(len(found), 1+maxOthers)] {
		rows = append(rows, []string{"  golem docs " + all[i].address(), all[i].title})
	}
	if len(rows) == 0 {
		return nil
	}
	more := ""
	if n := len(found) - 1 - len(rows); n > 0 {
		more = fmt.Sprintf("  and %d more\n", n)
	}
	return c.Print("\nThese words are also in:\n\n" + ui.Table(console.Narrowed(c.Out, rows)) + more)
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// maxColumns is the width of a rendered page on a wide terminal, which long lines make hard
// to read.
const maxColumns = 100

// showMarkdown renders a text on a terminal, and writes it unchanged elsewhere.
func showMarkdown(c *console.Console, text string) error {
	if !console.IsTerminal(c.Out) {
		return c.Print(text)
	}
	width := maxColumns
	if n := console.Columns(c.Out); n > 0 {
		width = min(n, maxColumns)
	}
	lines := markdown.Render(text, markdown.Options{Width: width, Color: c.Colors(c.Out, false), PlainCode: true})
	return c.Print(strings.Join(lines, "\n") + "\n")
}
