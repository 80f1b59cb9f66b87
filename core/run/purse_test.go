package run

import (
	"context"
	"errors"
	"testing"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/money"
	"golem/core/trace"
)

// kitty is a Purse that notes what it pays.
type kitty struct {
	cost           money.USD
	none           error // of Reserve and Check
	reserved, used trace.Usage
}

func (k *kitty) Limit() (int, money.USD) { return 0, k.cost }

func (k *kitty) Check(trace.Usage) error { return k.none }

func (k *kitty) Reserve(_ context.Context, most trace.Usage) (func(trace.Usage), error) {
	if k.none != nil {
		return nil, k.none
	}
	k.reserved = k.reserved.Plus(most)
	return func(used trace.Usage) { k.used = k.used.Plus(used) }, nil
}

// below returns the payer of a run that an account pays for.
func below(a *Account) *payer {
	return &payer{in: 7, budget: &budget{worker: "w", parent: &a.budget, ledger: &a.ledger, limits: config.Limits{Turns: 9}}}
}

// An attempt is reserved from the purse before it is made, and settled with what it used. One
// that is interrupted counts as much as was reserved, one that failed nothing.
func TestPurseIsAskedFirst(t *testing.T) {
	m := free{}
	for name, c := range map[string]struct {
		turn  model.Turn
		ended bool
		used  int
	}{
		"an answer":      {model.Turn{Model: "m", Usage: model.Usage{In: 5, Out: 3}}, false, 8},
		"a failure":      {model.Turn{}, false, 0},
		"an interrupted": {model.Turn{}, true, 1007},
	} {
		k := &kitty{}
		p := below(AccountOf("the batch", k))
		ctx, stop := context.WithCancel(t.Context())
		bill, err := p.Reserve(ctx, m, model.Request{})
		if err != nil || k.reserved.In != 7 || k.reserved.Out != 1000 {
			t.Fatalf("%s: %v, reserved %+v", name, err, k.reserved)
		}
		if c.ended {
			stop()
		}
		bill(c.turn)
		bill(c.turn)
		if k.used.In+k.used.Out != c.used {
			t.Errorf("%s used %+v", name, k.used)
		}
		stop()
	}
}

// Too little in the purse is E_BUDGET, which the account remembers, and gives back what was
// reserved in the budgets of this process. A server that does not answer is no refusal.
func TestPurseRefuses(t *testing.T) {
	for code, refused := range map[fault.Code]bool{fault.Budget: true, fault.Network: false} {
		k := &kitty{none: fault.New(code, "no")}
		a := AccountOf("the batch", k)
		p := below(a)
		if _, err := p.Reserve(t.Context(), free{}, model.Request{}); !errors.Is(err, code) || a.Refused() != refused {
			t.Errorf("%s: %v, refused %v", code, err, a.Refused())
		}
		if p.budget.reserved != (model.Usage{}) || a.budget.reserved != (model.Usage{}) {
			t.Errorf("%s: still reserved %+v", code, p.budget.reserved)
		}
	}
	k := &kitty{none: fault.New(fault.Budget, "no")}
	if err := below(AccountOf("the batch", k)).Check(free{}, model.Request{}); !errors.Is(err, fault.Budget) {
		t.Errorf("%v", err)
	}
}

// free is a model that bills nothing.
type free struct{ model.Model }

func (free) Name() string { return "free" }
