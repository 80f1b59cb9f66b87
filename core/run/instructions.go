package run

import (
	"context"
	"strings"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/prompt"
)

// system returns the root's system prompt: the one that was kept, or a new one, which
// it keeps.
func (f *workerRun) system(ctx context.Context, t task) (string, error) {
	if begun := f.tree.replay.begin(f.conversation.Name); begun != nil {
		return begun.System, nil
	}
	text, err := f.instructions(ctx, t)
	if err == nil {
		f.keepBegin(text, "", nil)
	}
	return text, err
}

// instructions returns the worker's system prompt for one task, with the list of its skills and
// what its MCP servers say about their use.
func (f *workerRun) instructions(ctx context.Context, t task) (string, error) {
	text, err := instructions(ctx, f.tree.r.Project, f.worker, t)
	if err != nil {
		return "", fault.Of(err, fault.Template).InChain(f.chain)
	}
	for _, name := range f.worker.Context {
		given, err := givenFile(f, name)
		if err != nil {
			return "", err
		}
		if given != "" {
			text = strings.TrimRight(text, "\n") + given
		}
	}
	if f.toolbox.skills != "" {
		text = strings.TrimRight(text, "\n") + "\n\n" + f.toolbox.skills
	}
	for _, c := range f.toolbox.changing {
		if set, ok := c.set.(interface{ Instructions() string }); ok {
			if words := set.Instructions(); words != "" {
				text = strings.TrimRight(text, "\n") + "\n\n" + words
			}
		}
	}
	return text, nil
}

// instructions returns a worker's system prompt for one task: its text, rendered if it is
// a template (SPEC §4), and what the caller adds. Neither the task nor what the caller adds
// is rendered.
func instructions(ctx context.Context, p *project.Project, w *project.Worker, t task) (string, error) {
	if !w.Template {
		return prompt.System(w.Instructions, t.Instructions), nil
	}
	names, err := prompt.Names{
		Text: t.text, Object: t.object, Vars: w.Vars,
		Worker:  map[string]any{"id": w.ID, "name": w.Name, "description": w.Description},
		Project: map[string]any{"name": p.Manifest.Name, "version": p.Manifest.Version, "description": p.Manifest.Description},
	}.Values()
	if err != nil {
		return "", err
	}
	text, err := prompt.InstructionsOf(p, w).Render(ctx, names)
	return prompt.System(text, t.Instructions), err
}
