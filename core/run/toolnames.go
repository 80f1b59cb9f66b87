package run

import (
	"context"
	"slices"

	"golem/core/fault"
	"golem/core/project"
)

// shellNames are the names of the toolset shell, which not every platform has.
var shellNames = []string{"run_command", "start_command", "command_output", "stop_command"}

// Vocabulary knows the names of all tools that some workers could have.
type Vocabulary struct {
	known    *toolNames
	everyone bool // any name may be that of a tool
	server   []string
}

// Vocabulary returns the names of the tools that this platform could offer to the given workers.
// It runs no module.
func (c *Checker) Vocabulary(ctx context.Context, workers []*project.Worker) *Vocabulary {
	v := &Vocabulary{known: c.r.knownTools(ctx, workers), everyone: c.r.Project.Modules.WithoutModules()}
	there := c.r.Toolsets.Names()
	for _, w := range workers {
		v.server = append(v.server, w.ServerTools...)
		for _, ts := range w.Toolsets {
			if _, other := c.r.Project.Setup.Platform.Limited[ts.Name]; other && !slices.Contains(there, ts.Name) {
				v.everyone = true
			}
		}
	}
	return v
}

// Unknown reports whether no tool can have a name, and the most similar name of a tool; "" if
// none is similar.
func (v *Vocabulary) Unknown(name string) (near string, unknown bool) {
	if v.everyone || v.known.has(name) || slices.Contains(shellNames, name) || slices.Contains(v.server, name) {
		return "", false
	}
	return fault.Nearest(name, append(slices.Clone(v.known.names), shellNames...)), true
}
