package toolset

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/gabriel-vasile/mimetype"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

type readArgs struct {
	Path   string `json:"path" jsonschema:"path in the sandbox, like /notes/a.md"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line to read, from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many lines"`
}

func (r *readArgs) where() *string { return &r.Path }

// read pages through a text file line by line, without holding it whole.
func (f *files) read(_ context.Context, _ string, in readArgs) (out tool.Output, err error) {
	name, err := sandbox.Clean(in.Path)
	if err != nil {
		return out, err
	}
	file, err := f.fs.Open(name)
	if err != nil {
		return out, explain(err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return out, explain(err)
	}
	if info.IsDir() {
		return out, fault.New(fault.NotFound, "%s is a directory", sandbox.Abs(name)).Hinting("use list_files")
	}
	r := bufio.NewReaderSize(file, 64<<10)
	start, err := r.Peek(3072)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return out, explain(err)
	}
	if !isText(start) {
		kind, _, _ := strings.Cut(mimetype.Detect(start).String(), ";")
		return tool.Text("%s is no text: %s, %d bytes", sandbox.Abs(name), kind, info.Size()), nil
	}
	text, err := f.lines(r, sandbox.Abs(name), max(in.Offset, 1), in.Limit)
	return tool.Output{Text: text}, err
}

// maxLine is how much of one line is told, in bytes.
const maxLine = 1 << 20

// lines reads from line first on, as many as asked for and as fit.
func (f *files) lines(r *bufio.Reader, path string, first, limit int) (string, error) {
	var b strings.Builder
	room := f.limit - 200 // for the line that tells how to read on
	for n := 1; ; n++ {
		most := room
		if b.Len() == 0 && n >= first {
			most = maxLine // a line that fills a page by itself: the caller pages on in the result
		}
		line, err := readLine(r, most)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", explain(err)
		}
		if line == "" && err != nil {
			if n <= first && first > 1 {
				return "", fault.New(fault.ToolInput, "%s has only %d lines", path, n-1).Hinting("offset counts lines from 1")
			}
			return b.String(), nil
		}
		if n < first {
			continue
		}
		if limit > 0 && n >= first+limit || b.Len() > 0 && b.Len()+len(line) > room {
			return b.String() + fmt.Sprintf("[more: go on with offset %d]", n), nil
		}
		b.WriteString(strings.ToValidUTF8(line, "\uFFFD"))
	}
}

// readLine is one line with its end; of a longer one than most bytes the
// start, with a note, and the rest is skipped.
func readLine(r *bufio.Reader, most int) (string, error) {
	var line []byte
	cut := 0
	for {
		part, err := r.ReadSlice('\n')
		if keep := min(len(part), most-len(line)); keep > 0 {
			line = append(line, part[:keep]...)
			part = part[keep:]
		}
		cut += len(part)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if cut > 0 {
			for len(line) > 0 && !utf8.Valid(line[max(0, len(line)-utf8.UTFMax):]) && len(line) > most-utf8.UTFMax {
				line = line[:len(line)-1]
			}
			return string(line) + fmt.Sprintf(" [line cut: %d more bytes]\n", cut), err
		}
		return string(line), err
	}
}

// isText reports whether the start of a file reads as text: UTF-8 without NUL.
func isText(start []byte) bool {
	for i := 0; i < len(start); {
		r, size := utf8.DecodeRune(start[i:])
		if r == 0 || r == utf8.RuneError && size == 1 && len(start)-i >= utf8.UTFMax {
			return false
		}
		i += size
	}
	return true
}

type listArgs struct {
	Path      string `json:"path,omitempty" jsonschema:"directory, / if left out"`
	Recursive bool   `json:"recursive,omitempty"`
	Glob      string `json:"glob,omitempty" jsonschema:"pattern on the path below the directory, like **/*.md"`
}

func (l *listArgs) where() *string { return &l.Path }

// maxEntries bounds a listing or a search walk.
const maxEntries = 100_000

// list shows a directory, one name a line.
func (f *files) list(ctx context.Context, _ string, in listArgs) (tool.Output, error) {
	dir, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	if in.Glob != "" && !doublestar.ValidatePattern(in.Glob) {
		return tool.Output{}, fault.New(fault.ToolInput, "%q is no glob pattern", in.Glob)
	}
	var b strings.Builder
	count, left := 0, 0
	err = f.walk(ctx, dir, in.Recursive || strings.Contains(in.Glob, "/"), func(rel string, d fs.DirEntry) error {
		if in.Glob != "" && !doublestar.MatchUnvalidated(in.Glob, rel) {
			return nil
		}
		if d.IsDir() {
			rel += "/"
		}
		if b.Len()+len(rel) > f.limit-100 {
			left++
			return nil
		}
		count++
		b.WriteString(rel + "\n")
		return nil
	})
	switch {
	case err != nil:
		return tool.Output{}, explain(err)
	case left > 0:
		fmt.Fprintf(&b, "[%d more: narrow path or glob]", left)
	case count == 0:
		b.WriteString("(nothing)")
	}
	return tool.Output{Text: strings.TrimSuffix(b.String(), "\n"), Summary: fmt.Sprintf("%d entries", count)}, nil
}

// walk visits what lies below dir in a fixed order; rel is the path below it.
func (f *files) walk(ctx context.Context, dir string, deep bool, visit func(rel string, d fs.DirEntry) error) error {
	seen := 0
	return fs.WalkDir(f.fs, dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && name == dir:
			return err
		case err != nil:
			return nil // a directory that cannot be read hides what is in it, no more
		case name == dir && d.IsDir():
			return nil
		case name == dir:
			return fault.New(fault.NotFound, "%s is no directory", sandbox.Abs(name)).Hinting("use read_file or file_info")
		}
		if seen++; seen > maxEntries {
			return fault.New(fault.Limit, "more than %d entries below %s", maxEntries, sandbox.Abs(dir)).Hinting("choose a directory further down")
		}
		rel := strings.TrimPrefix(name, dir+"/")
		if err := visit(rel, d); err != nil {
			return err
		}
		if d.IsDir() && !deep {
			return fs.SkipDir
		}
		return nil
	})
}

// info describes a file.
func (f *files) info(_ context.Context, _ string, in pathArgs) (tool.Output, error) {
	name, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	info, err := fs.Stat(f.fs, name)
	if err != nil {
		return tool.Output{}, explain(err)
	}
	kind := "file"
	if info.IsDir() {
		kind = "directory"
	}
	type fields struct {
		Path     string `json:"path"`
		Type     string `json:"type"`
		Size     int64  `json:"size"`
		Modified string `json:"modified,omitempty"`
	}
	v := fields{Path: sandbox.Abs(name), Type: kind}
	if !info.IsDir() {
		v.Size = info.Size()
	}
	if t := info.ModTime(); !t.IsZero() {
		v.Modified = t.UTC().Format(time.RFC3339)
	}
	return tool.JSON(v, fmt.Sprintf("%s %s", kind, path.Base(name)))
}

// exists answers true or false; a path that may not be seen does not exist.
func (f *files) exists(_ context.Context, _ string, in pathArgs) (tool.Output, error) {
	name, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	_, err = fs.Stat(f.fs, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return tool.Output{}, explain(err)
	}
	return tool.Text("%t", err == nil), nil
}
