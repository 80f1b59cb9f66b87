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

func (f *files) previewSearch(_ string, in *searchArgs) (tool.Preview, error) {
	return f.readingAll(&in.Path)
}

// search searches text files in a fixed order. It skips and counts binary files and files
// over maxFile.
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
			if l, ok := d.(sandbox.LinkEntry); ok && sandbox.Within(l.Target(), dir) && matches(strings.TrimPrefix(l.Target(), dir+"/")) {
				return nil // it is searched under its own name
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

// Limits of a search. A search can be stopped only between two lines, and the time for one
// line grows with the product of both limits.
const (
	maxProgram  = 1000      // steps of a compiled pattern; {n} multiplies them
	maxSearched = 256 << 10 // bytes of one line
)

// compile compiles a pattern. It returns E_TOOL_INPUT for one that would take too long.
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

// steps returns roughly how many steps a pattern compiles to. Its recursion is bounded,
// because the parser limits the depth of a pattern.
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

// errFull ends a search when its result is full.
var errFull = errors.New("full")

// search is the state of one search.
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

// file searches one file, line by line, and adds its hits to the result.
func (s *search) file(ctx context.Context, name string) error {
	data, err := sandbox.ReadFile(s.files.fs, name, maxFile)
	if err != nil || !isText(data[:min(len(data), sample)]) {
		s.passed++ // unreadable, too large or not text
		return nil
	}
	if len(data) == 0 {
		return nil
	}
	text := lines(strings.ToValidUTF8(string(data), "\uFFFD"))
	var hits [][2]int // index of the line, and the position in it
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
			part, last = s.part(sandbox.Abs(name), text, hits, k, shown, 0) // this hit is a page of its own
		}
		s.b.WriteString(part)
		shown = last
	}
	return nil
}

// room returns how many bytes of a page the hits may take; the rest is for notes.
func (s *search) room() int { return s.files.limit - 300 }

// part returns the lines for hit k, with a colon after its line number, and the lines around
// it, except lines that were shown before and lines from the next hit on. last is the index
// of its last line.
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

// clip shortens a long text to the part around the index from.
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
	start = len(fault.Head(l, start))
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

// output returns the hits and the notes about them.
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
		notes = append(notes, "[not searched, because not text, too large or not readable: "+fault.Count(s.passed, "file")+"]")
	}
	if s.cut > 0 {
		notes = append(notes, fmt.Sprintf("[%s searched only in the first %d bytes]", fault.Count(s.cut, "long line"), maxSearched))
	}
	if s.many {
		notes = append(notes, fmt.Sprintf("[stopped after %d entries: choose a path further down]", maxEntries))
	}
	if s.full {
		notes = append(notes, fmt.Sprintf("[more: go on with skip %d]", s.hits))
	}
	return tool.Output{Text: strings.Join(notes, "\n"), Summary: fault.Count(s.hits, "hit")}
}
