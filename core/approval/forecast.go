package approval

import (
	"slices"

	"golem/core/tool"
)

// Outcome is what becomes of calls of a tool.
type Outcome string

// The outcomes that a gate can foretell.
const (
	Runs    Outcome = "runs"
	Asks    Outcome = "asks"
	Refused Outcome = "refused"
)

// Forecast tells what becomes of calls of a tool, as far as it is known before
// there is a call. The settings of mounts are not in it: they depend on the
// path of the call.
type Forecast struct {
	Outcome Outcome
	Setting Setting
	Rule    string // which setting decides, for people
	// Unless are rules with conditions on arguments, which decide before Setting where
	// they match. One that nobody trusted asks, and its Origin says so.
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

// Believes reports whether a setting, in a rule or for a mount, holds as it is written.
// If not, calls of the tool ask.
func (g *Gate) Believes(spec tool.Spec, p Policy, set Setting, o Origin, r *Rule) bool {
	v := verdict{setting: set.known(), origin: o, matched: r}
	return g.believe(v, p.Reach, newSubject(spec)).setting == v.setting
}

// byMode is what the mode decides about a call that would ask; settled is false
// if a person has to be asked.
func (g *Gate) byMode(risk tool.Risk, spec tool.Spec) (run, settled bool) {
	switch {
	case g.mode == AutoDeny:
		return false, true
	case g.mode == ApproveAll && !(g.SandboxOnly && escapes(risk, spec)):
		return true, true
	}
	return false, false
}
