package acpcmd

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golem/core"
	"golem/core/approval"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/home"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// root is what a session works on: a project, or a directory with golem's own worker
// assistant.
type root struct {
	console *console.Console
	place   target.Place
	dir     string // the client's cwd, without links
	own     bool   // it is no part of DIR, so what the command line says about DIR does not count
	tools   *toolhost.Tools
	servers []byte   // MCP servers of the client; nil: none
	buffers *buffers // nil: the client is asked about no file
}

// newConsole returns a console for one session, whose GOLEM_HOME is judged for its root alone.
// What is printed goes to standard error.
func newConsole(c *console.Console) *console.Console {
	out := console.New(c.Env, c.Dir)
	out.In, out.Out, out.Err, out.Build, out.Args, out.Commands = c.In, c.Err, c.Err, c.Build, c.Args, c.Commands
	out.Home = home.New(c.Env, c.Dir, func(text string) { out.Say("%s", text) }, nil)
	return out
}

// rootOf returns the root for a cwd: DIR if the cwd is in it, else what is in the cwd.
func (a *agent) rootOf(cwd string) (*root, error) {
	dir, err := directory(cwd)
	if err != nil {
		return nil, err
	}
	r := &root{console: newConsole(a.console), dir: dir}
	if len(a.words) > 0 || a.flags.Project != "" {
		if r.place, _, err = target.Find(r.console, a.flags.Wanted(), a.words); err != nil {
			return nil, err
		}
		if r.place.Pack != nil || disk.Inside(dir, disk.Resolved(r.place.Sandbox())) {
			return r, nil
		}
		r.console = newConsole(a.console)
	}
	r.own = len(a.words) > 0
	r.place = target.At(r.console, dir)
	return r, nil
}

// directory returns the directory that a client names, without links. It must be absolute.
func directory(name string) (string, error) {
	wrong := func(format string, args ...any) (string, error) {
		return "", fault.New(fault.Path, "cwd "+format, args...).Hinting("send the absolute path of an existing directory")
	}
	switch {
	case len(name) > 4096 || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return wrong("is too long, or has a control character")
	case !filepath.IsAbs(name):
		return wrong("%s is not absolute", fault.Quoted(name))
	}
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(real); err == nil && !info.IsDir() {
			return wrong("%s is a file", fault.Quoted(name))
		}
	}
	if err != nil {
		return wrong("%s cannot be used: %s", fault.Quoted(name), disk.Cause(err))
	}
	return real, nil
}

// open opens the project. model is one that the person chose; "": the files decide.
func (a *agent) open(r *root, model string) (*core.Instance, *project.Worker, error) {
	with := a.flags.OpenWith()
	if r.own {
		with = forOtherRoots(with)
	}
	if with.Servers = r.servers; with.Servers != nil {
		with.Trust = false // it was said before anybody knew of the servers
	}
	if model != "" {
		with.Model = model
	}
	if r.buffers != nil && r.place.Pack == nil && !with.InMemory() {
		with.Buffers = r.buffers
	}
	if r.tools == nil {
		r.tools = toolhost.New(r.console, false)
	}
	inst, err := machine.Open(r.console, r.place, with, r.tools)
	if err != nil {
		return nil, nil, err
	}
	entry, err := inst.Entry()
	if err != nil {
		return nil, nil, err
	}
	if entry.Tool != "" {
		return nil, nil, fault.New(fault.Usage, "the entry %s is a tool, and an editor talks with a worker", entry.Tool).Hinting("choose a worker with --entry")
	}
	return inst, entry, nil
}

// forOtherRoots returns the part of the command line that also counts for a root outside DIR: what
// narrows, and the choice of a model.
func forOtherRoots(with machine.Opening) machine.Opening {
	out := machine.Opening{}
	out.Model, out.ModelSettings, out.Limits, out.MaxTurns, out.MaxDepth = with.Model, with.ModelSettings, with.Limits, with.MaxTurns, with.MaxDepth
	out.Sandbox, out.NoImportTools = with.Sandbox, with.NoImportTools
	if mode, err := config.ParseMode(with.Approval); err == nil && mode != approval.ApproveAll {
		out.Approval = with.Approval
	}
	return out
}

// close frees what the root uses.
func (r *root) close() {
	if r.tools != nil {
		r.tools.Close()
	}
}

// shownFiles is what a worker sees, with the real paths of it.
type shownFiles struct{ fs sandbox.FS }

// shownTo returns the files that a worker sees; none if it sees none.
func shownTo(inst *core.Instance, w *project.Worker) shownFiles {
	files, err := inst.Checker().Files(context.Background(), w)
	if err != nil {
		return shownFiles{}
	}
	view, _ := files.(sandbox.FS)
	return shownFiles{view}
}

// real returns the absolute path of what a worker sees by a virtual path; "" if it sees
// nothing by it, or if it is not on the disk.
func (f shownFiles) real(name string) string {
	clean, err := sandbox.Clean(name)
	if err != nil || f.fs == nil {
		return ""
	}
	source := sandbox.SourceAt(f.fs, clean)
	if !path.IsAbs(source) && !filepath.IsAbs(filepath.FromSlash(source)) {
		return ""
	}
	return filepath.FromSlash(source)
}

// name returns the virtual path by which a worker sees a regular file of the disk; "" if it
// does not see it.
func (f shownFiles) name(real string) string {
	if f.fs == nil || !filepath.IsAbs(real) {
		return ""
	}
	if at, err := filepath.EvalSymlinks(real); err == nil {
		real = at
	}
	name, ok := sandbox.NameOf(f.fs, filepath.ToSlash(filepath.Clean(real)))
	if !ok {
		return ""
	}
	if info, err := fs.Stat(f.fs, name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return sandbox.Abs(name)
}
