package wasmtool

import (
	"context"

	"golem/core/tool"
)

// Exports tells whether the module exports a function of that name which
// takes and returns Extism input and output: no parameters, and the number of
// an error or nothing as its result (S0-26).
func (m *Module) Exports(ctx context.Context, name string) (bool, error) {
	if _, err := m.shape(ctx); err != nil {
		return false, err
	}
	e, ok := m.info.Exported(name)
	return ok && extism(e), nil
}

// Export is a tool that calls an export of that name, whatever form the module
// has. Its arguments are any object.
func (b *Bound) Export(name string) tool.Tool {
	d := Description{Name: name}
	return &moduleTool{bound: b, desc: d, spec: b.spec(d), export: true}
}
