// Package godebug stands in for internal/godebug in the page: a page has no
// environment, so no setting of GODEBUG differs from its default. web/build lays
// it over the standard library's package, which counts in the runtime's metrics
// how often a setting mattered.
package godebug

// Setting is one setting, at its default.
type Setting struct{ name string }

// New returns the setting with a name; "#" before it says that it is undocumented.
func New(name string) *Setting { return &Setting{name} }

// Name returns the setting's name, without "#".
func (s *Setting) Name() string {
	if s.Undocumented() {
		return s.name[1:]
	}
	return s.name
}

// Undocumented reports whether the setting is undocumented.
func (s *Setting) Undocumented() bool { return s.name != "" && s.name[0] == '#' }

// String returns the setting in the form of GODEBUG, "NAME=".
func (s *Setting) String() string { return s.Name() + "=" }

// Value returns the default, "".
func (s *Setting) Value() string { return "" }

// IncNonDefault does nothing: it counts uses of a value that is not the default, which a
// page cannot have.
func (s *Setting) IncNonDefault() {}
