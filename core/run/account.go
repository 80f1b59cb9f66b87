package run

import (
	"golem/core/config"
	"golem/core/model"
	"golem/core/money"
)

// Account is what the runs of a batch spend together, and the limit on it (SPEC §19). Each run
// reserves from it before a request and books into it afterwards, as a child does with its
// caller's budget. It is safe for concurrent use.
type Account struct {
	budget budget
	ledger ledger
}

// NewAccount returns an account with limits on tokens and cost, which a person chose; 0: no
// limit. name stands for it in messages.
func NewAccount(name string, tokens int, cost money.USD) *Account {
	a := &Account{}
	a.budget = budget{worker: name, limits: config.Limits{Tokens: tokens, Cost: cost, OwnCost: cost}, ledger: &a.ledger, shared: true}
	return a
}

// Book counts what was spent before.
func (a *Account) Book(u model.Usage) {
	a.ledger.mu.Lock()
	defer a.ledger.mu.Unlock()
	a.budget.usage = a.budget.usage.Add(u)
}

// Refused reports whether the account had too little for a request.
func (a *Account) Refused() bool {
	a.ledger.mu.Lock()
	defer a.ledger.mu.Unlock()
	return a.budget.refused
}

// Limits returns the limits; 0: there is none.
func (a *Account) Limits() (tokens int, cost money.USD) {
	return a.budget.limits.Tokens, a.budget.limits.Cost
}

// Spent returns what was spent.
func (a *Account) Spent() model.Usage { return a.budget.spent() }

// Accounted are Models whose requests an Account pays for.
type Accounted interface {
	Models
	Account() *Account
}

// accountOf returns the account of models; nil: they have none.
func accountOf(m Models) *Account {
	if a, ok := m.(Accounted); ok {
		return a.Account()
	}
	return nil
}

// patientAttempts is how often a request of a batch is made at least: nobody waits for one item,
// and a provider that answers "too many requests" for a minute must fail none.
const patientAttempts = 10

// attempts returns how often a request is made.
func (m *models) attempts(of config.Retry) int {
	if accountOf(m.models) != nil {
		return max(of.Attempts, patientAttempts)
	}
	return of.Attempts
}
