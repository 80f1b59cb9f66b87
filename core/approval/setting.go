package approval

import (
	"fmt"
	"slices"

	"golem/core/tool"
)

// subject is the tool, or the call of a tool, for which a setting is looked up.
type subject struct {
	spec  tool.Spec
	names []string // the tool's name, then its rule names
	risk  tool.Risk
	// args are nil when no call is known yet.
	args  *tool.Arguments
	paths []tool.PathUse
	// previewed says that paths has every path that the call uses. Without a
	// preview the paths are unknown, and what depends on them asks.
	previewed bool
	piece     *piece // the part of a command to match rules against; nil: the whole call
}

func newSubject(spec tool.Spec) subject {
	return subject{spec: spec, names: append([]string{spec.Name}, spec.Rules...), risk: ownRisk(spec)}
}

// verdict is a setting and where it comes from.
type verdict struct {
	setting Setting
	rule    string // for people
	origin  Origin
	matched *Rule // the rule that decided, if one did
	// untrusted says that it would be preApproved if a person had trusted it.
	untrusted bool
	// also has the verdicts of other rules that this one depends on: several
	// rules together can allow the parts of a command.
	also []verdict
}

// settingOf finds the setting of a call, in this order (SPEC §7):
//
//  1. blocked: person, worker, manifest, their defaults, mounts. Of a list of rules only
//     the first that matches counts, and the person's rules come before the person's
//     tools and default
//  2. the person's ask, and the person's preApproved for this very project
//  3. the manifest's rules, first match: they name tool and arguments
//  4. per-mount approvals, the strictest of the paths used
//  5. worker per-tool; worker toolset default; manifest per-tool; manifest default
//  6. the person's preApproved for all projects
//  7. the tool's own NeedsApproval
//  8. the risk default; delegation is preApproved
//
// Rules and mounts come before the per-tool settings because they are more
// specific: they are about this call, not about the tool.
func settingOf(p Policy, s subject) verdict {
	here, everywhere := p.Here.setting("your setting for this project", s), p.Everywhere.setting("your setting", s)
	if here.setting == Blocked {
		return here
	}
	if everywhere.setting == Blocked {
		return everywhere
	}
	v := settleFiles(p, s)
	switch {
	case v.setting == Blocked:
		return v
	case here.setting != "":
		return here
	case everywhere.setting == Ask:
		return everywhere
	case v.setting == PreApproved && everywhere.setting == PreApproved:
		return everywhere // it needs no trust
	case v.setting != "":
		return v
	case everywhere.setting != "":
		return everywhere
	}
	if v := ownSetting(s); v.setting != "" {
		return v
	}
	return riskSetting(s)
}

// setting returns what the person's config says about a call: its rules, then
// the tool, then the default.
func (p Personal) setting(what string, s subject) verdict {
	if v := ruleSetting(p.Rules, s); v.setting != "" {
		return v
	}
	for _, n := range s.names {
		if set := p.Tools[n].known(); set != "" {
			return configured(set, what+" for "+n, p.Origins["tool:"+n])
		}
	}
	return configured(p.Default.known(), what, p.Origins["default"])
}

// configured returns a verdict that a file or a person configured, with the place in
// its label.
func configured(set Setting, what string, o Origin) verdict {
	if o.At != "" {
		what += " (" + o.At + ")"
	}
	return verdict{setting: set, rule: what, origin: o}
}

// settleFiles returns what the worker and the manifest say, or an empty
// verdict.
func settleFiles(p Policy, s subject) verdict {
	configured := configuredSettings(p, s)
	for _, v := range configured {
		if v.setting == Blocked {
			return v
		}
	}
	mount := mountSetting(p, s)
	if mount.setting == Blocked {
		return mount
	}
	if v := ruleSetting(p.Rules, s); v.setting != "" {
		return v
	}
	if mount.setting != "" {
		return mount
	}
	for _, v := range configured {
		if v.setting != "" {
			return v
		}
	}
	return verdict{}
}

