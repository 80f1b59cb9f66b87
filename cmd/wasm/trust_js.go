package main

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"golem/core/config"
	"golem/core/consent"
	"golem/core/fault"
	"golem/core/trust"
	"golem/sandbox/opfs"
)

// trustFile is one of the person's files about a project: what was trusted, or rules.
type trustFile struct {
	root *opfs.FS
	name string
}

var _ consent.File = trustFile{}

// trustFiles returns the file that says what the person trusted of a project, and the file of the
// approval rules that the person kept for it.
func (s *stores) trustFiles(project string) (trusted, rules consent.File, err error) {
	root, dir, err := s.personDirectory(project)
	if err != nil {
		return nil, nil, err
	}
	return trustFile{root, path.Join(dir, trustName)}, trustFile{root, path.Join(dir, rulesName)}, nil
}

// rulesAsked has the parameters of keptRules.
type rulesAsked struct {
	Project string `json:"project"`
	Remove  int    `json:"remove"`
	YAML    string `json:"yaml"`
}

// keptRules returns the approval rules as golem approvals list prints them. With remove it
// first removes the rule of that number.
func keptRules(c *call, p rulesAsked) (any, []byte, error) {
	if _, err := c.server.stores.project(p.Project); err != nil {
		return nil, nil, err
	}
	_, file, err := c.server.stores.trustFiles(p.Project)
	if err != nil {
		return nil, nil, err
	}
	kept := consent.Rules{File: file, Key: "/" + p.Project}
	if p.Remove > 0 {
		err = kept.Remove(p.Remove, p.YAML)
	}
	if err != nil {
		return nil, nil, err
	}
	rules, err := kept.List()
	out := []string{}
	for _, r := range rules {
		out = append(out, r.YAML())
	}
	return out, nil, err
}

// Read returns the file's content, and nil if the file does not exist.
func (t trustFile) Read() ([]byte, error) {
	data, err := fs.ReadFile(t.root, t.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Change replaces the file's content by what change returns for it. Changes in all tabs are
// made one after the other.
func (t trustFile) Change(change func([]byte) ([]byte, error)) error {
	release, err := waitLock(context.Background(), t.root, t.name)
	if err != nil {
		return err
	}
	defer release()
	old, err := t.Read()
	if err != nil {
		return err
	}
	data, err := change(old)
	if err != nil {
		return err
	}
	return t.root.WriteFile(t.name, data)
}

// widened is one widening of a project, as the page lists it.
type widened struct {
	trust.Widening
	Trusted bool `json:"trusted"`
}

// showTrust does what golem trust --list does, and with remove what --remove does.
func showTrust(c *call, o opened) (any, []byte, error) {
	var p struct {
		Remove bool `json:"remove"`
	}
	if err := c.decode(&p); err != nil {
		return nil, nil, err
	}
	if p.Remove {
		had, err := o.inst.Consent().Distrust()
		return map[string]any{"removed": had}, nil, err
	}
	list := o.inst.Consent().Widenings(c.ctx)
	out := []widened{}
	for _, w := range list.ByDanger() {
		out = append(out, widened{w, o.inst.Consent().Trusted(w)})
	}
	return map[string]any{"digest": list.Digest(), "widenings": out}, nil, nil
}

// configAsked has the parameters of checkConfig.
type configAsked struct {
	Config string `json:"config"`
}

// checkConfig returns the faults of a person's config.yaml.
func checkConfig(c *call, p configAsked) (any, []byte, error) {
	faults := fault.List{}
	if _, err := config.ReadPerson("config.yaml", []byte(p.Config), "/", ""); err != nil {
		var list fault.List
		if !errors.As(err, &list) {
			list = fault.List{fault.Of(err, fault.Config)}
		}
		faults = list
	}
	return faults, nil, nil
}
