package project

import (
	"time"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/money"
)

// What the files of a project may ask for at most, where the person's configuration has
// no ceiling of its own: both multiply what one answer of a model can cost.
const (
	mostAttempts = 5  // retry.attempts
	mostParallel = 32 // delegation.parallel
)

// ceilings lowers what the project's files ask for to what the person allows.
func (b *built) ceilings() {
	b.limitCeilings()
	b.countCeiling("retry", "attempts", &b.w.Retry.Attempts, mostAttempts)
	b.countCeiling("delegation", "parallel", &b.w.Delegation.Parallel, mostParallel)
}

// countCeiling lowers a number that the project's files say to the person's, or to usual
// where the person says none. golem check warns of the latter.
func (b *built) countCeiling(group, key string, value *int, usual int) {
	path := group + "." + key
	if n := b.ws.setup.Person.Get(group, key); n != nil {
		if most := n.Count(usual); *value > most {
			*value = most
			b.w.Origins[path] = n.Pos.String() + ", a ceiling"
		}
		return
	}
	if n := b.eff.Path(group, key); *value > usual {
		b.add(fault.Warn(fault.Config, "%s: %d counts as %d, the most that a project may ask for by itself", path, *value, usual).
			At(n.Pos.File, n.Pos.Line, n.Pos.Column).Hinting("if you want more, write %s: {%s: %d} into your own config.yaml", group, key, *value))
		*value = usual
		b.w.Origins[path] = "golem's ceiling"
	}
}

// limitCeilings lowers the limits of the project's files to those of the person's
// configuration. Limits of the command line stay as they are. 0 means no limit, so any
// other limit is lower.
func (b *built) limitCeilings() {
	l := &b.w.Limits
	if b.ws.given.Path("limits", "cost") != nil {
		l.OwnCost = l.Cost
	}
	n := b.ws.setup.Person.Get("limits")
	if n == nil {
		return
	}
	most := config.ReadLimits(n)
	if b.ws.given.Path("limits", "cost") == nil {
		l.OwnCost = most.Cost
	}
	for _, c := range []struct {
		key    string
		lower  bool
		assign func()
	}{
		{"turns", isLower(most.Turns, l.Turns), func() { l.Turns = most.Turns }},
		{"tokens", isLower(most.Tokens, l.Tokens), func() { l.Tokens = most.Tokens }},
		{"cost", isLower(most.Cost, l.Cost), func() { l.Cost = most.Cost }},
		{"tool_output", isLower(most.ToolOutput, l.ToolOutput), func() { l.ToolOutput = most.ToolOutput }},
		{"tool_timeout", isLower(most.ToolTimeout, l.ToolTimeout), func() { l.ToolTimeout = most.ToolTimeout }},
		{"worker_timeout", isLower(most.WorkerTimeout, l.WorkerTimeout), func() { l.WorkerTimeout = most.WorkerTimeout }},
		{"model_timeout", isLower(most.ModelTimeout, l.ModelTimeout), func() { l.ModelTimeout = most.ModelTimeout }},
	} {
		if where := n.Get(c.key); where != nil && c.lower && b.ws.given.Path("limits", c.key) == nil {
			c.assign()
			b.w.Origins["limits."+c.key] = where.Pos.String() + ", a ceiling"
		}
	}
}

// isLower reports whether a ceiling is lower than a limit, where 0 means no limit.
func isLower[T int | int64 | time.Duration | money.USD](ceiling, limit T) bool {
	return ceiling > 0 && (limit == 0 || ceiling < limit)
}
