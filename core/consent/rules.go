package consent

import (
	"golem/core/approval"
	"golem/core/config"
	"golem/core/fault"
)

// Rules is the list of approval rules that a person keeps for one project, in their own
// configuration (scenario 59). If File is nil, the list is empty and cannot be changed.
type Rules struct {
	File File
	Key  string // of the project under projects:, as for project.ReadConfig
	Home string // replaces ~ in the file
}

// List returns the rules in the order of the file.
func (r Rules) List() ([]approval.Rule, error) {
	if r.File == nil {
		return nil, nil
	}
	data, err := r.File.Read()
	if err != nil {
		return nil, err
	}
	return r.rulesIn(data)
}

func (r Rules) rulesIn(data []byte) ([]approval.Rule, error) {
	config, err := config.ReadPerson("config.yaml", data, r.Key, r.Home)
	return config.Rules(), err
}

// Add saves one more rule, after the others.
func (r Rules) Add(rule approval.Rule) error {
	return r.change(func(data []byte) ([]byte, error) { return config.AddRule(data, r.Key, r.Home, rule) })
}

// Remove deletes rule n of List; the first one is 1. yaml is Rule.YAML of the rule that
// the person chose: if rule n is another one now, nothing is removed (E_CONFLICT).
func (r Rules) Remove(n int, yaml string) error {
	return r.change(func(data []byte) ([]byte, error) {
		rules, err := r.rulesIn(data)
		if err != nil {
			return nil, err
		}
		if n < 1 || n > len(rules) || rules[n-1].YAML() != yaml {
			return nil, fault.New(fault.Conflict, "the rules changed meanwhile, so nothing was removed").Hinting("list them again")
		}
		return config.RemoveRule(data, r.Key, r.Home, n)
	})
}

func (r Rules) change(change func([]byte) ([]byte, error)) error {
	if r.File == nil {
		return fault.New(fault.Platform, "there is no place to keep rules").Hinting("set GOLEM_HOME to a directory that you can write to")
	}
	return r.File.Change(change)
}
