package toolset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

type searchArgs struct {
	Pattern string `json:"pattern" jsonschema:"regular expression (RE2)"`
	Path    string `json:"path,omitempty" jsonschema:"directory or file, / if left out"`
	Glob    string `json:"glob,omitempty" jsonschema:"only files like this, e.g. **/*.go"`
	Context int    `json:"context,omitempty" jsonschema:"lines to show around each hit, 5 at most"`
	Skip    int    `json:"skip,omitempty" jsonschema:"hits to leave out, to read on"`
}

func (s *searchArgs) where() *string { return &s.Path }

// search looks through text files in a fixed order; binary files and files
// over maxFile are passed over, and counted.
func (f *files) search(ctx context.Context, _ string, in searchArgs) (tool.Output, error) {
	re, err := regexp.Compile(in.Pattern)
	if err != nil {
		return tool.Output{}, fault.New(fault.ToolInput, "the pattern is no regular expression: %w", err).Hinting("RE2 syntax; write \\ before special characters")
	}
	if in.Glob != "" && !doublestar.ValidatePattern(in.Glob) {
		return tool.Output{}, fault.New(fault.ToolInput, "%q is no glob pattern", in.Glob)
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
		err = s.file(dir)
	} else {
		err = f.walk(ctx, dir, true, func(rel string, d fs.DirEntry) error {
			if d.IsDir() || in.Glob != "" && !doublestar.MatchUnvalidated(in.Glob, rel) {
				return nil
			}
			return s.file(path.Join(dir, rel))
		})
	}
	if err != nil && !errors.Is(err, errFull) {
		return tool.Output{}, explain(err)
	}
	return s.output(), nil
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
	passed int // files not searched
}

func (s *search) file(name string) error {
	data, err := sandbox.ReadFile(s.files.fs, name, maxFile)
	if err != nil || !isText(data[:min(len(data), 3072)]) {
		s.passed++ // unreadable, too large or no text
		return nil
	}
	if !s.re.Match(data) {
		return nil
	}
	around := min(max(s.in.Context, 0), 5)
	text := lines(string(data))
	shown := -1 // the last line shown of this file
	for i, l := range text {
		if !s.re.MatchString(l) {
			continue
		}
		if s.hits++; s.hits <= s.in.Skip {
			continue
		}
		var part strings.Builder
		if shown >= 0 && around > 0 && i-around > shown+1 {
			part.WriteString("--\n")
		}
		for j := max(i-around, shown+1); j <= min(i+around, len(text)-1); j++ {
			mark := "-"
			if s.re.MatchString(text[j]) {
				mark = ":"
			}
			fmt.Fprintf(&part, "%s:%d%s %s\n", sandbox.Abs(name), j+1, mark, clip(text[j]))
		}
		if s.b.Len()+part.Len() > s.files.limit-200 {
			s.full = true
			s.hits--
			return errFull
		}
		s.b.WriteString(part.String())
		shown = min(i+around, len(text)-1)
	}
	return nil
}

// clip keeps one long line from filling a result.
func clip(l string) string {
	const most = 500
	if r := []rune(l); len(r) > most {
		return string(r[:most]) + fmt.Sprintf(" [%d more characters]", len(r)-most)
	}
	return l
}

func (s *search) output() tool.Output {
	text := s.b.String()
	switch {
	case s.full:
		text += fmt.Sprintf("[more: go on with skip %d]", s.hits)
	case text == "":
		text = "no hits"
	}
	if s.passed > 0 {
		text = strings.TrimSuffix(text, "\n") + fmt.Sprintf("\n[%d files were not searched: no text, too large or not readable]", s.passed)
	}
	return tool.Output{Text: strings.TrimSuffix(text, "\n"), Summary: fmt.Sprintf("%d hits", s.hits)}
}
