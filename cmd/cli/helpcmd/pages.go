package helpcmd

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golem/docs"
)

// section is a heading of a page with the text below it, to the next heading of any level.
type section struct {
	page   string // the name of the page without .md
	level  int    // of the heading: 1 is the page's title
	title  string
	anchor string // as a link to the heading writes it
	text   string // Markdown, with the heading
}

// address returns the word after golem docs that shows the section.
func (s section) address() string {
	if s.level == 1 {
		return s.page
	}
	return s.page + "#" + s.anchor
}

// sections returns the sections of a page, in its order.
func sections(name string) ([]section, error) {
	text, err := docs.Read(name)
	if err != nil {
		return nil, fmt.Errorf("the page %s: %w", name, err)
	}
	var out []section
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if !fenced && level > 0 && strings.HasPrefix(line[level:], " ") {
			title := strings.TrimSpace(line[level:])
			out = append(out, section{page: name, level: level, title: title, anchor: anchor(title)})
		}
		if len(out) > 0 {
			out[len(out)-1].text += line
		}
	}
	return out, nil
}

// allSections returns the sections of all pages.
func allSections() ([]section, error) {
	var out []section
	for _, name := range slices.Concat(docs.Names, docs.ErrorPages()) {
		of, err := sections(name)
		if err != nil {
			return nil, err
		}
		out = append(out, of...)
	}
	return out, nil
}

// anchor returns what a link to a heading has after the "#": lower-case letters, digits,
// "-" and "_", and "-" for a space.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case isLetterOrDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// whole returns the section at index i with the sections below its heading, as Markdown.
func whole(all []section, i int) string {
	var b strings.Builder
	b.WriteString(all[i].text)
	for _, s := range all[i+1:] {
		if s.page != all[i].page || s.level <= all[i].level {
			break
		}
		b.WriteString(s.text)
	}
	return b.String()
}

// search returns the indexes of the sections that have all words, the best first: words in
// a heading count most, then words in the page's title, then words in the text, where they
// count more in a short one. A word fits to each word that begins with it. Short words that
// have no subject, such as "a", do not count. A section has the words of its page's title.
func search(all []section, words []string) []int {
	var patterns []*regexp.Regexp
	for _, w := range words {
		if !smallWords[strings.ToLower(w)] {
			patterns = append(patterns, startOf(w))
		}
	}
	if len(patterns) == 0 {
		for _, w := range words {
			patterns = append(patterns, startOf(w))
		}
	}
	phrase := startOf(strings.Join(words, " "))
	var found []int
	score := map[int]float64{}
	title := ""
	for i, s := range all {
		if s.level == 1 {
			title = s.page + " " + s.title
		}
		n := rate(s, title, patterns)
		if n == 0 {
			continue
		}
		if len(words) > 1 && phrase.MatchString(s.text) && !strings.HasPrefix(s.page, "reference/") { // a guide comes before a list
			n += 8
		}
		if strings.HasPrefix(s.page, "errors/") { // they have almost every word, and golem explain is the way to it
			n = 0.1
		}
		found = append(found, i)
		score[i] = n
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return found
}

var smallWords = map[string]bool{
	"a": true, "an": true, "and": true, "are": true, "can": true, "do": true, "does": true, "for": true, "how": true, "i": true,
	"in": true, "is": true, "it": true, "my": true, "of": true, "on": true, "or": true, "the": true, "to": true, "what": true, "with": true,
}

// startOf returns a pattern for words that begin with w.
func startOf(w string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL\pN])` + regexp.QuoteMeta(w))
}

// rate returns how well a section fits to words, 0 if it does not have all of them.
func rate(s section, pageTitle string, words []*regexp.Regexp) float64 {
	sum := 0.0
	for _, w := range words {
		n := 3 * float64(len(w.FindAllString(s.text, 3))) / (1 + float64(len(s.text))/2000)
		if w.MatchString(pageTitle) {
			n += 4
		}
		if n == 0 {
			return 0
		}
		if w.MatchString(s.title) {
			n += 8
		}
		sum += n
	}
	return sum
}
