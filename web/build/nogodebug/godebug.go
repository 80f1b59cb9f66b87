// Package godebug stands in for internal/godebug in the page: a page has no
// environment, so no setting of GODEBUG differs from its default. web/build lays
// it over the standard library's package, which counts in the runtime's metrics
// how often a setting mattered.
package godebug

// Setting is one setting, at its default.
type Setting struct{ name string }

// New returns the setting with a name; "#" before it says that it is undocumented.
func New(name string) *Setting { return &Setting{name} }

// Name is the setting's name.
func (s *Setting) Name() string {
	if s.Undocumented() {
		return s.name[1:]
	}
	return s.name
}

// Undocumented reports whether the setting is undocumented.
func (s *Setting) Undocumented() bool { return s.name != "" && s.name[0] == '#' }

// String is the setting as GODEBUG would have it.
func (s *Setting) String() string { return s.Name() + "=" }

// Value is the default, "".
func (s *Setting) Value() string { return "" }

// IncNonDefault would count a use of a value that is not the default: there is none.
func (s *Setting) IncNonDefault() {}
