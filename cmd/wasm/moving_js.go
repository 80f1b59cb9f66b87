package main

import (
	"golem/core"
	"golem/core/fault"
)

// moveConversation returns a conversation as a file that can be imported elsewhere, as golem
// conversations export -o.
func moveConversation(c *call, n named) (any, []byte, error) {
	o, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	data, err := core.ExportConversation(o.inst, n.Name)
	return nil, data, err
}

// imported is the reply of importConversation.
type imported struct {
	*core.ImportPlan
	ID string `json:"id,omitempty"` // of the conversation that was imported
}

// importAsked has the parameters of importConversation.
type importAsked struct {
	Agreed string `json:"agreed"`
}

// importConversation says what importing a file would do. With agreed, the digest of such a
// reply, it does it, as golem conversations import; if something else would be done now, it
// fails with E_CONFLICT.
func importConversation(c *call, n importAsked, data []byte) (any, []byte, error) {
	o, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	plan, err := core.PlanImport(o.inst, data)
	if err != nil || n.Agreed == "" {
		return imported{ImportPlan: plan}, nil, err
	}
	if n.Agreed != plan.Digest {
		return nil, nil, fault.New(fault.Conflict, "what the import would do has changed since it was shown").Hinting("look at it again")
	}
	release, err := c.server.stores.hold(o.fsys)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	id, err := plan.Import(c.ctx)
	return imported{plan, id}, nil, err
}
