package wasmtool

import (
	"context"

	"golem/core/tool"
)

// Exports reports whether the module exports a function of that name which uses
// Extism input and output: no parameters, and as its result an error number or
// nothing (S0-26).
func (m *Module) Exports(ctx context.Context, name string) (bool, error) {
	if _, err := m.shape(ctx); err != nil {
		return false, err
	}
	e, ok := m.info.Exported(name)
	return ok && extism(e), nil
}

// Export returns a tool that calls the export of that name, whatever form the
// module has. Its arguments can be any object.
func (b *Bound) Export(name string) tool.Tool {
	d := Description{Name: name}
	return &moduleTool{bound: b, desc: d, spec: b.spec(d), export: true}
}
