package run

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/skills/script"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/custom"
	"golem/core/toolset/skillset"
)

// HasScripts reports whether a skill has files beside its instructions that could be scripts.
func (s skillSource) HasScripts(name string) bool {
	one := s.of.Named(name)
	if one == nil {
		return false
	}
	files, more := s.of.Files(one)
	return more || slices.ContainsFunc(files, func(f string) bool { return script.IsJavaScript(f) || strings.HasPrefix(f, "scripts/") })
}

// Run links a script with the files of its skill and runs it. It sees the files of the worker,
// read-only unless it may write, and nothing else.
func (s skillSource) Run(ctx context.Context, env toolset.Env, in skillset.Script) (tool.Output, error) {
	one := s.of.Named(in.Skill)
	linker := s.opener.Project.Setup.Linker
	if one == nil || linker == nil {
		return tool.Output{}, fault.New(fault.Platform, "this platform cannot run scripts of skills").Hinting("follow the skill without %s", in.File)
	}
	files := skillFiles{s.of, one}
	module, err := linker.Link(script.Entry, script.Folder{Skill: one.Path, File: in.File, Files: files})
	if err != nil {
		return tool.Output{}, unlinked(err, one.Path, in.File)
	}
	view, err := scriptView(env.Files, in.Write)
	if err != nil {
		return tool.Output{}, err
	}
	host := script.NewHost(files)
	in.Call.Host, in.Call.Args = host, tool.ReadArguments([]byte(`{"name":"script"}`))
	out, err := s.opener.Modules.RunScript(ctx, env, custom.Script{
		Path: path.Join(one.Path, in.File), Module: module, Tool: script.Tool, Files: view,
		Config: map[string]string{script.Config: script.Options(in.File, in.Args)}, Total: s.opener.Project.Setup.Person.ModulesMemory(),
	}, in.Call)
	shown, err := host.Result(in.File, ungranted(err, in.Write))
	shown.Fuel, shown.FuelVaries = out.Fuel, out.FuelVaries
	return shown, err
}

// unlinked tells why a script cannot be linked, as a model can use it.
func unlinked(err error, skill, file string) error {
	f := *fault.Of(err, fault.ToolModule)
	if f.Code == fault.ToolModule && strings.HasPrefix(f.Message, "import") {
		f.Hint = "a script of a skill imports files of the skill, fs, os, path, process, url, and path, fs and parse-args of Deno; do what it does without it"
	}
	if f.Where == nil || strings.HasPrefix(f.Where.File, "golem-") {
		return f.At(path.Join(skill, file), 0, 0).Because(err)
	}
	return f.At(path.Join(skill, f.Where.File), f.Where.Line, f.Where.Column).Because(err)
}

// ungranted explains what scripts of skills may not do.
func ungranted(err error, write bool) error {
	if err == nil {
		return nil
	}
	switch f := *fault.Of(err, fault.Tool); {
	case f.Code == fault.ReadOnly && !write:
		return f.Hinting("scripts of skills only read here; a person can let them write: toolsets: {skills: {write: true}}")
	case f.Code == fault.ToolFuel:
		return f.Hinting("the script does not end, or has too much to do: give it less")
	case f.Code == fault.Grant:
		return f.Hinting("scripts of skills have no network; let the worker do it with its own tools")
	}
	return err
}

// scriptView returns the files that a script sees: all that the worker does, read-only unless
// write is true; nil: none.
func scriptView(files sandbox.FS, write bool) (sandbox.FS, error) {
	if files == nil || write {
		return files, nil
	}
	dirs := map[string]sandbox.Mode{}
	for _, m := range sandbox.Mounts(files) {
		dirs[m.At] = sandbox.ReadOnly
	}
	if len(dirs) == 0 {
		return nil, nil
	}
	return sandbox.Parts(files, dirs)
}

// Place finds a script among the files that the commands of a worker see: in the whole project,
// or in one of the mounts.
func (s skillSource) Place(env toolset.Env, in skillset.Script, program string, data []byte) (string, error) {
	if !hasToolset(s.opener.place.worker.Toolsets, "shell") {
		return "", fault.New(fault.NotAllowed, "the script %s is for %s, and %s runs no commands", in.File, program, env.Worker).
			Hinting("follow the skill without it; a person can give the worker toolsets: {shell: {}}")
	}
	one := s.of.Named(in.Skill)
	unseen := fault.New(fault.NotAllowed, "the commands of %s do not see the script %s of the skill %s", env.Worker, in.File, in.Skill).
		Hinting("a person can copy the skill into the project, or give the worker a mount with its directory; read_skill shows the script")
	if one == nil || one.Source != projectSource {
		return "", unseen
	}
	full := path.Join(one.Path, in.File)
	if sandbox.Partial(env.View) == "" {
		return full, nil
	}
	places, _ := sandbox.OnDisk(env.View)
	for _, p := range places {
		for rest := full; !p.File && !p.List; {
			above := strings.TrimSuffix(strings.TrimSuffix(full, rest), "/")
			if above == "" || strings.HasSuffix(p.Source, "/"+above) {
				at := strings.TrimPrefix(path.Join(p.At, rest), "/")
				if seen, err := fs.ReadFile(env.View, at); err == nil && bytes.Equal(seen, data) {
					return path.Join(p.Source, rest), nil
				}
			}
			_, next, more := strings.Cut(rest, "/")
			if !more {
				break
			}
			rest = next
		}
	}
	return "", unseen
}

// projectSource is the source of the project's own skills.
const projectSource = "project"

// skillFiles are the files of one skill, for its scripts.
type skillFiles struct {
	of  *project.Skills
	one *project.Skill
}

var _ script.Files = skillFiles{}

func (s skillFiles) File(name string) ([]byte, error) { return s.of.File(s.one, name) }

func (s skillFiles) Names() []string {
	names, _ := s.of.Files(s.one)
	return names
}
