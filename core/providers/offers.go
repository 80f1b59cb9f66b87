package providers

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
func (t *Table) Offers(ctx context.Context, provider string) ([]model.Offer, error) {
	if !slices.Contains(t.Names(), provider) {
		return nil, t.unknownProvider(provider)
	}
	c, err := t.reaching(provider, t.models)
	if err != nil {
		return nil, err
	}
	offers, err := model.List(ctx, provider, c)
	if err != nil {
		f := *fault.Of(err, fault.Model)
		f.Message = t.source.Redact.Redact(f.Message)
		return nil, &f
	}
	return offers, nil
}

// Names returns the names of all providers, including those of the person
// and of the project.
func (t *Table) Names() []string {
	var names []string
	for _, r := range model.Rows() {
		names = append(names, r.Name)
	}
	names = append(names, slices.Collect(maps.Keys(t.source.Config.Providers()))...)
	names = append(names, slices.Collect(maps.Keys(t.source.Project.Manifest.Providers))...)
	slices.Sort(names)
	return slices.Compact(names)
}

// Beginnings returns what the name of a model can begin with: the providers of Names,
// script and replay, and what a page lends.
func (t *Table) Beginnings() []string {
	return slices.Concat(t.Names(), []string{"script", "replay"}, model.Lenders())
}

// KeyVariables returns the environment variables that can have a provider's key, the usual
// one first; none if it needs no key. It fails for a provider that is not known.
func (t *Table) KeyVariables(provider string) (names []string, err error) {
	if !slices.Contains(t.Names(), provider) {
		return nil, t.unknownProvider(provider)
	}
	for _, r := range model.Rows() {
		if r.Name == provider && !r.NoKey {
			names = r.Keys()
		}
	}
	if row, there := t.models.Providers[provider]; there && row.KeyVar != "" {
		names = []string{row.KeyVar}
	}
	return names, nil
}

// Keyed returns the providers that can be used now: those whose key is set and those
// that need none. local is true for the ones whose key is not set.
func (t *Table) Keyed() (names []string, local map[string]bool) {
	local = map[string]bool{}
	for _, name := range t.Names() {
		switch keyed, free := t.models.Keyed(name); {
		case keyed:
			names = append(names, name)
		case free:
			names, local[name] = append(names, name), true
		}
	}
	return names, local
}

func (t *Table) unknownProvider(name string, others ...string) error {
	return fault.New(fault.Model, "there is no provider %q", name).Hinting("%s", fault.DidYouMean(name, append(t.Names(), others...)))
}

// reaching returns c with the provider's row marked as trusted, or E_TRUST if no person
// trusted it.
func (t *Table) reaching(provider string, c model.Config) (model.Config, error) {
	if err := t.source.Trust.Provider(provider); err != nil {
		return c, err
	}
	if row, there := c.Providers[provider]; there {
		c.Providers = maps.Clone(c.Providers)
		row.Trusted = true
		c.Providers[provider] = row
	}
	return c, nil
}

// providerOf returns the first half of a model's name.
func providerOf(name string) string {
	provider, _, _ := strings.Cut(name, ":")
	return provider
}
