package run

import (
	"context"

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
		return prompt.System(w.Instructions, t.Instructions), nil
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
	return prompt.System(text, t.Instructions), nil
}
