package core

import (
	"context"
	"errors"
	"io"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/ui"
)

// Chat runs a conversation with the entry, until the person ends it (/exit, end
// of input) or ctx ends. first may be nil; it is the first message. If an
// exchange fails, the error is shown and the conversation continues. The result
// is that of the last exchange.
func (i *Instance) Chat(ctx context.Context, first *run.Input, u ui.UI, ro RunOptions) run.Result {
	var given run.Input
	if first != nil {
		given = *first
	}
	r, entry, err := i.prepare(ctx, u, ro, given, conversation.ModeChat)
	if err != nil {
		return i.notBegun(r, given, err)
	}
	if entry.Tool != "" {
		return i.end(r, r.Refuse(run.Input{}, fault.New(fault.Usage, "the entry %s is a tool, and a chat needs a worker", entry.Tool).
			Hinting("run the tool with golem run, or choose a worker with --entry").InPage("", "choose a worker")))
	}
	c := chat{ui: u, options: ro, platform: &i.platform, values: i.values, titles: i.titles && ro.Person && r.Keeping.Kept == nil && r.Keeping.Journal != nil, undoing: undoing{store: i.Undo()}, making: testMaking{of: i}}
	if from, can := u.(run.Steering); can {
		r.Steering = &steering{from, &c}
	}
	s, err := r.OpenWorker(ctx, entry)
	if err != nil {
		return i.end(r, r.Refuse(run.Input{}, err))
	}
	c.session = s
	if ro.Host != nil {
		ro.Host.Opened(s)
	}
	if r.Keeping.Kept != nil && !c.goOn(ctx, r.Keeping) {
		return i.end(r, s.Close())
	}
	for ctx.Err() == nil {
		in, err := next(ctx, u, &first)
		if err != nil {
			if !errors.Is(err, io.EOF) && ctx.Err() == nil {
				s.Fail(fault.Of(err, fault.Usage))
			}
			break
		}
		if !c.carryOut(ctx, in) {
			break
		}
	}
	s.Interrupt(ctx)
	return i.end(r, s.Close())
}

// next returns the first message, if there is one, and then the person's next message.
func next(ctx context.Context, u ui.UI, first **run.Input) (run.Input, error) {
	if *first != nil {
		in := **first
		*first = nil
		return in, nil
	}
	if u == nil {
		return run.Input{}, io.EOF
	}
	return u.Prompt(ctx)
}
