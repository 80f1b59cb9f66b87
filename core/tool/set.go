package tool

import (
	"slices"

	"golem/core/fault"
)

// Set is the set of tools that one worker may call, in the order in which they were
// added. The zero value is an empty set. Several goroutines may read it at the same time,
// but not during Add or Replace.
type Set struct {
	names []string
	tools map[string]Tool
}

// Add adds a tool. It fails if the name is taken (E_CONFIG), if providers would not
// accept it (E_TOOL_CONTRACT; ValidName says which names they accept), or if Func could
// infer no schema.
func (s *Set) Add(t Tool) error {
	spec := t.Spec()
	if !ValidName(spec.Name) {
		return fault.New(fault.ToolContract, "%q is not a valid tool name", spec.Name).
			Hinting("use 1 to %d letters, digits, _ and -", maxName)
	}
	if broken, ok := t.(interface{ Err() error }); ok && broken.Err() != nil {
		return broken.Err()
	}
	if other, dup := s.tools[spec.Name]; dup {
		return fault.New(fault.Config, "two tools are named %s: one of %s, one of %s", spec.Name, origin(other.Spec()), origin(spec)).
			Hinting("rename one of them or remove its toolset")
	}
	if s.tools == nil {
		s.tools = map[string]Tool{}
	}
	s.tools[spec.Name] = t
	s.names = append(s.names, spec.Name)
	return nil
}

// Replace removes the tools old and adds the tools with at the end of the order. A tool
// that cannot be added is left out; Replace returns the error of the first of these.
func (s *Set) Replace(old, with []Tool) error {
	for _, t := range old {
		name := t.Spec().Name
		if s.tools[name] == t {
			delete(s.tools, name)
			s.names = slices.DeleteFunc(s.names, func(n string) bool { return n == name })
		}
	}
	var first error
	for _, t := range with {
		if err := s.Add(t); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func origin(s Spec) string {
	switch {
	case s.Module != "":
		return "module " + s.Module
	case s.Target != "":
		return "worker " + s.Target
	case s.Toolset != "":
		return "toolset " + s.Toolset
	}
	return "the program"
}

// Get returns the tool of that name.
func (s *Set) Get(name string) (Tool, bool) {
	t, ok := s.tools[name]
	return t, ok
}

// Names returns the names in the order of adding. The slice is the caller's.
func (s *Set) Names() []string { return slices.Clone(s.names) }

// All returns the tools in the order of adding. The slice is the caller's.
func (s *Set) All() []Tool { return s.Find(func(Spec) bool { return true }) }

// Find returns the tools whose metadata match, in the order of adding: by
// kind, risk, exec, toolset or anything else a Spec tells (S3-20).
func (s *Set) Find(match func(Spec) bool) []Tool {
	var out []Tool
	for _, n := range s.names {
		if t := s.tools[n]; match(t.Spec()) {
			out = append(out, t)
		}
	}
	return out
}
