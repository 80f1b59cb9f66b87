package toolset

import (
	"context"
	"io/fs"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

type moveArgs struct {
	From string `json:"from" jsonschema:"path in the sandbox, like /notes/a.md"`
	To   string `json:"to" jsonschema:"the whole new path, like /old/a.md"`
}

// previewMove shows the change to the file that would be replaced at the new path.
func (f *files) previewMove(id string, in *moveArgs) (tool.Preview, error) {
	p, err := f.touch("delete", &in.From) // a move deletes the old path
	if err != nil {
		return p, err
	}
	there, err := f.touch("write", &in.To)
	p.Paths = append(p.Paths, there.Paths...)
	if err != nil {
		return p, err
	}
	from, to, err := f.ends(nameOf(in.From), nameOf(in.To))
	if err != nil {
		return p, err
	}
	p.Paths[0].Deep = from.isDir()
	f.looks.keep(id, from.mark()+" "+to.mark())
	if to.digest != "" && from.digest != "" {
		p.Before = to.digest
		p.Diff = diffOf(in.To, to.data, true, from.data)
	}
	return p, nil
}

// move renames a file or directory. It may replace a file, if that is still the one that the
// preview showed.
func (f *files) move(_ context.Context, id string, in moveArgs) (tool.Output, error) {
	from, err := sandbox.Clean(in.From)
	if err != nil {
		return tool.Output{}, err
	}
	to, err := sandbox.Clean(in.To)
	if err != nil {
		return tool.Output{}, err
	}
	here, there, err := f.ends(from, to)
	if err != nil {
		return tool.Output{}, err
	}
	if err := f.unchanged(id, from, here.mark()+" "+there.mark()); err != nil {
		return tool.Output{}, err
	}
	if err := f.fs.Rename(from, to); err != nil {
		return tool.Output{}, explain(err)
	}
	return tool.Text("moved %s to %s", sandbox.Abs(from), sandbox.Abs(to)), nil
}

// ends looks at both paths of a move, and returns an error for a move that no file system
// can do.
func (f *files) ends(from, to string) (here, there place, err error) {
	if here, err = f.look(from); err != nil {
		return here, there, err
	}
	if here.info == nil {
		return here, there, missing(from, "list_files shows what is there")
	}
	if sandbox.Within(to, from) {
		return here, there, fault.New(fault.ToolInput, "%s cannot be moved to %s", sandbox.Abs(from), sandbox.Abs(to)).
			Hinting("choose a new path that is not inside it")
	}
	if there, err = f.look(to); err != nil {
		return here, there, err
	}
	if there.isDir() || there.info != nil && here.isDir() {
		return here, there, fault.New(fault.Conflict, "%s exists, and this move cannot replace it", sandbox.Abs(to)).
			Hinting("give the complete new path, with the file's name; a move replaces a file by a file, and never a directory")
	}
	return here, there, nil
}

// previewRemove shows the text that would be deleted.
func (f *files) previewRemove(id string, in *pathArgs) (tool.Preview, error) {
	p, err := f.touch("delete", &in.Path)
	if err != nil {
		return p, err
	}
	at, err := f.removable(nameOf(in.Path))
	if err != nil {
		return p, err
	}
	f.looks.keep(id, at.mark())
	if p.Before = at.digest; at.digest != "" {
		p.Diff = diffTo(in.Path, "/dev/null", at.data, nil)
	}
	return p, nil
}

// remove deletes a file or an empty directory, if it is still the one that the preview
// showed.
func (f *files) remove(_ context.Context, id string, in pathArgs) (tool.Output, error) {
	name, err := sandbox.Clean(in.Path)
	if err != nil {
		return tool.Output{}, err
	}
	at, err := f.removable(name)
	if err != nil {
		return tool.Output{}, err
	}
	if err := f.unchanged(id, name, at.mark()); err != nil {
		return tool.Output{}, err
	}
	if err := f.fs.Remove(name); err != nil {
		return tool.Output{}, explain(err)
	}
	return f.changed("deleted", name, at.isDir()), nil
}

// removable looks at a path, and returns an error unless it is a file or an empty directory.
func (f *files) removable(name string) (place, error) {
	at, err := f.look(name)
	switch {
	case err != nil:
		return at, err
	case at.info == nil:
		return at, missing(name, "list_files shows what is there")
	case !at.isDir():
		return at, nil
	}
	entries, err := fs.ReadDir(f.fs, name)
	if err != nil {
		return at, explain(err)
	}
	if len(entries) > 0 {
		return at, fault.New(fault.Tool, "the directory %s is not empty", sandbox.Abs(name)).Hinting("delete what is in it first")
	}
	return at, nil
}

// nameOf returns the io/fs name of a path that touch has made canonical.
func nameOf(at string) string {
	if at == "/" {
		return "."
	}
	return strings.TrimPrefix(at, "/")
}
