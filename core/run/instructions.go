package run

import (
	"context"
	"strings"

	"golem/core/fault"
	"golem/core/prompt"
)

// system returns the root's system prompt: the one that was kept, or a new one, which
// it keeps.
func (f *frame) system(ctx context.Context, t task) (string, error) {
	if begun := f.tree.begun(f.conversation.Name); begun != nil {
		return begun.System, nil
	}
	text, err := f.instructions(ctx, t)
	if err == nil {
		f.keepBegin(text, "", nil)
	}
	return text, err
}

// instructions returns the worker's system prompt for one task: its text, rendered if
// it is a template (SPEC §4), and what the caller adds. Neither the task nor what the
// caller adds is rendered.
func (f *frame) instructions(ctx context.Context, t task) (string, error) {
	w := f.worker
	if !w.Template {
		return f.withServers(prompt.System(w.Instructions, t.Instructions)), nil
	}
	p := f.tree.r.Project
	names, err := prompt.Names{
		Text: t.text, Object: t.object, Vars: w.Vars,
		Worker:  map[string]any{"id": w.ID, "name": w.Name, "description": w.Description},
		Project: map[string]any{"name": p.Manifest().Name, "version": p.Manifest().Version, "description": p.Manifest().Description},
	}.Values()
	if err != nil {
		return "", fault.Of(err, fault.Template).InChain(f.chain)
	}
	text, err := prompt.InstructionsOf(p, w).Render(ctx, names)
	if err != nil {
		return "", fault.Of(err, fault.Template).InChain(f.chain)
	}
	return f.withServers(prompt.System(text, t.Instructions)), nil
}

// withServers adds what the worker's MCP servers say about their use.
func (f *frame) withServers(system string) string {
	for _, c := range f.changing {
		if set, ok := c.set.(interface{ Instructions() string }); ok {
			if words := set.Instructions(); words != "" {
				system = strings.TrimRight(system, "\n") + "\n\n" + words
			}
		}
	}
	return system
}
