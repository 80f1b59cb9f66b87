package toolset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

type writeArgs struct {
	Path    string `json:"path" jsonschema:"path in the sandbox, like /notes/a.md"`
	Content string `json:"content" jsonschema:"the whole new content"`
}

// previewWrite shows what would change, and remembers what it was shown against.
func (f *files) previewWrite(_ *files, id string, in *writeArgs) (tool.Preview, error) {
	p, err := f.touch("write", &in.Path)
	if err != nil {
		return p, err
	}
	return f.previewChange(p, id, in.Path, func([]byte) (string, error) { return in.Content, nil })
}

// previewChange fills in diff and digest. A file that cannot be read as it is
// (a directory, too large) leaves the diff out: the call itself will fail.
func (f *files) previewChange(p tool.Preview, id, at string, change func(old []byte) (string, error)) (tool.Preview, error) {
	name, err := sandbox.Clean(at)
	if err != nil {
		return p, err
	}
	old, digest, err := f.current(name)
	if err != nil {
		return p, nil
	}
	p.Before = digest
	f.expect(id, digest)
	if next, err := change(old); err == nil {
		p.Diff = diffOf(at, old, digest != "", next)
	}
	return p, nil
}

// diffOf is a unified diff as git would show it; "" if nothing changes.
func diffOf(at string, old []byte, existed bool, next string) string {
	from, to := "a"+at, "b"+at
	if !existed {
		from = "/dev/null"
	}
	if !isText(old) {
		return fmt.Sprintf("Binary file %s is replaced by %d bytes of text\n", at, len(next))
	}
	return udiff.Unified(from, to, string(old), next)
}

// write replaces a file with what was shown.
func (f *files) write(_ context.Context, id string, in writeArgs) (tool.Output, error) {
	name, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	old, digest, err := f.current(name)
	if err != nil {
		return tool.Output{}, err
	}
	if err := f.unchanged(id, name, digest); err != nil {
		return tool.Output{}, err
	}
	return f.put(name, old, digest, in.Content)
}

// put writes and tells the change.
func (f *files) put(name string, old []byte, digest, content string) (tool.Output, error) {
	if err := f.fs.WriteFile(name, []byte(content)); err != nil {
		return tool.Output{}, explain(err)
	}
	at := sandbox.Abs(name)
	summary := fmt.Sprintf("wrote %s (%d bytes)", at, len(content))
	return tool.Output{
		Text: summary, Summary: summary,
		Diff: &tool.FileDiff{Path: at, Before: digest, After: digestOf([]byte(content)), Patch: diffOf(at, old, digest != "", content)},
	}, nil
}

type moveArgs struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func previewMove(f *files, _ string, in *moveArgs) (tool.Preview, error) {
	p, err := f.touch("write", &in.From, &in.To)
	if err == nil {
		p.Paths[0].Op = "delete" // what leaves a place is deleted there
	}
	return p, err
}

// move renames, replacing a file.
func (f *files) move(_ context.Context, _ string, in moveArgs) (tool.Output, error) {
	from, err := sandbox.Clean(in.From)
	if err != nil {
		return tool.Output{}, err
	}
	to, err := sandbox.Clean(in.To)
	if err != nil {
		return tool.Output{}, err
	}
	if err := f.fs.Rename(from, to); err != nil {
		return tool.Output{}, explain(err)
	}
	return tool.Text("moved %s to %s", sandbox.Abs(from), sandbox.Abs(to)), nil
}

// mkdir makes a directory and its parents; one that is there is fine.
func (f *files) mkdir(_ context.Context, _ string, in pathArgs) (tool.Output, error) {
	name, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	if err := f.mkdirAll(name); err != nil {
		return tool.Output{}, explain(err)
	}
	return tool.Text("made %s", sandbox.Abs(name)), nil
}

func (f *files) mkdirAll(name string) error {
	info, err := fs.Stat(f.fs, name)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return fault.New(fault.Conflict, "%s is a file", sandbox.Abs(name))
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

// previewRemove shows the text that would be lost.
func (f *files) previewRemove(_ *files, id string, in *pathArgs) (tool.Preview, error) {
	p, err := f.touch("delete", &in.Path)
	if err != nil {
		return p, err
	}
	name := strings.TrimPrefix(in.Path, "/")
	old, digest, err := f.current(name)
	if err != nil || digest == "" {
		return p, nil
	}
	p.Before = digest
	f.expect(id, digest)
	if isText(old) {
		p.Diff = udiff.Unified("a"+in.Path, "/dev/null", string(old), "")
	}
	return p, nil
}

// remove deletes what was shown.
func (f *files) remove(_ context.Context, id string, in pathArgs) (tool.Output, error) {
	name, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	info, err := fs.Stat(f.fs, name)
	if err != nil {
		return tool.Output{}, explain(err)
	}
	if !info.IsDir() && info.Size() <= maxFile {
		_, digest, err := f.current(name)
		if err != nil {
			return tool.Output{}, err
		}
		if err := f.unchanged(id, name, digest); err != nil {
			return tool.Output{}, err
		}
	}
	if err := f.fs.Remove(name); err != nil {
		return tool.Output{}, explain(err)
	}
	return tool.Text("deleted %s", sandbox.Abs(name)), nil
}
