package custom

import (
	"context"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/wasmtool"
)

// Script is a linked source that one call runs, without a tool of its own.
type Script struct {
	Path   string // of the source: faults name it
	Module []byte
	Tool   string            // its only tool
	Files  sandbox.FS        // that it sees; nil: none
	Config map[string]string // that it can ask for
	Total  int64             // bytes of memory for all modules of the process together; 0: wasmtool.DefaultTotal
}

// RunScript runs a script as the call c. It reaches no network.
func (k *Cache) RunScript(ctx context.Context, env toolset.Env, s Script, c tool.Call) (tool.Output, error) {
	if k == nil {
		return tool.Output{}, fault.New(fault.Platform, "this platform cannot run scripts of skills").Hinting("do what the skill says without %s", s.Path)
	}
	library, err := k.library()
	if err != nil {
		return tool.Output{}, fault.Of(err, fault.Platform)
	}
	mod := library.Module(wasmtool.Source{Path: s.Path, File: wasmtool.MemoryFile{Module: s.Module}})
	described, err := mod.Describe(ctx, wasmtool.Describing{Total: s.Total})
	if err != nil {
		return tool.Output{}, err
	}
	b := &wasmtool.Bound{Module: mod, Listener: listener{env}, Grants: wasmtool.Grants{Files: s.Files, Config: s.Config, Total: s.Total}}
	defer b.Close()
	for _, d := range described {
		if d.Name == s.Tool {
			return b.Within(ctx, d, c)
		}
	}
	return tool.Output{}, fault.New(fault.ToolContract, "%s has no function that golem can run", s.Path)
}
