// Package skillset has the toolset skills: a worker knows the names and descriptions of its
// skills, and reads one when a task fits it (SPEC §21).
package skillset

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/skills"
	"golem/core/tool"
	"golem/core/toolset"
)

// Source has the skills that a project can use.
type Source interface {
	// Skills returns them, sorted by name, and the faults of those that cannot be used.
	Skills() (usable []skills.Skill, faults fault.List)
	// Read returns the instructions of a skill, and the names of its other files. more is true
	// if there are more than it names.
	Read(skill string) (body string, files []string, more bool)
	// File returns a file of a skill; the name is relative to the skill's directory.
	File(skill, name string) ([]byte, error)
	// HasScripts reports whether a skill has files that run_skill_script can run.
	HasScripts(skill string) bool
	// Run runs a script in the JavaScript engine.
	Run(ctx context.Context, env toolset.Env, s Script) (tool.Output, error)
	// Place returns the path by which the commands of a worker reach a script with these bytes
	// for a program. E_NOT_ALLOWED: the worker runs no commands, or they do not see it.
	Place(env toolset.Env, s Script, program string, data []byte) (string, error)
}

// all is the item of use that stands for every skill.
const all = "*"

// options are the keys of toolsets.skills beside approval.
type options struct {
	Use   []string `json:"use"`   // names; nil: all
	Write bool     `json:"write"` // scripts may change the worker's files
}

// Toolset returns the factory of the toolset skills. With a nil from, it only checks options.
func Toolset(from Source) toolset.Factory {
	return toolset.Factory{
		Name:    "skills",
		Options: func() any { return new(options) },
		Open: func(_ context.Context, env toolset.Env, o any) (tool.Toolset, error) {
			if from == nil {
				return toolset.Tools(nil), nil
			}
			opts, _ := o.(*options)
			return open(from, env, opts)
		},
	}
}

// Set is the toolset of one worker.
type Set struct {
	from   Source
	used   []skills.Skill
	write  bool
	env    toolset.Env
	Faults fault.List // of the skills that cannot be used
}

func open(from Source, env toolset.Env, o *options) (*Set, error) {
	usable, faults := from.Skills()
	s := &Set{from: from, write: o.Write, env: env, Faults: faults}
	if o.Use == nil || slices.Contains(o.Use, all) {
		s.used = usable
		return s, nil
	}
	var names []string
	for _, one := range usable {
		names = append(names, one.Name)
		if slices.Contains(o.Use, one.Name) {
			s.used = append(s.used, one)
		}
	}
	for _, name := range o.Use {
		if !slices.Contains(names, name) {
			return nil, fault.New(fault.Config, "toolsets.skills.use names %q, and %s can use no such skill", name, env.Worker).
				Hinting("%s", nearest(name, names))
		}
	}
	return s, nil
}

func nearest(name string, names []string) string {
	if len(names) == 0 {
		return "golem skills lists the skills of a project and says where it looks for them"
	}
	return fault.DidYouMean(name, names)
}

// Close does nothing.
func (s *Set) Close() error { return nil }

// Instructions returns what the worker is told of its skills.
func (s *Set) Instructions() string { return skills.Prompt(s.used) }

// Tools returns read_skill, if there is a skill, and run_skill_script, if one has scripts.
func (s *Set) Tools() []tool.Tool {
	if len(s.used) == 0 {
		return nil
	}
	out := []tool.Tool{tool.Func(tool.Spec{
		Name: "read_skill", Toolset: "skills", Provider: "builtin", Risk: tool.Read,
		Description: "Reads the instructions of a skill and lists its files, or reads one of these files. Without a name it lists all skills.",
	}, s.read)}
	if slices.ContainsFunc(s.used, func(one skills.Skill) bool { return s.from.HasScripts(one.Name) }) {
		out = append(out, s.scripts(s.env))
	}
	return out
}

type readArgs struct {
	Skill string `json:"skill,omitempty" jsonschema:"name of the skill"`
	File  string `json:"file,omitempty" jsonschema:"a file of the skill, like references/a.md; leave it out for the instructions"`
}

func (s *Set) read(_ context.Context, in readArgs) (tool.Output, error) {
	if in.Skill == "" {
		return tool.Output{Text: skills.List(s.used)}, nil
	}
	one, err := s.named(in.Skill)
	if err != nil {
		return tool.Output{}, err
	}
	if name := path.Clean(in.File); in.File != "" && name != skills.FileName {
		return s.file(in.Skill, name)
	}
	body, files, more := s.from.Read(in.Skill)
	var b strings.Builder
	b.WriteString(strings.TrimSpace(body) + "\n")
	if tools := one.Tools; len(tools) > 0 {
		fmt.Fprintf(&b, "\n[While you follow this skill, use no tools of yours but these: %s. That approves none of them.]\n", strings.Join(tools, ", "))
	}
	if len(files) > 0 {
		b.WriteString("\n[Files of this skill, for read_skill: " + strings.Join(files, ", "))
		if more {
			b.WriteString(" and more")
		}
		b.WriteString("]\n")
	}
	return tool.Output{Text: b.String()}, nil
}

// file returns a text of a skill, or what is known of a file that is not text.
func (s *Set) file(skill, name string) (tool.Output, error) {
	data, err := s.from.File(skill, name)
	if err != nil {
		return tool.Output{}, unknownFile(skill, name, err)
	}
	text := string(data)
	if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		return tool.Text("%s is not a text file: %s, %d bytes", name, tool.MediaType(data[:min(len(data), 3072)]), len(data)), nil
	}
	return tool.Output{Text: text}, nil
}

// unknownFile explains that a skill has no such file; other errors it returns as they are.
func unknownFile(skill, name string, err error) error {
	if !errors.Is(err, fault.NotFound) {
		return err
	}
	return fault.New(fault.NotFound, "the skill %s has no file %s", skill, fault.Quoted(name)).Hinting("read_skill without file names its files")
}
