package providers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/model/prices"
	"golem/core/project"
)

// known returns models as a file of the person or of the project describes them.
func known(m map[string]config.ModelFacts) map[string]model.Known {
	if len(m) == 0 {
		return nil
	}
	out := map[string]model.Known{}
	for name, f := range m {
		k := model.Known{Context: f.Context}
		if f.Price != nil {
			k.Price = &prices.Price{Input: f.Price.Input, Output: f.Price.Output, Cached: f.Price.Cached, Written: f.Price.Written}
		}
		out[name] = k
	}
	return out
}

// Faults returns warnings about the models of the workers: a setting that a provider
// does not have, a price that does not count, a limit on cost without a price.
func (t *Table) Faults(workers []*project.Worker) fault.List {
	return slices.Concat(t.lacking(workers), t.unusedPrices(), t.limitless(workers))
}

// unusedPrices warns of prices in the manifest that do not count, because the person or
// golem's table has one: otherwise a project could get under a person's limit.
func (t *Table) unusedPrices() fault.List {
	var out fault.List
	rows := t.source.Project.Manifest.Providers
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		for _, s := range t.source.Project.Trees.Own().ProviderKeys(name) {
			m, given := strings.CutPrefix(s.Path, "providers."+name+".models.")
			if !given || rows[name].Models[m].Price == nil {
				continue
			}
			if by := t.models.Listing(name + ":" + m).From; by == model.ByPerson || by == model.ByTable {
				out = append(out, fault.Warn(fault.Config, "%s: the project's price does not count, because golem's table or your config.yaml has one for %s:%s", s.Path, name, m).
					At(s.File, s.Line, s.Column).Hinting("remove it; to change a price, write it in your own config.yaml"))
			}
		}
	}
	return out
}

// limitless warns of limits on cost that cannot be kept: the price of a model is
// not known, or only the project gives one and the limit is the person's. The run
// would end with E_BUDGET.
func (t *Table) limitless(workers []*project.Worker) fault.List {
	var out fault.List
	for _, w := range workers {
		for _, one := range w.Models() {
			if w.Limits.Cost == 0 || !slices.Contains(t.Names(), providerOf(one.Model)) {
				continue
			}
			l := t.models.Listing(one.Model)
			if l.Priced && (l.From != model.ByProject || w.Limits.OwnCost == 0) {
				continue
			}
			why := fmt.Sprintf("the price of %s is not known", one.Model)
			if l.Priced {
				why = fmt.Sprintf("only the project gives a price for %s", one.Model)
			}
			out = append(out, fault.Warn(fault.Budget, "limits.cost of %s is %s, but %s: the worker would end before its first request", w.ID, w.Limits.Cost.Text(), why).
				At(w.File, 0, 0).Hinting("give its price under providers: in your own config.yaml"))
		}
	}
	return out
}
