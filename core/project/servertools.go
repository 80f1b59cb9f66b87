package project

import (
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// serverTools sets the worker's ServerTools. Its sandbox is known by now.
func (b *built) serverTools() {
	n := b.eff.Get("server_tools")
	for i, name := range n.Texts() {
		if slices.Contains(b.w.ServerTools, name) {
			b.addAt(n.Items[i].Pos, fault.New(fault.Config, "server_tools: %s is listed twice", name).Hinting("remove one of the two"))
			continue
		}
		b.w.ServerTools = append(b.w.ServerTools, name)
	}
	if len(b.w.ServerTools) > 0 && !b.w.Sandbox.Network {
		b.addAt(n.Pos, fault.New(fault.Config, "server_tools: tools that run at the provider use the network, and sandbox.network_enabled is false").
			Hinting("set sandbox: {network_enabled: true}, or remove server_tools"))
	}
}

// networkless warns of toolsets that do nothing without the network, which the worker does
// not have.
func (b *built) networkless() {
	if b.w.Sandbox.Network {
		return
	}
	for _, path := range [][]string{{"toolsets", "web"}, {"toolsets", "shell", "network"}} {
		n := b.eff.Path(path...)
		if n == nil || n.Kind != yamltree.Mapping && !n.Flag() {
			continue
		}
		b.add(fault.Warn(fault.Config, "%s has no effect, because sandbox.network_enabled is false", strings.Join(path, ".")).
			Hinting("set sandbox: {network_enabled: true}, or remove it").At(n.File, n.Line, n.Column))
	}
}

// ServerToolsSaid returns the entries of the worker's server_tools, each with its position.
func (w *Worker) ServerToolsSaid() []config.Said {
	n := w.eff.Get("server_tools")
	if n == nil {
		return nil
	}
	var out []config.Said
	for _, item := range n.Items {
		out = append(out, config.NewSaid(item, "server_tools", "server_tools"))
	}
	return out
}