// configuredSettings returns the settings of the worker for the tool, of the
// worker for the toolset, of the manifest for the tool and the manifest's
// default, in this order. Each is looked up by the tool's name first and then
// by its rule names.
func configuredSettings(p Policy, s subject) []verdict {
	var out []verdict
	add := func(set Setting, key, what string) {
		out = append(out, configured(set.known(), what, p.Origins[key]))
	}
	for _, n := range s.names {
		add(p.WorkerTools[n], "worker.tool:"+n, "worker's setting for "+n)
	}
	if ts := s.spec.Toolset; ts != "" {
		add(p.WorkerDefaults[ts], "worker.toolset:"+ts, "worker's default for toolset "+ts)
	}
	for _, n := range s.names {
		add(p.ProjectTools[n], "project.tool:"+n, "project's setting for "+n)
	}
	add(p.ProjectDefault, "project.default", "project's default")
	return out
}

// ownSetting calls the tool's NeedsApproval; if that panics, the call asks.
func ownSetting(s subject) (v verdict) {
	if s.spec.NeedsApproval == nil {
		return verdict{}
	}
	defer func() {
		if recover() != nil {
			v = builtin(Ask, "the tool's own setting failed")
		}
	}()
	if s.spec.NeedsApproval(slices.Clone(s.args.JSON())) {
		return builtin(Ask, "the tool asks")
	}
	return builtin(PreApproved, "the tool needs no approval")
}

// builtin returns a verdict that comes from golem itself.
func builtin(set Setting, rule string) verdict {
	return verdict{setting: set, rule: rule, origin: Origin{By: Golem}}
}

func riskSetting(s subject) verdict {
	switch {
	case s.spec.Kind == tool.Worker, s.spec.Target != "" && s.spec.Confined:
		// A module without grants that replaces a worker can do no more
		// than the calls that a worker would make (S3-24).
		return builtin(PreApproved, "delegation to an allowed worker")
	case s.risk == tool.Read:
		return builtin(PreApproved, riskRule+"read")
	case s.risk == "":
		return builtin(Ask, riskRule+"unknown")
	}
	return builtin(Ask, riskRule+string(s.risk))
}

// mountSetting returns the strictest approval setting of the mounts that a call uses.
// preApproved counts only if it covers every path and the call has no effects outside the
// sandbox, because a mount's setting is about its files. A call without a preview is taken
// to do everything that its tool can do (Spec.Files). If that is not known either, the call
// asks if a mount has ask or blocked for an operation that a tool of this risk can do.
func mountSetting(p Policy, s subject) verdict {
	uses, unseen := s.paths, ""
	switch {
	case s.spec.Files != nil:
		uses, unseen = s.spec.Files, ", which it could do unseen"
	case !s.previewed:
		return unseenMounts(p.Mounts, s)
	}
	var out verdict
	covered := 0
	for _, use := range uses {
		set := mountOp(p.Mounts[use.Mount], use.Op)
		if set == "" {
			continue
		}
		covered++
		if out.setting == "" || strictness(set) > strictness(out.setting) {
			out = verdict{
				setting: set, rule: fmt.Sprintf("mount %s: %s%s", use.Mount, use.Op, unseen),
				origin: p.Origins["mount:"+use.Mount+":"+use.Op],
			}
		}
	}
	if out.setting == PreApproved && (covered < len(uses) || unseen != "" || escapes(s.risk, s.spec)) {
		return verdict{}
	}
	return out
}

func unseenMounts(mounts map[string]MountPolicy, s subject) verdict {
	if s.spec.Kind == tool.Worker {
		return verdict{} // the gate decides about each call of the child
	}
	names := make([]string, 0, len(mounts))
	for name := range mounts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for op, set := range mounts[name] {
			if op != "read" && s.risk == tool.Read {
				continue
			}
			if set := set.known(); set == Ask || set == Blocked {
				return builtin(Ask, fmt.Sprintf("mount %s has approvals and the tool's paths are unknown", name))
			}
		}
	}
	return verdict{}
}

// mountOp returns the setting of one operation; for an unknown operation, the
// strictest of the mount.
func mountOp(m MountPolicy, op string) Setting {
	switch op {
	case "read", "write", "delete":
		return m[op].known()
	}
	var out Setting
	for _, set := range m {
		if set := set.known(); strictness(set) > strictness(out) {
			out = set
		}
	}
	return out
}

func strictness(s Setting) int {
	switch s {
	case "":
		return 0
	case PreApproved:
		return 1
	case Ask:
		return 2
	}
	return 3
}
