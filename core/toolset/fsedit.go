package toolset

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

type editArgs struct {
	Path       string `json:"path" jsonschema:"path in the sandbox, like /notes/a.md"`
	Old        string `json:"old" jsonschema:"the text to replace, exactly as it is in the file"`
	New        string `json:"new" jsonschema:"the text to put there"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence"`
}

func (f *files) previewEdit(_ *files, id string, in *editArgs) (tool.Preview, error) {
	p, err := f.touch("write", &in.Path)
	if err != nil {
		return p, err
	}
	return f.previewChange(p, id, in.Path, func(old []byte) (string, error) {
		next, _, err := replace(in.Path, string(old), *in)
		return next, err
	})
}

// edit replaces a region of a file and leaves the rest, line ends included,
// as it is.
func (f *files) edit(_ context.Context, id string, in editArgs) (tool.Output, error) {
	name, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	old, digest, err := f.current(name)
	switch {
	case err != nil:
		return tool.Output{}, err
	case digest == "":
		return tool.Output{}, fault.New(fault.NotFound, "there is no file %s", sandbox.Abs(name)).Hinting("write_file makes a new one")
	case !utf8.Valid(old):
		return tool.Output{}, fault.New(fault.Tool, "%s is no text", sandbox.Abs(name))
	}
	if err := f.unchanged(id, name, digest); err != nil {
		return tool.Output{}, err
	}
	next, n, err := replace(sandbox.Abs(name), string(old), in)
	if err != nil {
		return tool.Output{}, err
	}
	out, err := f.put(name, old, digest, next)
	if err == nil && n > 1 {
		out.Text += fmt.Sprintf(", %d places", n)
	}
	return out, err
}

// replace is the edit itself; n is how many places it changes.
func replace(at, text string, in editArgs) (next string, n int, err error) {
	if in.Old == "" {
		return "", 0, fault.New(fault.ToolInput, "old is empty").Hinting("give the text to replace; write_file replaces a whole file")
	}
	old, with := in.Old, in.New
	if strings.Contains(text, "\r\n") && !strings.Contains(old, "\r\n") {
		old, with = crlf(old), crlf(with)
	}
	n = strings.Count(text, old)
	switch {
	case n == 0:
		return "", 0, fault.New(fault.Conflict, "old is not in %s; %s", at, nearest(text, old)).
			Hinting("read the file and repeat old exactly, white space included")
	case n > 1 && !in.ReplaceAll:
		return "", 0, fault.New(fault.Conflict, "old is in %s %d times, at lines %s", at, n, places(text, old)).
			Hinting("add lines around it until it is unique, or set replace_all")
	}
	return strings.ReplaceAll(text, old, with), n, nil
}

func crlf(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// places are the lines at which old begins, the first ten.
func places(text, old string) string {
	var lines []string
	line, rest := 1, text
	for len(lines) < 10 {
		i := strings.Index(rest, old)
		if i < 0 {
			break
		}
		line += strings.Count(rest[:i], "\n")
		lines = append(lines, fmt.Sprint(line))
		line += strings.Count(rest[i:i+len(old)], "\n")
		rest = rest[i+len(old):]
	}
	return strings.Join(lines, ", ")
}

// maxCompared bounds the search for the nearest region, in lines.
const maxCompared = 20_000

// nearest shows the region that has most lines in common with old, so that a
// model sees what it got wrong.
func nearest(text, old string) string {
	have, want := lines(text), lines(old)
	if len(have) > maxCompared || len(want) > 200 {
		return "nothing near it was looked for, the text is too long"
	}
	best, at := 0.0, -1
	for i := range have {
		score := 0.0
		for j := range want {
			if i+j < len(have) {
				score += alike(have[i+j], want[j])
			}
		}
		if score > best {
			best, at = score, i
		}
	}
	if at < 0 || best < 0.4*float64(len(want)) {
		return "nothing in it is near"
	}
	end := min(at+len(want), len(have))
	region := strings.Join(have[at:end], "\n")
	if r := []rune(region); len(r) > 600 {
		region = string(r[:600]) + "…"
	}
	return fmt.Sprintf("nearest are lines %d to %d:\n%s\n", at+1, end, region)
}

func lines(s string) []string {
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n"), "\n")
}

// alike is 1 for equal lines, 0.9 if only white space differs, else the share
// of words they have in common.
func alike(a, b string) float64 {
	if a == b {
		return 1
	}
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) == 0 || len(y) == 0 || len(x) > 100 || len(y) > 100 {
		return 0
	}
	words := make(map[string]int, len(x))
	for _, w := range x {
		words[w]++
	}
	common := 0
	for _, w := range y {
		if words[w] > 0 {
			words[w]--
			common++
		}
	}
	return 0.9 * 2 * float64(common) / float64(len(x)+len(y))
}
