package core

import (
	"context"
	"io/fs"

	"golem/core/fault"
	"golem/core/jstool"
	"golem/core/toolset/custom"
)

// linker links the JavaScript and TypeScript sources of a project with the engine of the
// platform. The linker itself runs as a module, without any grant.
type linker struct {
	engines jstool.Engines // nil: the platform has none
	modules *custom.Cache
	linking jstool.Linking
}

// Link returns the module of a source.
func (l *linker) Link(entry string, folder fs.FS) ([]byte, error) {
	if l.engines == nil || l.modules == nil {
		return nil, noJavaScript(entry)
	}
	library, err := l.modules.Library()
	if err != nil {
		return nil, fault.Of(err, fault.Platform)
	}
	if library == nil {
		return nil, noJavaScript(entry)
	}
	return l.linking.Link(context.Background(), l.engines, library, entry, folder) // linking has limits of its own
}

func noJavaScript(entry string) error {
	return fault.New(fault.Platform, "this platform cannot run JavaScript sources, and the project has %s", entry).
		Hinting("run with --no-import-tools to leave its tools out").At(entry, 0, 0)
}
