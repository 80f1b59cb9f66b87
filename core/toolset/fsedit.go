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

func (f *files) previewEdit(id string, in *editArgs) (tool.Preview, error) {
	p, err := f.touch("write", &in.Path)
	if err != nil {
		return p, err
	}
	e, err := f.edited(context.Background(), nameOf(in.Path), *in)
	if err != nil {
		return p, err
	}
	p.Before = e.digest
	p.Diff = diffOf(in.Path, e.data, true, []byte(e.next))
	f.looks.keep(id, e.digest)
	return p, nil
}

// edit replaces text in a file. The rest of the file, including line ends, does not change.
func (f *files) edit(ctx context.Context, id string, in editArgs) (tool.Output, error) {
	name, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	e, err := f.edited(ctx, name, in)
	if changed := f.unchanged(id, name, e.digest); changed != nil {
		return tool.Output{}, changed // explains more than the error of the edit
	}
	if err != nil {
		return tool.Output{}, err
	}
	out, err := f.put(ctx, name, e.buffered, e.next)
	if err == nil && e.places > 1 {
		out.Text += fmt.Sprintf(", %d places", e.places)
	}
	return out, err
}

// edition is a file before and after an edit.
type edition struct {
	buffered // before
	next     string
	places   int // number of replacements
}

// edited returns the result of an edit without writing it. With an error, the fields that
// are already known are set.
func (f *files) edited(ctx context.Context, name string, in editArgs) (e edition, err error) {
	if e.buffered, err = f.shownNow(ctx, name); err != nil {
		return e, err
	}
	switch {
	case e.digest == "":
		return e, missing(name, "write_file makes a new file")
	case !utf8.Valid(e.data):
		return e, fault.New(fault.Tool, "%s is not a text file", sandbox.Abs(name)).Hinting("only UTF-8 text can be edited")
	}
	e.next, e.places, err = replace(sandbox.Abs(name), string(e.data), in)
	return e, err
}

const bom = "\uFEFF"

// replace returns text with in.Old replaced by in.New, and the number n of replacements. A
// byte order mark stays, and the new text gets the line ends of the text that it replaces.
// at is the path, for errors.
func replace(at, text string, in editArgs) (next string, n int, err error) {
	mark := ""
	if body, ok := strings.CutPrefix(text, bom); ok {
		mark, text = bom, body
		in.Old, in.New = strings.TrimPrefix(in.Old, bom), strings.TrimPrefix(in.New, bom)
	}
	if in.Old == "" {
		return "", 0, fault.New(fault.ToolInput, "old is empty").Hinting("give the text to replace; write_file replaces a whole file")
	}
	if in.Old == in.New {
		return "", 0, fault.New(fault.ToolInput, "old and new are the same").Hinting("write in new what should replace old")
	}
	old, with := fitEnds(text, in.Old, in.New)
	n = strings.Count(text, old)
	if n == 1 && !in.ReplaceAll && strings.Contains(text[strings.Index(text, old)+1:], old) {
		n = 2 // the second place overlaps the first
	}
	switch {
	case n == 0:
		return "", 0, fault.New(fault.Conflict, "old is not in %s; %s", at, nearest(text, old)).
			Hinting("read the file and repeat old exactly, white space included")
	case n > 1 && !in.ReplaceAll:
		return "", 0, fault.New(fault.Conflict, "old is in %s %d times, at lines %s", at, n, places(text, old, n)).
			Hinting("add lines around it until it is unique, or set replace_all")
	case len(with) > len(old) && len(text)+n*(len(with)-len(old)) > maxFile:
		return "", 0, fault.New(fault.Limit, "%s would have more than %d bytes", at, maxFile).Hinting("replace fewer places, or write less")
	}
	return mark + strings.ReplaceAll(text, old, with), n, nil
}

// fitEnds returns old and with in the line ends of the text. If the text has both LF and
// CR LF, it uses the line ends with which the text contains old.
func fitEnds(text, old, with string) (string, string) {
	all, dos := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	switch {
	case dos > 0 && dos == all:
		return crlf(old), crlf(with)
	case strings.Contains(text, old):
		return old, with
	case dos > 0 && strings.Contains(text, crlf(old)):
		return crlf(old), crlf(with)
	case strings.Contains(old, "\r\n"):
		return lf(old), lf(with)
	}
	return old, with
}

func crlf(s string) string { return strings.ReplaceAll(lf(s), "\n", "\r\n") }

func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// places returns the numbers of the lines at which old begins, for the first n places and
// at most ten.
func places(text, old string, n int) string {
	var lines []string
	for at := 0; len(lines) < min(n, 10); at++ {
		at += strings.Index(text[at:], old)
		lines = append(lines, fmt.Sprint(1+strings.Count(text[:at], "\n")))
	}
	return strings.Join(lines, ", ")
}
