package main

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/model/prices"
)

func (h *host) modelsCommand() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "list the models of a provider",
		Long: `Asks a provider for its models and lists them, with how many tokens each takes
and what a million tokens cost where that is known. Without PROVIDER all are
asked whose key is set, and those that need none.`,
		Args: words(0, 1),
		RunE: func(_ *cobra.Command, words []string) error { return h.models(f, words) },
	}
	f.set = cmd.Flags()
	cmd.Flags().StringVar(&f.project, "project", "", "the project whose providers: and .env count, too (default: the current directory)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one line of JSON")
	return cmd
}

func (h *host) models(f *flags, words []string) error {
	if err := f.notEmpty("project"); err != nil {
		return err
	}
	p, _, err := h.target(f, h.orHere(f, nil))
	if err != nil {
		return err
	}
	t := h.newTools(false)
	defer t.close()
	inst, err := h.open(p, f, t)
	if inst == nil {
		return err // a directory that is not a project has no providers of its own, and that is not a fault here
	}
	ctx, stop := h.interruptible(context.Background())
	defer stop()
	offers, faults := listModels(ctx, inst, words)
	var out string
	if f.json {
		if out, err = modelsJSON(offers, faults); err != nil {
			return err
		}
	} else {
		h.report(faults)
		if len(offers) > 0 {
			out = fit(h.out, table(modelRows(offers))+pricesFrom(offers))
		}
	}
	if err := h.print(out); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return exitCode(exitInterrupted)
	case faults.Err() != nil:
		return exitCode(exitFailed)
	}
	return nil
}

// listModels asks one provider for its models, or all providers that can be asked. A
// local provider that does not run is a fault only if it was named.
func listModels(ctx context.Context, inst *core.Instance, words []string) (offers []model.Offer, faults fault.List) {
	names, local := words, map[string]bool{}
	if len(words) == 0 {
		names, local = inst.Keyed()
	}
	for _, name := range names {
		some, err := inst.Offers(ctx, name)
		if err != nil && !local[name] {
			faults = append(faults, fault.Of(err, fault.Model))
		}
		offers = append(offers, some...)
	}
	if len(offers) == 0 && len(faults) == 0 {
		faults = fault.List{fault.New(fault.Model, "no provider can list its models: none has a key").
			Hinting("set the key of one, for example OPENAI_API_KEY, or name it: golem models PROVIDER")}
	}
	return offers, faults
}

func modelRows(offers []model.Offer) [][]string {
	rows := [][]string{{"MODEL", "CONTEXT", "$/M IN", "CACHED", "$/M OUT"}}
	for _, o := range offers {
		row := []string{oneLine(o.Name), "", "", "", ""}
		if o.Context > 0 {
			row[1] = strconv.Itoa(o.Context)
		}
		if o.Price != nil {
			row[2], row[3], row[4] = o.Price.In, o.Price.Cached, o.Price.Out
		}
		rows = append(rows, row)
	}
	return rows
}

// pricesFrom returns a note on the source and date of golem's own prices.
func pricesFrom(offers []model.Offer) string {
	if !slices.ContainsFunc(offers, func(o model.Offer) bool { return o.Price != nil }) {
		return ""
	}
	from, date := prices.Source()
	return "\nUS dollars per million tokens: list prices of " + date + " (" + from + "), and your own\n"
}

// modelsJSON returns the line of models --json. faults are the providers that could not
// be asked.
func modelsJSON(offers []model.Offer, faults fault.List) (string, error) {
	if offers == nil {
		offers = []model.Offer{}
	}
	type source struct {
		From string `json:"from"`
		Date string `json:"date"`
	}
	from, date := prices.Source()
	data, err := json.Marshal(struct {
		Golem  string        `json:"golem"`
		V      int           `json:"v"`
		Prices source        `json:"prices"`
		Models []model.Offer `json:"models"`
		Faults fault.List    `json:"faults,omitempty"`
	}{"models", 1, source{from, date}, offers, faults})
	return string(data) + "\n", err
}
