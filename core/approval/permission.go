package approval

import (
	"slices"

	"golem/core/fault"
	"golem/core/tool"
)

// Permission is what a person lets all workers of a session do until the person says
// otherwise (SPEC §11). "" means that nothing was said: the mode decides. It is never kept: a
// conversation that is resumed begins without one. No file, model, tool or message sets it.
type Permission string

// The permissions. Each changes only what becomes of calls whose setting is ask, except that
// Plan also denies what is pre-approved.
const (
	AskFirst Permission = "ask"   // what asks is asked, also if the mode is approve_all
	Edits    Permission = "edits" // as AskFirst, but writes on mounts inside the project run
	Plan     Permission = "plan"  // reading runs; everything else is denied
)

// Permit sets the permission from now on, also for calls that wait for their turn to ask. It
// refuses Edits in mode auto_deny, because the person who started the session said that
// nothing is approved.
func (g *Gate) Permit(p Permission) error {
	switch {
	case p != AskFirst && p != Edits && p != Plan:
		return fault.New(fault.Usage, "%s is not a permission", fault.Quoted(string(p))).Hinting("ask, edits or plan")
	case p == Edits && g.mode == AutoDeny:
		return fault.New(fault.Usage, "the permission edits approves calls, and this session denies all that ask (approval mode auto_deny)").
			Hinting("start it without --deny-all")
	}
	g.permission.Store(string(p))
	return nil
}

// Permission returns the permission that was set last; "" if none was.
func (g *Gate) Permission() Permission {
	p, _ := g.permission.Load().(string)
	return Permission(p)
}

// planned is the reason of a denial under Plan.
const planned = "only reading runs, because the person set the permission plan"

// plan denies a call that does more than read, if the permission is Plan. It reports whether
// it did.
func (g *Gate) plan(c *pending, rec *Record) bool {
	if g.Permission() != Plan || c.reads() {
		return false
	}
	rec.Source, rec.Rule, rec.Run, rec.Reason = "mode", "permission plan", false, planned
	return true
}

// edits approves a call that asks, if the permission is Edits and the call only writes to
// files of the project. It reports whether it did.
func (g *Gate) edits(c *pending, v verdict, rec *Record) bool {
	if g.Permission() != Edits || v.untrusted || v.origin.By == Person || !c.edits() {
		return false
	}
	rec.Source, rec.Rule, rec.Run = "mode", "permission edits", true
	return true
}

// reads reports whether a call reads only. A call of a worker does, because each of its calls
// passes the gate, and so does one of a module without grants that stands in for a worker.
func (s subject) reads() bool {
	return s.risk == tool.Read || s.spec.Target != "" && s.spec.Confined
}

// edits reports whether all that a call does is to write files on mounts inside the project,
// at once and not staged. Only a preview can tell: it has every path that the call uses.
func (s subject) edits() bool {
	if !s.previewed || s.risk != tool.Write || s.spec.Kind == tool.Wasm || escapes(s.risk, s.spec) {
		return false
	}
	writes := false
	for _, use := range s.paths {
		switch {
		case use.Op == "read":
		case use.Op != "write" || use.Staged || use.Outside || use.Instructs || use.Mount == "":
			return false
		default:
			writes = true
		}
	}
	return writes
}

// instructs reports whether a call changes a file that workers are given as instructions.
// Such a call asks even if it is preApproved (SPEC §21).
func (s subject) instructs() bool {
	return slices.ContainsFunc(s.paths, func(use tool.PathUse) bool { return use.Op != "read" && use.Instructs })
}
