package main

import (
	"sync"

	"golem/core/fault"
)

// drafts has the newest draft of each project, until a person applies it: code of golem harden,
// or cases of tests.
type drafts struct {
	mu     sync.Mutex
	newest map[string]draft
}

// draft is something that a person was shown, with the digest under which they accept it.
type draft struct {
	name string
	what any
}

// keep keeps a draft as the newest of a project.
func (d *drafts) keep(project, name string, what any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.newest == nil {
		d.newest = map[string]draft{}
	}
	d.newest[project] = draft{name, what}
}

// shown returns the newest draft of a project, if it is the one that the person saw.
func (d *drafts) shown(project, seen string) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if newest, ok := d.newest[project]; ok && newest.name == seen {
		return newest.what, nil
	}
	return nil, fault.New(fault.Conflict, "this draft is not the newest, or the page was reloaded since").Hinting("make it again, and look again")
}
