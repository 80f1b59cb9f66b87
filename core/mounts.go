package core

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/worktest"
)

// mounting opens the files for a project's sandbox, and says which of them are protected.
type mounting struct {
	platform *Platform
	options  Options
}

// Mount opens a source for the sandbox. If the sandbox is in memory, changes stay in memory.
func (m mounting) Mount(source string) (sandbox.FS, error) {
	if m.platform.Files == nil {
		if m.options.InMemory() {
			return sandbox.Memory(), nil
		}
		return nil, fault.New(fault.Platform, "this platform provides no files")
	}
	fsys, err := m.platform.Files.Mount(source)
	if err != nil || !m.options.InMemory() {
		return fsys, err
	}
	return sandbox.Overlay(fsys), nil
}

// protection returns the protection of the project's definition files and of the directories
// that no worker may reach. A worker found on GOLEM_PATH works on another directory than the
// one with its definitions. Then both are protected, and the one with the definitions
// completely, unless it contains the other.
func (m mounting) protection(p *project.Project) sandbox.Protection {
	man := p.Manifest
	var work sandbox.FS
	root := ""
	if m.platform.Files != nil {
		if fsys, err := m.platform.Files.Mount("."); err == nil {
			work, root = fsys, sandbox.SourceOf(fsys, "")
		}
	}
	if m.options.Bare {
		out := sandbox.Controls{Root: cmp.Or(root, "."), Files: sandbox.DotEnvs(work), Bare: true}.Protect()
		out.Also, out.Closed = m.libraryProtection(p, root), m.platform.Closed
		return out
	}
	defined := cmp.Or(root, ".") // files without a source are taken to be those that workers see
	if fsys, ok := m.options.Files.(sandbox.FS); ok {
		defined = sandbox.SourceOf(fsys, defined)
	}
	c := sandbox.Controls{
		Root: defined, Manifest: man.File, Defines: p.Trees.Defines, Files: sandbox.DotEnvs(m.options.Files),
		Dirs: slices.Concat(man.WorkersRoots, man.ToolRoots, []string{man.PromptsRoot}),
	}
	var out sandbox.Protection
	if root == "" || root == defined {
		tests := testFiles(m.options.Files)
		c.Defines = func(name string) bool { return p.Trees.Defines(name) || p.Trees.Starts(name) || tests(name) }
		out = c.Protect()
	} else {
		c.Whole = !sandbox.Inside(root, defined)
		out = sandbox.Controls{Root: root, Files: sandbox.DotEnvs(work), Defines: p.Trees.Starts}.Protect()
		out.Also = []sandbox.Protection{c.Protect()}
	}
	out.Also = append(out.Also, m.libraryProtection(p, root)...)
	out.Closed = m.platform.Closed
	return out
}

// testFiles returns a function that reports whether a folded path is a file of tests. The
// files are looked for when it is first asked about one of their directory.
func testFiles(project fs.FS) func(name string) bool {
	names := sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for _, name := range worktest.Names(project) {
			out[sandbox.Fold(name)] = true
		}
		return out
	})
	return func(name string) bool {
		return (sandbox.Within(name, worktest.Dir) || strings.HasSuffix(name, worktest.Evals)) && names()[name]
	}
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
	for _, tree := range p.Trees.Libraries() {
		guard(tree, true)
	}
	return out
}
