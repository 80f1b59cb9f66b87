package run

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/money"
)

// In a tree of workers, the costs of the workers' own requests add up exactly to the
// cost of the root. A worker may not make a request once it, with all below it, or a
// worker above it has reached its limit.
func TestCostsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l ledger
		var all []*budget
		for i := range rapid.IntRange(1, 8).Draw(t, "workers") {
			b := &budget{worker: fmt.Sprint(i), ledger: &l, limits: config.Limits{Cost: money.USD(rapid.Int64Range(0, 100).Draw(t, "limit"))}}
			if i > 0 {
				b.parent = all[rapid.IntRange(0, i-1).Draw(t, "parent")]
			}
			all = append(all, b)
		}
		for range rapid.IntRange(0, 20).Draw(t, "answers") {
			b := all[rapid.IntRange(0, len(all)-1).Draw(t, "worker")]
			reached := false
			for n := b; n != nil; n = n.parent {
				reached = reached || n.limits.Cost > 0 && n.usage.Cost >= n.limits.Cost
			}
			if _, err := b.bookTurn(prospect{model: "m"}); reached != errors.Is(err, fault.Budget) {
				t.Fatalf("a limit was reached: %v, but %v", reached, err)
			}
			b.spend(model.Turn{Usage: model.Usage{In: 1, Cost: money.USD(rapid.Int64Range(0, 50).Draw(t, "cost"))}})
		}
		var sum model.Usage
		for _, b := range all {
			sum = sum.Add(b.spentAlone())
		}
		if got := all[0].spent(); got != sum {
			t.Fatalf("the root spent %+v, its parts %+v", got, sum)
		}
	})
}

// A model without a known price may not be used by a worker with a limit on cost, nor
// below one. Other models may: the caller can continue with its own.
func TestAPriceThatIsNotKnown(t *testing.T) {
	for _, c := range []struct {
		name          string
		limits        config.Limits // of the root
		price         model.Usage
		child, caller bool // E_BUDGET
	}{
		{"no limit", config.Limits{}, model.Usage{Unpriced: true}, false, false},
		{"a limit", config.Limits{Cost: 9}, model.Usage{Unpriced: true}, true, false},
		{"the project's limit and price", config.Limits{Cost: 9}, model.Usage{Suggested: true}, false, false},
		{"the person's limit", config.Limits{Cost: 9, OwnCost: 20}, model.Usage{Suggested: true}, true, false},
	} {
		var l ledger
		root := &budget{worker: "root", ledger: &l, limits: c.limits}
		child := &budget{worker: "child", ledger: &l, parent: root}
		_, err := child.bookTurn(prospect{"m", c.price})
		_, above := root.bookTurn(prospect{model: "priced"})
		if errors.Is(err, fault.Budget) != c.child || errors.Is(above, fault.Budget) != c.caller {
			t.Errorf("%s: the child: %v, its caller: %v", c.name, err, above)
		}
		// If the model was used nevertheless, as after a change of models, the limit
		// forbids further requests.
		child.spend(model.Turn{Model: "m", Usage: c.price})
		if _, err := root.bookTurn(prospect{model: "priced"}); errors.Is(err, fault.Budget) != c.child {
			t.Errorf("%s, once used: %v", c.name, err)
		}
	}
}
