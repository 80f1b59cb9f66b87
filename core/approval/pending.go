package approval

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"golem/core/fault"
	"golem/core/tool"
)

// pending is a decoded call, ready to run. What a person is shown, what is
// remembered and what runs is this one value (SPEC §7).
type pending struct {
	subject
	item Item
	diff string
	same bool // the file already has the content that the call would write
	key  key  // identifies the exact call
	kind key  // identifies the tool, whatever the arguments
}

// prepare previews a decoded call and fixes its canonical arguments. On an
// error it also returns what is known of the call, so that the setting can
// still be found.
func prepare(ctx context.Context, it Item, spec tool.Spec, args *tool.Arguments) (*pending, error) {
	c := &pending{subject: newSubject(spec), item: it}
	c.args = args
	if err := c.identify(ctx); err != nil {
		return c, fault.Of(err, fault.Tool)
	}
	if p, ok := it.Tool.(tool.Previewer); ok {
		call := it.Call
		call.Args = args
		view, err := preview(ctx, p, call)
		c.paths, c.diff, c.risk = view.Paths, view.Diff, callRisk(spec, view)
		c.same = unchanged(view)
		c.previewed = err == nil
		if err != nil {
			return c, fault.Of(err, fault.Tool)
		}
		if view.Args != nil {
			c.args = view.Args
		}
	}
	if err := c.args.Err(); err != nil {
		return c, fault.Of(err, fault.ToolInput)
	}
	c.kind = toolKey(c.spec)
	c.key = callKey(c.kind, c.args.JSON(), c.paths, it.By.SourceOf)
	return c, nil
}

// identify asks the tool for its identity if that takes work: a decision about
// a module is a decision about its bytes.
func (c *pending) identify(ctx context.Context) (err error) {
	t, ok := c.item.Tool.(tool.Identifier)
	if !ok {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = panicked(c.spec.Name, r)
		}
	}()
	digest, err := t.Identity(ctx)
	if err == nil {
		c.spec.Provider = digest
	}
	return err
}

// preview calls the tool's Preview and turns a panic into an error.
func preview(ctx context.Context, p tool.Previewer, c tool.Call) (view tool.Preview, err error) {
	defer func() {
		if r := recover(); r != nil {
			view, err = tool.Preview{}, panicked(c.Name, r)
		}
	}()
	return p.Preview(ctx, c)
}

// refresh previews the call again, because another call may have changed the
// same file in the meantime. The arguments and paths must be the same as before
// and the risk not higher; otherwise it returns an error.
func (c *pending) refresh(ctx context.Context) error {
	p, ok := c.item.Tool.(tool.Previewer)
	if !ok || !slices.ContainsFunc(c.paths, func(u tool.PathUse) bool { return u.Op != "read" }) {
		return nil
	}
	call := c.item.Call
	call.Args = c.args
	view, err := preview(ctx, p, call)
	if err != nil {
		return fault.Of(err, fault.Tool)
	}
	if view.Args != nil && view.Args.Err() != nil {
		return fault.Of(view.Args.Err(), fault.ToolInput)
	}
	if view.Args != nil && !bytes.Equal(view.Args.JSON(), c.args.JSON()) || !slices.Equal(view.Paths, c.paths) || rank(callRisk(c.spec, view)) > rank(c.risk) {
		return fault.New(fault.Conflict, "%s would now do something else than what was approved, so it was not run", c.spec.Name).
			Hinting("look at the current state, then call it again")
	}
	c.diff, c.same = view.Diff, unchanged(view)
	return nil
}

// run runs the call with exactly the arguments that were approved. It is the
// only place in golem that calls a tool. The tool itself compares the file with
// what the person was shown.
func (c *pending) run(ctx context.Context, shown bool) (out tool.Output, err error) {
	if ctx.Err() != nil {
		return tool.Output{}, fault.Of(context.Cause(ctx), fault.Interrupted)
	}
	inner, leave, err := c.item.By.Enter(ctx, c.risk)
	if leave == nil {
		leave = func() {}
	}
	if err != nil {
		leave()
		return tool.Output{}, fault.Of(err, fault.Interrupted)
	}
	if inner != nil {
		ctx = inner
	}
	if !shown {
		if err := c.refresh(ctx); err != nil {
			leave()
			return tool.Output{}, err
		}
	}
	call := c.item.Call
	call.Args = c.args
	out, err = c.call(ctx, call, leave)
	if err != nil {
		return out, fault.Of(err, fault.Tool)
	}
	return out, nil
}

// panicked returns the error for a panic inside a tool, shortened and without a
// stack trace.
func panicked(name string, r any) *fault.Fault {
	what, _ := Visible(fmt.Sprint(r))
	return fault.New(fault.Tool, "%s crashed: %s", name, shorten(what)).
		Hinting("the error is in the tool; go on without it")
}
