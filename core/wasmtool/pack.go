package wasmtool

import (
	"encoding/json"

	"golem/core/fault"
	"golem/core/wasmtool/guard"
)

// Pack returns the module with a description, given as YAML or JSON, in its custom
// section; an existing description is replaced. It first checks the
// description, then that the guard accepts the module, and that a module without one of
// the three forms exports the described functions. file is the description's name in
// messages.
func Pack(module, description []byte, file string) ([]byte, error) {
	ds, err := ParseSidecar(description, file)
	if err != nil {
		return nil, err
	}
	info, err := guard.Inspect(module)
	if err != nil {
		return nil, err
	}
	if info.Component {
		return nil, componentFault("the file")
	}
	if _, err := guard.Weave(module); err != nil {
		return nil, err
	}
	if shapeOf(info) == plain {
		for _, d := range ds {
			if e, ok := info.Exported(d.Name); !ok || !extism(e) {
				return nil, fault.New(fault.ToolContract, "the description names %s, and the module has no such function to call; it exports %s", d.Name, exported(info)).
					Hinting("export describe and call, or list_tools and call_tool, or _start, or a function of that name that takes Extism input").At(file, 0, 0)
			}
		}
	}
	doc, err := json.Marshal(map[string]any{"tools": ds})
	if err != nil {
		return nil, fault.Of(err, fault.Config)
	}
	return guard.AppendCustom(module, Section, doc)
}
