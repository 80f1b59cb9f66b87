package core

import (
	"cmp"
	"io/fs"
	"slices"

	"golem/core/fault"
	"golem/core/sandbox"
)

// mount opens a source for the sandbox, over memory if that was asked for.
func (i *Instance) mount(source string) (sandbox.FS, error) {
	if i.platform.Mount == nil {
		if i.options.MemorySandbox {
			return sandbox.Memory(), nil
		}
		return nil, fault.New(fault.Platform, "this platform provides no files")
	}
	fsys, err := i.platform.Mount(source)
	if err != nil || !i.options.MemorySandbox {
		return fsys, err
	}
	return sandbox.Overlay(fsys), nil
}

// protection guards the definition files of the project that runs, and what
// nobody may reach. A worker found on GOLEM_PATH works on another directory
// than its definitions lie in: there both are guarded, the definitions whole.
func (i *Instance) protection() sandbox.Protection {
	m := i.project.Manifest()
	var work sandbox.FS
	root := ""
	if i.platform.Mount != nil {
		if fsys, err := i.platform.Mount("."); err == nil {
			work, root = fsys, sandbox.SourceOf(fsys, "")
		}
	}
	defined := cmp.Or(root, ".") // a tree that does not tell where it lies is the one that workers see
	if fsys, ok := i.options.Files.(sandbox.FS); ok {
		defined = sandbox.SourceOf(fsys, defined)
	}
	c := sandbox.Controls{
		Root: defined, Manifest: m.File, Defines: i.project.Defines, Files: dotEnvs(i.options.Files),
		Dirs: slices.Concat(m.WorkersRoots, m.ToolRoots, []string{m.PromptsRoot}),
	}
	var p sandbox.Protection
	if root == "" || root == defined {
		p = c.Protect()
	} else {
		c.Whole = !sandbox.Inside(root, defined)
		p = sandbox.Controls{Root: root, Files: dotEnvs(work)}.Protect()
		p.Also = []sandbox.Protection{c.Protect()}
	}
	p.Closed = i.platform.Closed
	return p
}

// dotEnvs are the infos of a directory's .env files, by which other names of
// them are known.
func dotEnvs(fsys fs.FS) []fs.FileInfo {
	var out []fs.FileInfo
	for _, name := range []string{".env", ".env.local"} {
		if info, err := fs.Stat(fsys, name); err == nil {
			out = append(out, info)
		}
	}
	return out
}
