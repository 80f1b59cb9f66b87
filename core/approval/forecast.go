package approval

import (
	"slices"

	"golem/core/tool"
)

// Outcome is what happens to calls of a tool.
type Outcome string

// The outcomes that a gate can predict.
const (
	Runs    Outcome = "runs"
	Asks    Outcome = "asks"
	Refused Outcome = "refused"
)

// Forecast says what happens to calls of a tool, as far as that is known without a call.
// It does not include the settings of mounts, which depend on the paths of a call.
type Forecast struct {
	Outcome Outcome
	Setting Setting
	Rule    string // which setting decides, for people
	// Unless are the rules with conditions on arguments. If one matches a call, it decides
	// in place of Setting. A rule that no person has trusted asks, and its Origin says so.
	Unless []Rule
	// AsksOnceTainted says that calls ask, although they are preApproved, once
	// the run has read untrusted content (Gate.TaintAsk).
	AsksOnceTainted bool
}

// Forecast returns what this gate would decide about calls of a tool that a
// model makes. It asks nobody.
func (g *Gate) Forecast(spec tool.Spec, p Policy) Forecast {
	f := Forecast{Outcome: Refused}
	if !forModels(spec.Exec) {
		f.Setting, f.Rule = Blocked, "exec: manual"
		return f
	}
	f.Setting, f.Rule = g.Setting(spec, p)
	switch f.Setting {
	case PreApproved:
		f.Outcome = Runs
		f.AsksOnceTainted = g.TaintAsk && escapes(ownRisk(spec), spec)
	case Ask:
		run, settled := g.byMode(ownRisk(spec), spec)
		switch {
		case !settled:
			f.Outcome = Asks
		case run:
			f.Outcome = Runs
		}
	}
	s := newSubject(spec)
	for _, rules := range [][]Rule{p.Here.Rules, p.Everywhere.Rules, p.Rules} {
		for _, r := range rules {
			if len(r.When) > 0 && slices.Contains(s.names, r.Tool) {
				if !g.Believes(spec, p, r.Decide, r.Origin, &r) {
					r.Decide, r.Origin.At = Ask, r.Origin.At+notTrusted
				}
				f.Unless = append(f.Unless, r)
			}
		}
	}
	return f
}

// Believes reports whether a setting of a rule or a mount holds as it is written. It does not
// if it is a preApproved that needs a person's trust and has none; then calls of the tool
// ask. r is the rule, or nil for a mount.
func (g *Gate) Believes(spec tool.Spec, p Policy, set Setting, o Origin, r *Rule) bool {
	v := verdict{setting: set.known(), origin: o, matched: r}
	return g.believe(v, p.Reach, newSubject(spec)).setting == v.setting
}

// byMode returns what the mode decides about a call that would ask; settled is false
// if a person must be asked.
func (g *Gate) byMode(risk tool.Risk, spec tool.Spec) (run, settled bool) {
	switch {
	case g.mode == AutoDeny:
		return false, true
	case g.mode == ApproveAll && g.Permission() == "" && !(g.SandboxOnly && escapes(risk, spec)):
		return true, true
	}
	return false, false
}
