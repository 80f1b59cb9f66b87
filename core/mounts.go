package core

import (
	"cmp"
	"io/fs"
	"slices"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
)

// mounting opens the files for a project's sandbox, and says which of them are protected.
type mounting struct {
	platform *Platform
	options  Options
}

// mount opens a source for the sandbox. With Options.MemorySandbox, changes stay in memory.
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

// protection returns the protection of the project's definition files and of the directories
// that no worker may reach. A worker found on GOLEM_PATH works on another directory than the
// one with its definitions. Then both are protected, and the one with the definitions
// completely, unless it contains the other.
func (m mounting) protection(p *project.Project) sandbox.Protection {
	man := p.Manifest()
	var work sandbox.FS
	root := ""
	if m.platform.Mount != nil {
		if fsys, err := m.platform.Mount("."); err == nil {
			work, root = fsys, sandbox.SourceOf(fsys, "")
		}
	}
	defined := cmp.Or(root, ".") // files without a source are taken to be those that workers see
	if fsys, ok := m.options.Files.(sandbox.FS); ok {
		defined = sandbox.SourceOf(fsys, defined)
	}
	c := sandbox.Controls{
		Root: defined, Manifest: man.File, Defines: p.Defines, Files: sandbox.DotEnvs(m.options.Files),
		Dirs: slices.Concat(man.WorkersRoots, man.ToolRoots, []string{man.PromptsRoot}),
	}
	var out sandbox.Protection
	if root == "" || root == defined {
		c.Defines = func(name string) bool { return p.Defines(name) || p.Starts(name) }
		out = c.Protect()
	} else {
		c.Whole = !sandbox.Inside(root, defined)
		out = sandbox.Controls{Root: root, Files: sandbox.DotEnvs(work), Defines: p.Starts}.Protect()
		out.Also = []sandbox.Protection{c.Protect()}
	}
	out.Also = append(out.Also, m.libraryProtection(p, root)...)
	out.Closed = m.platform.Closed
	return out
}

// libraryProtection returns the protection of the project's libraries and of the directories
// in which libraries are searched, because a worker that could write there could choose the
// code of a later run. work is the source of the directory that workers work on. A library
// around it is protected like a project, a search directory around it not at all.
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
