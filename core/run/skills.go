package run

import (
	"golem/core/fault"
	"golem/core/project"
	"golem/core/skills"
	"golem/core/tool"
	"golem/core/toolset/skillset"
)

// skillSource has the skills of a project, in the form of toolset skills.
type skillSource struct {
	of     *project.Skills
	opener *opener
}

var _ skillset.Source = skillSource{}

// Skills returns the usable skills, and the errors of the others.
func (s skillSource) Skills() (usable []skills.Skill, faults fault.List) {
	for _, one := range s.of.Usable() {
		usable = append(usable, one.Skill)
	}
	for _, one := range s.of.All() {
		if one.Faults.Err() != nil {
			faults = append(faults, one.Faults...)
		}
	}
	return usable, faults
}

// Read returns the instructions of a skill.
func (s skillSource) Read(name string) (body string, files []string, more bool) {
	one := s.of.Named(name)
	if one == nil {
		return "", nil, false
	}
	files, more = s.of.Files(one)
	return s.of.Body(one), files, more
}

// File returns a file of a skill.
func (s skillSource) File(skill, name string) ([]byte, error) {
	one := s.of.Named(skill)
	if one == nil {
		return nil, fault.New(fault.NotFound, "there is no skill %s", fault.Quoted(skill))
	}
	return s.of.File(one, name)
}

// addSkills notes what a worker is told of its skills, if a toolset is that of skills, and
// warns of the skills that cannot be used.
func (o *opener) addSkills(box *toolbox, of tool.Toolset) {
	set, ok := of.(*skillset.Set)
	if !ok {
		return
	}
	box.skills = set.Instructions()
	if o.inert { // golem check says it as errors
		return
	}
	for _, f := range set.Faults {
		warning := *f
		warning.Severity = fault.Warning
		box.warnings = append(box.warnings, &warning)
	}
}
