package project

import (
	"golem/core/approval"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// Approval is the approval mode of the session.
type Approval struct {
	Mode   approval.Mode
	Origin string // "command line", "environment GOLEM_APPROVAL", "project.yaml:4" or "default"
	// Trusted is false if the manifest sets the mode: such a mode allows less than the same
	// mode set by a person (SPEC §3).
	Trusted bool
	// TaintAsk is true if the manifest or the person's configuration sets approval.taint to
	// ask, see approval.Gate.TaintAsk.
	TaintAsk bool
}

// settleApproval applies the precedence of SPEC §3 to the approval mode; manifest has the
// keys of the project file. The mode that a person set for this very project counts before
// the project's own.
func settleApproval(o Setup, manifest *yamltree.Node) (Approval, fault.List) {
	var faults fault.List
	out := Approval{Mode: approval.Interactive, Origin: "default", Trusted: true}
	out.TaintAsk = manifest.Path("approval", "taint") != nil || o.Person.Get("approval", "taint") != nil || o.Person.Here("approval", "taint") != nil
	set := func(n *yamltree.Node, trusted bool) {
		if n == nil {
			return
		}
		if mode, err := config.ParseMode(n.Text); err == nil {
			out.Mode, out.Origin, out.Trusted = mode, n.Pos.String(), trusted
		}
	}
	set(o.Person.Get("approval", "mode"), true)
	set(manifest.Path("approval", "mode"), false)
	set(o.Person.Here("approval", "mode"), true)
	if value, variable := config.Variable(o.Env, "APPROVAL"); value != "" {
		mode, err := config.ParseMode(value)
		if err != nil {
			faults = append(faults, fault.New(fault.Config, "environment %s: %s", variable, err.Message))
		}
		out.Mode, out.Origin, out.Trusted = mode, "environment "+variable, true
	}
	if value := o.Options.Approval; value != "" {
		mode, err := config.ParseMode(value)
		if err != nil {
			faults = append(faults, fault.New(fault.Usage, "--approval: %s", err.Message))
		}
		out.Mode, out.Origin, out.Trusted = mode, config.CommandLine, true
	}
	if d := o.Options.MaxDepth; d != nil && (*d < 0 || *d > 100) {
		faults = append(faults, fault.New(fault.Usage, "--max-depth %d: must be between 0 and 100", *d))
	}
	return out, faults
}
