package main

import (
	"encoding/json"

	"golem/core"
	"golem/core/fault"
	"golem/core/tool"
)

// exposed is a worker that the page may offer to another program as a tool.
type exposed struct {
	Name        string          `json:"name"`            // of the tool
	Worker      string          `json:"worker"`          // its ID
	Entry       string          `json:"entry,omitempty"` // the option entry of its runs
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input,omitempty"` // the schema of its input, if it has one
	EmptyInput  bool            `json:"emptyInput,omitempty"`
}

// listOffers returns the workers that the project exports, or its entry.
func listOffers(c *call, o opened) (any, []byte, error) {
	exports := o.inst.Project().Manifest.Exports
	if exports == nil || o.Entry != "" {
		exports = []string{o.Entry}
	}
	if len(exports) == 0 {
		return nil, nil, fault.New(fault.Config, "exports: is empty, so there is nothing to offer").Hinting("name workers in exports:, or remove it to offer the entry")
	}
	var out []exposed
	var ids []string
	for _, ref := range exports {
		each, err := instance(c, func(to *core.Options) { to.Entry = ref })
		if err != nil {
			return nil, nil, err
		}
		one, err := exposedOf(c, each.inst, ref)
		if err != nil {
			return nil, nil, err
		}
		out, ids = append(out, one), append(ids, one.Name)
	}
	for i, name := range tool.ToolNames(ids) {
		out[i].Name = name
	}
	return out, nil, nil
}

// exposedOf returns the entry of an instance, a worker or a tool, as a page may offer it.
func exposedOf(c *call, inst *core.Instance, ref string) (exposed, error) {
	entry, err := inst.Entry()
	if err != nil {
		return exposed{}, err
	}
	out := exposed{Name: entry.ID, Worker: entry.ID, Entry: ref, Description: entry.Description, Input: entry.Input, EmptyInput: entry.AllowEmptyInput}
	if entry.Tool != "" {
		spec, err := inst.EntryTool(c.ctx)
		if err != nil {
			return out, err
		}
		out.Name, out.Description, out.Input = spec.Name, spec.Description, spec.Input
	}
	return out, nil
}
