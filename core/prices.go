package core

import (
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/model/prices"
	"golem/core/project"
)

// known are models as a file of the person or of the project describes them.
func known(m map[string]project.ModelFacts) map[string]model.Known {
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

// unusedPrices warns of prices in the manifest that do not count, because the
// person or golem's table has one: a project could get under a person's limit.
func (i *Instance) unusedPrices() fault.List {
	var out fault.List
	rows := i.project.Manifest().Providers
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		for _, s := range i.project.ProviderKeys(name) {
			m, given := strings.CutPrefix(s.Path, "providers."+name+".models.")
			if !given || rows[name].Models[m].Price == nil {
				continue
			}
			if by := i.models.Listing(name + ":" + m).From; by == model.ByPerson || by == model.ByTable {
				out = append(out, fault.Warn(fault.Config, "%s: golem knows what %s:%s costs, so the project's price does not count", s.Path, name, m).
					At(s.File, s.Line, s.Column).Hinting("a price in your own config.yaml counts; remove this one"))
			}
		}
	}
	return out
}
