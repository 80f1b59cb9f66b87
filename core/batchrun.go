package core

import (
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/money"
	"golem/core/options"
	"golem/core/run"
)

// BatchAccount returns the account of a batch with the limits cost and tokens, which are those of
// the whole batch, and removes them from limits: the others are those of each item. priced says
// that there is a limit on cost.
func BatchAccount(name string, limits options.Limits) (a *run.Account, priced bool, err error) {
	var tokens int
	var cost money.USD
	for limit, text := range limits {
		var err error
		switch limit {
		case "cost":
			cost, err = money.Parse(text, costDecimals)
		case "tokens":
			tokens, err = strconv.Atoi(strings.ReplaceAll(text, "_", ""))
		default:
			continue
		}
		if err != nil || tokens < 0 {
			return nil, false, fault.New(fault.Usage, "--limit %s=%s is not a limit of the batch", limit, text).Hinting("for example --limit cost=5 (US dollars) or --limit tokens=1000000")
		}
	}
	delete(limits, "cost")
	delete(limits, "tokens")
	return run.NewAccount("the batch "+name, tokens, cost), cost > 0, nil
}

// costDecimals is how exact a limit on cost may be.
const costDecimals = 12
