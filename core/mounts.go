package core

import (
	"cmp"
	"io/fs"
	"slices"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
)

// mounting are the files of the sandbox of a project: what the host lends, in
// memory if that was asked for.
type mounting struct {
	platform *Platform
	options  Options
}

// mount opens a source for the sandbox, over memory if that was asked for.
func (m mounting) mount(source string) (sandbox.FS, error) {
	if m.platform.Mount == nil {
		if m.options.MemorySandbox {
			return sandbox.Memory(), nil
		}
		return nil, fault.New(fault.Platform, "this platform provides no files")
	}
	fsys, err := m.platform.Mount(source)
	if err != nil || !m.options.MemorySandbox {
		return fsys, err
	}
	return sandbox.Overlay(fsys), nil
}

// protection guards the definition files of the project that runs, and what
// nobody may reach. A worker found on GOLEM_PATH works on another directory
// than its definitions lie in: there both are guarded, the definitions whole.
func (m mounting) protection(p *project.Project) sandbox.Protection {
	man := p.Manifest()
	var work sandbox.FS
	root := ""
	if m.platform.Mount != nil {
		if fsys, err := m.platform.Mount("."); err == nil {
			work, root = fsys, sandbox.SourceOf(fsys, "")
		}
	}
	defined := cmp.Or(root, ".") // a tree that does not tell where it lies is the one that workers see
	if fsys, ok := m.options.Files.(sandbox.FS); ok {
		defined = sandbox.SourceOf(fsys, defined)
	}
	c := sandbox.Controls{
		Root: defined, Manifest: man.File, Defines: p.Defines, Files: sandbox.DotEnvs(m.options.Files),
		Dirs: slices.Concat(man.WorkersRoots, man.ToolRoots, []string{man.PromptsRoot}),
	}
	var out sandbox.Protection
	if root == "" || root == defined {
		out = c.Protect()
	} else {
		c.Whole = !sandbox.Inside(root, defined)
		out = sandbox.Controls{Root: root, Files: sandbox.DotEnvs(work)}.Protect()
		out.Also = []sandbox.Protection{c.Protect()}
	}
	out.Also = append(out.Also, m.libraryProtection(p, root)...)
	out.Closed = m.platform.Closed
	return out
}

// libraryProtection guards the libraries of the project, and the directories in
// which libraries are looked for: a worker that could write there would choose the
// code of a later run. A directory that contains the one workers work on is guarded
// as a project is. work is that one's source.
func (m mounting) libraryProtection(p *project.Project, work string) []sandbox.Protection {
	var out []sandbox.Protection
	guard := func(tree fs.FS, library bool) {
		fsys, ok := tree.(sandbox.FS)
		if !ok {
			return
		}
		root := sandbox.SourceOf(fsys, "")
		around := sandbox.Inside(work, root)
		if root != "" && (library || !around) {
			out = append(out, sandbox.Controls{Root: root, Whole: !around}.Protect())
		}
	}
	for _, root := range m.platform.Libraries {
		guard(root.FS, false)
	}
	for _, tree := range p.Libraries() {
		guard(tree, true)
	}
	return out
}
