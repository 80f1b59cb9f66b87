package core

import (
	"context"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/model"
	"golem/core/project"
	"golem/core/trace"
)

// BeforeBatch checks, before the first item, that a batch of the project can run: no worker
// starts programs, the models can be opened, and, with a limit on cost, their prices are known.
// Then it asks the person whether the project is trusted; nil: nobody is there.
func BeforeBatch(ctx context.Context, i *Instance, person approval.Approver, cost bool) error {
	entry, err := i.Entry()
	if err != nil {
		return err
	}
	closure, err := i.project.Workers.Closure(entry)
	if err != nil {
		return err
	}
	for _, w := range closure {
		if err := startsPrograms(w); err != nil {
			return err
		}
	}
	if entry.Mode == "chat" {
		return fault.New(fault.Usage, "%s has mode: chat, so it is talked with, and a batch talks with nobody", entry.ID).Hinting("choose a worker that answers once: --entry")
	}
	hold := &trace.Hold{}
	front := front{hold.Sink(ignored{}), hold}
	if _, err := i.consent.Before(ctx, entry, i.gate(person, front), front); err != nil {
		return err
	}
	return pricesKnown(ctx, i, closure, cost)
}

// ignored is a sink that nobody reads.
type ignored struct{}

// Emit does nothing.
func (ignored) Emit(trace.Event) {}

// startsPrograms returns E_PLATFORM for a worker that starts programs of this machine: its items
// run on files in memory, and maybe on other machines.
func startsPrograms(w *project.Worker) error {
	for _, t := range w.Toolsets {
		switch t.Name {
		case "shell":
			return fault.New(fault.Platform, "%s uses the toolset shell, and the items of a batch have no commands: their files are in memory", w.ID).At(t.File, t.Line, 0).
				Hinting("run it once for each input: golem run DIR --input JSON")
		case "mcp":
			servers, err := mcp.Configs(t.Options)
			if err != nil {
				continue // the run reports it
			}
			for name, c := range servers {
				if c.Command != "" {
					return fault.New(fault.Platform, "%s uses the MCP server %s, which is a command, and the items of a batch start none: their files are in memory", w.ID, name).At(t.File, t.Line, 0).
						Hinting("run it once for each input: golem run DIR --input JSON")
				}
			}
		}
	}
	return nil
}

// pricesKnown opens the models. With a limit on cost, one without a price is E_USAGE.
func pricesKnown(ctx context.Context, i *Instance, closure []*project.Worker, cost bool) error {
	for _, w := range closure {
		if w.Tool != "" || w.Model == "" {
			continue
		}
		m, err := i.models.Open(ctx, w)
		if err != nil {
			return err
		}
		settings, err := model.ReadSettings(w.ModelSettings)
		if err != nil {
			return err
		}
		price, name := model.Prospect(m, settings)
		switch {
		case !cost:
		case price.Unpriced:
			return fault.New(fault.Usage, "--limit cost=… needs the price of %s, which is not known", name).Hinting("give its price under providers: in your own config.yaml, or use --limit tokens=N").InPage("", "give its price under providers: in your configuration, or limit the tokens")
		case price.Suggested:
			return fault.New(fault.Usage, "--limit cost=… needs the price of %s, and only the project gives one", name).Hinting("give its price under providers: in your own config.yaml, or use --limit tokens=N").InPage("", "give its price under providers: in your configuration, or limit the tokens")
		}
	}
	return nil
}
