package toolset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

type listArgs struct {
	Path      string `json:"path,omitempty" jsonschema:"directory, / if left out"`
	Recursive bool   `json:"recursive,omitempty"`
	Glob      string `json:"glob,omitempty" jsonschema:"pattern on the name, like *.md, or on the path below the directory, like docs/**/*.md"`
	Skip      int    `json:"skip,omitempty" jsonschema:"entries to leave out, to read on"`
}

// deep reports whether the listing goes below the entries of the directory.
func (l *listArgs) deep() bool {
	return l.Recursive || strings.Contains(l.Glob, "/") || strings.Contains(l.Glob, "**")
}

func (f *files) previewList(_ string, in *listArgs) (tool.Preview, error) {
	if in.deep() {
		return f.readingAll(&in.Path)
	}
	return f.touch("read", &in.Path)
}

// maxEntries is how many entries a listing or a search visits.
const maxEntries = 100_000

// list lists a directory, one name per line.
func (f *files) list(ctx context.Context, _ string, in listArgs) (tool.Output, error) {
	dir, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	matches, err := globbing(in.Glob)
	if err != nil {
		return tool.Output{}, err
	}
	var b strings.Builder
	count, left := 0, 0 // entries up to the end of this page, and after it
	err = f.walk(ctx, dir, in.deep(), func(rel string, d fs.DirEntry) error {
		switch {
		case !matches(rel):
			return nil
		case left > 0:
			left++
			return nil
		case d.IsDir():
			rel += "/"
		}
		if l, ok := d.(sandbox.LinkEntry); ok {
			rel = strings.TrimSuffix(rel, "/") + " -> " + sandbox.Abs(l.Target())
		}
		if count >= in.Skip {
			if b.Len() > 0 && b.Len()+len(rel) > f.limit-300 {
				left++
				return nil
			}
			b.WriteString(rel + "\n")
		}
		count++
		return nil
	})
	many := errors.Is(err, errMany)
	if err != nil && !many {
		return tool.Output{}, explain(err)
	}
	if b.Len() == 0 {
		b.WriteString("(nothing)\n")
	}
	if many {
		fmt.Fprintf(&b, "[stopped after %d entries: choose a directory further down]\n", maxEntries)
	}
	if left > 0 {
		fmt.Fprintf(&b, "[%d more: go on with skip %d, or narrow path or glob]", left, count)
	}
	return tool.Output{Text: strings.TrimSuffix(b.String(), "\n"), Summary: fault.Count(count+left, "entry")}, nil
}

// globbing returns a function that matches paths below a directory against a pattern. A
// pattern without a slash is matched against the last element of a path; "" matches all.
func globbing(glob string) (matches func(rel string) bool, err error) {
	glob = strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
	switch {
	case glob == "":
		return func(string) bool { return true }, nil
	case len(glob) > maxGlob || strings.Count(glob, "{") > maxBraces:
		return nil, fault.New(fault.ToolInput, "the glob pattern is too long or has more than %d {", maxBraces).Hinting("use a simpler pattern, or several calls")
	case !doublestar.ValidatePattern(glob):
		return nil, fault.New(fault.ToolInput, "%.100q is not a glob pattern", glob).Hinting("write it like *.md or docs/**/*.md")
	case !strings.Contains(glob, "/"):
		return func(rel string) bool { return doublestar.MatchUnvalidated(glob, path.Base(rel)) }, nil
	}
	return func(rel string) bool { return doublestar.MatchUnvalidated(glob, rel) }, nil
}

// Limits of a pattern. Alternatives are limited, because each combination is tried.
const (
	maxGlob   = 200 // bytes
	maxBraces = 3   // groups of alternatives: {a,b}
)

// errMany ends a walk through more than maxEntries entries.
var errMany = errors.New("too many entries")

// walk calls visit for the entries of dir in a fixed order, with deep also for everything
// below them, each directory once: it enters a link only if what the link points to lies
// outside dir and no other link has led there. rel is the path below dir. After maxEntries
// entries it returns errMany.
func (f *files) walk(ctx context.Context, dir string, deep bool, visit func(rel string, d fs.DirEntry) error) error {
	seen := 0
	var entered []string
	return fs.WalkDir(f.fs, dir, func(name string, d fs.DirEntry, err error) error {
		if stopped := pause(ctx); stopped != nil {
			return stopped
		}
		switch {
		case err != nil && name == dir:
			return err
		case err != nil:
			return nil // leave out the content of a directory that cannot be read
		case name == dir && d.IsDir():
			return nil
		case name == dir:
			return fault.New(fault.NotFound, "%s is not a directory", sandbox.Abs(name)).Hinting("use read_file or file_info")
		}
		if seen++; seen > maxEntries {
			return errMany
		}
		rel := strings.TrimPrefix(name, dir+"/")
		if err := visit(rel, d); err != nil {
			return err
		}
		if !d.IsDir() {
			return nil
		}
		if l, ok := d.(sandbox.LinkEntry); ok {
			to := l.Target()
			if sandbox.Within(to, dir) || sandbox.Within(dir, to) || slices.ContainsFunc(entered, func(e string) bool { return sandbox.Within(to, e) }) {
				return fs.SkipDir
			}
			entered = append(entered, to)
		}
		if !deep {
			return fs.SkipDir
		}
		return nil
	})
}

// info returns the type, size and modification time of a file or directory.
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
	if t := info.ModTime(); !info.IsDir() && !t.IsZero() { // not every platform knows when a directory changed
		v.Modified = t.UTC().Format(time.RFC3339)
	}
	return tool.JSON(v, kind+" "+v.Path)
}

// exists returns true or false as text. A path outside the worker's view does not exist.
func (f *files) exists(_ context.Context, _ string, in pathArgs) (tool.Output, error) {
	name, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	_, err = fs.Stat(f.fs, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, sandbox.ErrNotDir) {
		return tool.Output{}, explain(err)
	}
	return tool.Text("%t", err == nil), nil
}
