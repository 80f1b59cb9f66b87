package toolset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

type searchArgs struct {
	Pattern string `json:"pattern" jsonschema:"regular expression (RE2)"`
	Path    string `json:"path,omitempty" jsonschema:"directory or file, / if left out"`
	Glob    string `json:"glob,omitempty" jsonschema:"only files like this, e.g. *.go or src/**/*.go"`
	Context int    `json:"context,omitempty" jsonschema:"lines to show around each hit, 5 at most"`
	Skip    int    `json:"skip,omitempty" jsonschema:"hits to leave out, to read on"`
}

func (s *searchArgs) where() *string { return &s.Path }

// search looks through text files in a fixed order; binary files and files
// over maxFile are passed over, and counted.
func (f *files) search(ctx context.Context, _ string, in searchArgs) (tool.Output, error) {
	re, err := compile(in.Pattern)
	if err != nil {
		return tool.Output{}, err
	}
	matches, err := globbing(in.Glob)
	if err != nil {
		return tool.Output{}, err
	}
	dir, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	s := &search{files: f, re: re, in: in}
	info, err := fs.Stat(f.fs, dir)
	if err != nil {
		return tool.Output{}, explain(err)
	}
	if !info.IsDir() {
		err = s.file(ctx, dir)
	} else {
		err = f.walk(ctx, dir, true, func(rel string, d fs.DirEntry) error {
			if d.IsDir() || !matches(rel) {
				return nil
			}
			return s.file(ctx, path.Join(dir, rel))
		})
	}
	switch {
	case errors.Is(err, errMany):
		s.many = true
	case err != nil && !errors.Is(err, errFull):
		return tool.Output{}, explain(err)
	}
	return s.output(), nil
}

// Bounds on a search: the time it takes between two looks at the clock grows
// with the product of both.
const (
	maxProgram  = 1000      // steps of a compiled pattern; {n} multiplies them
	maxSearched = 256 << 10 // bytes of one line
)

// compile reads a pattern and refuses one that would take too long.
func compile(pattern string) (*regexp.Regexp, error) {
	tooLong := fault.New(fault.ToolInput, "the pattern is too complex").Hinting("use smaller counts in {} or a shorter pattern")
	if len(pattern) > maxProgram {
		return nil, tooLong
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fault.New(fault.ToolInput, "the pattern is not a regular expression: %w", err).Hinting("use RE2 syntax, and write \\ before special characters")
	}
	if steps(tree) > maxProgram {
		return nil, tooLong
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fault.New(fault.ToolInput, "the pattern is not a regular expression: %w", err)
	}
	return re, nil
}

// steps is about how many steps a pattern compiles to; the parser has bounded
// its depth.
func steps(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/4
	for _, sub := range re.Sub {
		n = min(n+steps(sub), 1<<20)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, 1<<20)
}

// errFull ends a search whose result has no more room.
var errFull = errors.New("full")

type search struct {
	files  *files
	re     *regexp.Regexp
	in     searchArgs
	b      strings.Builder
	hits   int
	full   bool
	many   bool
	passed int // files not searched
	cut    int // lines searched in part
}

// file finds the hits of one file, line by line.
func (s *search) file(ctx context.Context, name string) error {
	data, err := sandbox.ReadFile(s.files.fs, name, maxFile)
	if err != nil || !isText(data[:min(len(data), sample)]) {
		s.passed++ // unreadable, too large or no text
		return nil
	}
	if len(data) == 0 {
		return nil
	}
	text := lines(strings.ToValidUTF8(string(data), "\uFFFD"))
	var hits [][2]int // line, and where in it
	for i, l := range text {
		if len(l) > maxSearched {
			l = l[:maxSearched]
			s.cut++
		}
		if i%1024 == 0 || len(l) > maxSearched/16 {
			if err := pause(ctx); err != nil {
				return err
			}
		}
		if loc := s.re.FindStringIndex(l); loc != nil {
			hits = append(hits, [2]int{i, loc[0]})
		}
	}
	shown := -1 // the last line shown of this file
	for k := range hits {
		if s.hits++; s.hits <= s.in.Skip {
			continue
		}
		part, last := s.part(sandbox.Abs(name), text, hits, k, shown, min(max(s.in.Context, 0), 5))
		if s.b.Len()+len(part) > s.room() {
			if s.b.Len() > 0 {
				s.full = true
				s.hits--
				return errFull
			}
			part, last = s.part(sandbox.Abs(name), text, hits, k, shown, 0) // a hit that fills a page by itself
		}
		s.b.WriteString(part)
		shown = last
	}
	return nil
}

// room is for hits; the rest of a page is for what is said about them.
func (s *search) room() int { return s.files.limit - 300 }

// part is one hit, marked with a colon, and the lines around it that have not
// been shown and are not a later hit; last is the last line of it.
func (s *search) part(at string, text []string, hits [][2]int, k, shown, around int) (part string, last int) {
	var b strings.Builder
	hit := hits[k][0]
	first := max(hit-around, shown+1)
	last = min(hit+around, len(text)-1)
	if k+1 < len(hits) {
		last = min(last, hits[k+1][0]-1)
	}
	if shown >= 0 && around > 0 && first > shown+1 {
		b.WriteString("--\n")
	}
	for j := first; j <= last; j++ {
		mark, from := "-", 0
		if j == hit {
			mark, from = ":", hits[k][1]
		}
		fmt.Fprintf(&b, "%s:%d%s %s\n", at, j+1, mark, clip(text[j], from))
	}
	return b.String(), last
}

// clip keeps long text from filling a result: what is around from is shown.
func clip(l string, from int) string {
	const most, before = 600, 100
	if len(l) <= most {
		return l
	}
	start := 0
	if from > most-before {
		start = from - before
	}
	end := min(start+most, len(l))
	for start > 0 && !utf8.RuneStart(l[start]) {
		start--
	}
	for end < len(l) && !utf8.RuneStart(l[end]) {
		end--
	}
	out := l[start:end]
	if start > 0 {
		out = fmt.Sprintf("[%d bytes] ", start) + out
	}
	if end < len(l) {
		out += fmt.Sprintf(" [%d more bytes]", len(l)-end)
	}
	return out
}

// output is the hits and what there is to say about them.
func (s *search) output() tool.Output {
	text := s.b.String()
	switch {
	case text == "" && s.hits > 0:
		text = fmt.Sprintf("no more hits: there are %d", s.hits)
	case text == "":
		text = "no hits"
	}
	notes := []string{strings.TrimSuffix(text, "\n")}
	if s.passed > 0 {
		notes = append(notes, fmt.Sprintf("[%d files were not searched: not text, too large or not readable]", s.passed))
	}
	if s.cut > 0 {
		notes = append(notes, fmt.Sprintf("[of %d long lines only the first %d bytes were searched]", s.cut, maxSearched))
	}
	if s.many {
		notes = append(notes, fmt.Sprintf("[stopped after %d entries: choose a path further down]", maxEntries))
	}
	if s.full {
		notes = append(notes, fmt.Sprintf("[more: go on with skip %d]", s.hits))
	}
	return tool.Output{Text: strings.Join(notes, "\n"), Summary: fmt.Sprintf("%d hits", s.hits)}
}
