package core

import (
	"context"

	"golem/core/model"
)

// Offers returns the models of a provider, by name. What the project's files
// say about the provider counts only if a person trusted it.
func (i *Instance) Offers(ctx context.Context, provider string) ([]model.Offer, error) {
	return i.models.Offers(ctx, provider)
}

// Keyed returns the providers that can be used now: those whose key is set and
// those that need none. local is true for the latter.
func (i *Instance) Keyed() (names []string, local map[string]bool) { return i.models.Keyed() }
