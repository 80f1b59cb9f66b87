package main

import (
	"golem/core"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/textdiff"
)

// lockAsked has the parameters of lockLibraries.
type lockAsked struct {
	Project string `json:"project"`
	Look    bool   `json:"look"`
	Agreed  string `json:"agreed"`
}

// lockLibraries does what golem lib lock does: it writes golem.lock and returns the change
// as a unified diff, "" if nothing changes. With look it writes nothing. agreed is the diff
// that a person accepted: if the diff is another one now, it fails with E_CONFLICT.
func lockLibraries(c *call, n lockAsked) (any, []byte, error) {
	release, err := c.lockProject(n.Project)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	o, err := instance(c, func(to *core.Options) { to.NoLock = true })
	if err != nil {
		return nil, nil, err
	}
	p := o.inst.Project()
	modules, err := p.AllModules()
	if err != nil {
		return nil, nil, err
	}
	lock, err := p.Modules.NewLock(modules)
	if err != nil {
		return nil, nil, err
	}
	old, err := sandbox.ReadFile(o.fsys, config.LockFile, config.MaxLock)
	if err != nil && len(lock.Libraries)+len(lock.Modules) == 0 {
		return nil, nil, fault.New(fault.NotFound, "the project uses no library and no tool module: there is nothing to pin")
	}
	data, err := lock.Encode()
	patch := textdiff.Unified(config.LockFile, config.LockFile, string(old), string(data))
	if n.Agreed != "" && n.Agreed != patch {
		return nil, nil, fault.New(fault.Conflict, "libraries or modules have changed since you looked at what changes in golem.lock").Hinting("look again")
	}
	if err == nil && patch != "" && !n.Look {
		err = o.fsys.WriteFile(config.LockFile, data)
	}
	return map[string]any{"patch": patch}, nil, err
}
