package run

import (
	"context"

	"golem/core/tool"
)

// ready prepares the tool, and waits for what its calls share, such as the memory of
// modules. Both count against no time limit of the call, which has no place in the
// schedule yet: what it waits for can go on.
func (c *activeCall) ready(ctx context.Context, tl tool.Tool) (leave func(), err error) {
	if p, ok := tl.(tool.Preparer); ok {
		if err := p.Prepare(ctx); err != nil {
			return nil, err
		}
	}
	if a, ok := tl.(tool.Admitter); ok {
		return a.Admit(ctx, c.req.id)
	}
	return func() {}, nil
}
