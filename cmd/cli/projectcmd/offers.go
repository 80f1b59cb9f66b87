package projectcmd

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"golem/core"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/model/prices"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// ModelsCommand returns golem models.
func ModelsCommand(c *console.Console) *cobra.Command {
	var project string
	asJSON := false
	cmd := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "list the models of a provider",
		Long: `Asks a provider for its models and lists them, with how many tokens each takes
and what a million tokens cost where that is known. Without PROVIDER all are
asked whose key is set, and those that need none.`,
		Args: console.Words(0, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			return runModels(c, cmd.Flags(), project, asJSON, words)
		},
	}
	cmd.Flags().StringVar(&project, "project", "", "the project whose providers: and .env count, too (default: the current directory)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	return cmd
}

func runModels(c *console.Console, set *pflag.FlagSet, project string, asJSON bool, words []string) error {
	if err := console.NotEmpty(set, "project"); err != nil {
		return err
	}
	p, _, err := target.Find(c, target.Wanted{Project: project, Set: set}, target.OrHere(c, project, nil))
	if err != nil {
		return err
	}
	t := toolhost.New(c, false)
	defer t.Close()
	inst, err := machine.Open(c, p, machine.Opening{}, t)
	if inst == nil {
		return err // a directory that is not a project has no providers of its own, and that is not a fault here
	}
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	offers, faults := ListModels(ctx, inst, words)
	var out string
	if asJSON {
		if out, err = modelsJSON(offers, faults); err != nil {
			return err
		}
	} else {
		c.Report(faults)
		if len(offers) > 0 {
			out = console.Fit(c.Out, ui.Table(ModelRows(offers))+pricesFrom(offers))
		}
	}
	if err := c.Print(out); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return console.ExitCode(console.ExitInterrupted)
	case faults.Err() != nil:
		return console.ExitCode(console.ExitFailed)
	}
	return nil
}

// ListModels asks one provider for its models, or all providers that can be asked. A
// local provider that does not run is a fault only if it was named.
func ListModels(ctx context.Context, inst *core.Instance, words []string) (offers []model.Offer, faults fault.List) {
	names, local := words, map[string]bool{}
	if len(words) == 0 {
		names, local = inst.Models().Keyed()
	}
	for _, name := range names {
		some, err := inst.Models().Offers(ctx, name)
		if err != nil && !local[name] {
			faults = append(faults, fault.Of(err, fault.Model))
		}
		offers = append(offers, some...)
	}
	if len(offers) == 0 && len(faults) == 0 {
		faults = fault.List{fault.New(fault.Model, "no provider can list its models: none has a key").
			Hinting("golem login keeps the key of one; golem models PROVIDER asks one without a key")}
	}
	return offers, faults
}

// ModelRows returns the rows of a table of models, with its head.
func ModelRows(offers []model.Offer) [][]string {
	rows := [][]string{{"MODEL", "CONTEXT", "$/M IN", "CACHED", "$/M OUT"}}
	for _, o := range offers {
		row := []string{ui.OneLine(o.Name), "", "", "", ""}
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
