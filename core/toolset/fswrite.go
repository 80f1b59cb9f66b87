package toolset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/textdiff"
	"golem/core/tool"
)

type writeArgs struct {
	Path    string `json:"path" jsonschema:"path in the sandbox, like /notes/a.md"`
	Content string `json:"content" jsonschema:"the whole new content"`
	Exact   bool   `json:"exact,omitempty" jsonschema:"also its line ends; without it an existing file keeps its own line ends and byte order mark"`
}

// previewWrite shows the change, and keeps the digest of the file for write. An impossible
// write is an error here, so that nobody is asked.
func (f *files) previewWrite(id string, in *writeArgs) (tool.Preview, error) {
	p, err := f.touch("write", &in.Path)
	if err != nil {
		return p, err
	}
	old, err := f.shownNow(context.Background(), nameOf(in.Path))
	if err != nil {
		return p, err
	}
	p.Before = old.digest
	content, _ := in.withOldLineEnds(old.data)
	p.Diff = diffOf(in.Path, old.data, old.digest != "", []byte(content))
	f.looks.keep(id, old.digest)
	return p, nil
}

// maxDiffed is how many bytes of text, old and new together, are compared line by line.
const maxDiffed = 4 << 20

// diffOf returns a unified diff as git shows it, or "" if nothing changes.
func diffOf(at string, old []byte, existed bool, next []byte) string {
	if !existed {
		return diffTo("", "b"+at, nil, next)
	}
	return diffTo(at, "b"+at, old, next)
}

// diffTo returns the diff from the file at, or from no file if at is "", to its next state.
// For content that is not text or is too long, it returns a line with the sizes.
func diffTo(at, to string, old, next []byte) string {
	from := "a" + at
	if at == "" {
		from = "/dev/null"
	}
	switch {
	case !utf8.Valid(old) || !isText(old) || !utf8.Valid(next) || !isText(next):
		return fmt.Sprintf("Binary files %s (%d bytes) and %s (%d bytes) differ\n", from, len(old), to, len(next))
	case len(old)+len(next) > maxDiffed:
		return fmt.Sprintf("Files %s (%d bytes) and %s (%d bytes) differ\n", from, len(old), to, len(next))
	}
	return textdiff.Unified(from, to, string(old), string(next))
}

// write writes a file, if the file is still the one that the preview showed.
func (f *files) write(ctx context.Context, id string, in writeArgs) (tool.Output, error) {
	name, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	old, err := f.shownNow(ctx, name)
	if err != nil {
		return tool.Output{}, err
	}
	if err := f.unchanged(id, name, old.digest); err != nil {
		return tool.Output{}, err
	}
	content, kept := in.withOldLineEnds(old.data)
	out, err := f.put(ctx, name, old, content)
	if err == nil && kept != "" {
		out.Text += ", with " + kept + " as before"
	}
	return out, err
}

// withOldLineEnds returns the content to write over a file: unless the call is exact, the file keeps its
// byte order mark and, if all its lines end in CR LF, its line ends. what says in words what
// that changed in the content.
func (w writeArgs) withOldLineEnds(old []byte) (content, what string) {
	text, content := string(old), w.Content
	if w.Exact || !utf8.Valid(old) {
		return content, ""
	}
	var changed []string
	if dos := strings.Count(text, "\r\n"); dos > 0 && dos == strings.Count(text, "\n") && crlf(content) != content {
		content = crlf(content)
		changed = append(changed, "line ends CR LF")
	}
	if strings.HasPrefix(text, bom) && !strings.HasPrefix(content, bom) {
		content = bom + content
		changed = append(changed, "a byte order mark")
	}
	return content, strings.Join(changed, " and ")
}

// put writes a file and returns the change.
func (f *files) put(ctx context.Context, name string, old buffered, content string) (tool.Output, error) {
	if err := f.fs.WriteFile(name, []byte(content)); err != nil {
		return tool.Output{}, explain(err)
	}
	at := sandbox.Abs(name)
	summary := fmt.Sprintf("wrote %s (%d bytes)", at, len(content))
	if f.updateEditor(ctx, old.source, content) != nil {
		f.warn(summary + "; the editor keeps other text of it that is not saved: load the file again there")
	}
	return tool.Output{
		Text: summary, Summary: summary,
		Diff: &tool.FileDiff{Path: at, Before: old.digest, After: digestOf([]byte(content)), Patch: diffOf(at, old.data, old.digest != "", []byte(content))},
	}, nil
}

// previewMkdir returns an error if a file is at the path.
func (f *files) previewMkdir(_ string, in *pathArgs) (tool.Preview, error) {
	p, err := f.touch("write", &in.Path)
	if err != nil {
		return p, err
	}
	at, err := f.look(nameOf(in.Path))
	if err == nil && at.info != nil && !at.isDir() {
		err = isFile(nameOf(in.Path))
	}
	return p, err
}

// mkdir makes a directory and its parents. It is no error if the directory exists.
func (f *files) mkdir(_ context.Context, _ string, in pathArgs) (tool.Output, error) {
	name, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	_, missing := fs.Stat(f.fs, name)
	if err := f.mkdirAll(name); err != nil {
		return tool.Output{}, explain(err)
	}
	return f.changed("made", name, missing != nil), nil
}

// changed returns what was done with a path. If it is a directory in a staged mount, it
// also warns the person that directories are not staged, because no item will show it.
func (f *files) changed(did, name string, dir bool) tool.Output {
	text := did + " " + sandbox.Abs(name)
	if at, err := sandbox.PlaceOf(f.fs, name); dir && err == nil && at.Staged {
		text += "; only files are staged: a push makes the directories that they need, and removes none"
		if f.run != nil {
			f.run.Log("warn", text)
		}
	}
	return tool.Output{Text: text}
}

func (f *files) mkdirAll(name string) error {
	info, err := fs.Stat(f.fs, name)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return isFile(name)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if parent := path.Dir(name); parent != name {
		if err := f.mkdirAll(parent); err != nil {
			return err
		}
	}
	if err := f.fs.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func isFile(name string) error {
	return fault.New(fault.Conflict, "%s is a file", sandbox.Abs(name)).Hinting("choose another path, or move the file away first")
}
