package core

import (
	"context"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/model"
)

// Offers returns the models of a provider, by name. What the project's files
// say about the provider counts only if a person trusted it.
func (i *Instance) Offers(ctx context.Context, provider string) ([]model.Offer, error) {
	if !slices.Contains(i.Providers(), provider) {
		return nil, i.unknownProvider(provider)
	}
	c, err := i.reaching(provider, i.models)
	if err != nil {
		return nil, err
	}
	offers, err := model.List(ctx, provider, c)
	if err != nil {
		f := *fault.Of(err, fault.Model)
		f.Message = i.redactor.Load().String(f.Message)
		return nil, &f
	}
	return offers, nil
}

// Providers returns the names of all providers, including those of the person
// and of the project.
func (i *Instance) Providers() []string {
	var names []string
	for _, r := range model.Rows() {
		names = append(names, r.Name)
	}
	names = append(names, slices.Collect(maps.Keys(i.config.Providers()))...)
	if i.project != nil {
		names = append(names, slices.Collect(maps.Keys(i.project.Manifest().Providers))...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Keyed returns the providers that can be used now: those whose key is set and
// those that need none. local is true for the latter.
func (i *Instance) Keyed() (names []string, local map[string]bool) {
	local = map[string]bool{}
	for _, name := range i.Providers() {
		switch keyed, free := i.models.Keyed(name); {
		case keyed:
			names = append(names, name)
		case free:
			names, local[name] = append(names, name), true
		}
	}
	return names, local
}

func (i *Instance) unknownProvider(name string, others ...string) error {
	return fault.New(fault.Model, "there is no provider %q", name).Hinting("%s", fault.DidYouMean(name, append(i.Providers(), others...)))
}

// reaching is c with the provider's row as a person trusted it.
func (i *Instance) reaching(provider string, c model.Config) (model.Config, error) {
	if open := i.judge.Untrusted(i.providerWidenings(provider)); len(open) > 0 {
		return c, i.untrusted(open[0], "nobody trusted it")
	}
	if row, there := c.Providers[provider]; there {
		c.Providers = maps.Clone(c.Providers)
		row.Trusted = true
		c.Providers[provider] = row
	}
	return c, nil
}

// providerOf is the first half of a model's name.
func providerOf(name string) string {
	provider, _, _ := strings.Cut(name, ":")
	return provider
}
