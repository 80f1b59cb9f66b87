package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sashabaranov/go-openai"

	"golem/core/fault"
)

// afterFinish is how long a provider may take to add its usage, and to end
// the stream, after an answer that is complete.
const afterFinish = 3 * time.Second

// afterPiece is the same for a provider that sent its finish reason together with a
// piece of the answer: some gateways send a reason with each piece, so others may
// follow.
const afterPiece = 20 * time.Second

// lastMoment is remote.moment outside tests.
const lastMoment = 50 * time.Millisecond

// remote is a provider's model, spoken to in one of the protocols.
type remote struct {
	name    string // "openai:gpt-5-mini"
	model   string // as the provider calls it
	end     *endpoint
	api     api
	config  Config
	lane    *lane // nil: nothing is held back
	past    histories
	near    nearby
	moment  time.Duration // how long the end of the connection may lag behind the end mark
	listing Listing       // context size and price
}

var _ Model = (*remote)(nil)

func newRemote(name, model string, end *endpoint, c Config) *remote {
	if c.Idle <= 0 {
		c.Idle = 2 * time.Minute
	}
	m := &remote{name: name, model: model, end: end, api: end.row.protocol(end.url), config: c, moment: lastMoment, listing: end.listing(model)}
	if c.Pace != nil {
		m.lane = c.Pace.lane(end.url.Host)
	}
	return m
}

// maxAnswer is the longest answer of a model where Config.MaxBytes says nothing, in bytes.
const maxAnswer = 32 << 20

func (c Config) maxBytes() int64 {
	if c.MaxBytes <= 0 {
		return maxAnswer
	}
	return c.MaxBytes
}

func (c Config) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// Name returns the full name, provider and model.
func (m *remote) Name() string { return m.name }

// Generate makes one attempt; see sound for when it makes two.
func (m *remote) Generate(ctx context.Context, r Request, show func(Delta)) (Turn, error) {
	if ctx.Err() != nil {
		return Turn{}, ended(ctx, m.name)
	}
	if err := m.check(r); err != nil {
		return Turn{}, err
	}
	if err := m.end.permit(); err != nil {
		return Turn{}, err
	}
	return m.generateWithKept(ctx, r, show)
}

// attempt sends the request and makes a turn of the answer, or a fault.
func (m *remote) attempt(ctx context.Context, r Request, show func(Delta)) (Turn, error) {
	g := newGuard(ctx, max(m.config.Idle, r.Timeout))
	defer g.close()
	a := &answer{provider: m.end.row.Name, clean: m.clean, size: m.past.estimate, kept: carrier{names: m.end.row.Quirks.Carry}, show: show}
	err := m.ask(ctx, g, r, a)
	if f := failureOf(err); f != nil && f.empty && r.MayEnd {
		err = nil
	}
	if err == nil {
		t := a.completeTurn(m.name, r)
		t.Usage = m.bill(t.Usage, r.Settings)
		return t, nil
	}
	err = m.advised(m.explain(ctx, g, err))
	switch f := failureOf(err); {
	case f != nil && f.unread != nil:
		t := m.unreadable(*f.unread, a.text.visible.String(), r)
		t.Usage = m.bill(t.Usage, r.Settings)
		return t, nil
	case f != nil && f.noModel:
		err = m.withNear(ctx, err)
	}
	return m.lost(a, r), err
}

// advised adds a hint to an error inside a stream: the remedy for the status that it
// means.
func (m *remote) advised(err error) error {
	f, why := fault.Of(err, fault.Model), failureOf(err)
	if f.Hint == "" && why != nil && why.status != 0 {
		_, do := m.status(why.status, ": "+f.Message)
		f.Hint, f.Page = do.hint, do.page
	}
	return err
}

// lost returns a turn with what a failed answer cost: what the provider has said, or an
// estimate if a part of the answer came before it failed.
func (m *remote) lost(a *answer, r Request) Turn {
	switch {
	case a.usage != nil:
		return Turn{Model: m.name, Usage: m.bill(*a.usage, r.Settings)}
	case a.pieces > 0:
		var calls []Call
		for _, c := range a.calls {
			calls = append(calls, Call{Name: c.name, Args: c.args.String()})
		}
		return Turn{Model: m.name, Usage: m.bill(guessed(a.size(r), a.text.all.String(), calls), r.Settings)}
	}
	return Turn{}
}

// ask sends the request and reads the answer into a.
func (m *remote) ask(ctx context.Context, g *guard, r Request, a *answer) error {
	p, err := m.api.payload(m, r)
	if err != nil {
		return fault.New(fault.Model, "the request cannot be written: %w", err)
	}
	m.withServerTools(&p, r)
	s, err := m.api.send(m, g, p)
	if err != nil {
		return err
	}
	defer s.Close()
	return m.receive(ctx, g, s, a)
}

// client returns a go-openai client that sends its requests through wire.
func (m *remote) client(g *guard, p payload) *openai.Client {
	return openai.NewClientWithConfig(openai.ClientConfig{
		BaseURL: m.end.url.String(), HTTPClient: wire{m, g, p}, EmptyMessagesLimit: 300,
	})
}

// receive reads the stream to its end. Once the answer is complete nothing
// that follows can spoil it, except the end of ctx.
func (m *remote) receive(ctx context.Context, g *guard, s incoming, a *answer) error {
	in := m.api.decoder(a)
	over := false              // at most the usage is still to come
	_, chat := m.api.(chatAPI) // the other protocols have an end of their own
	for {
		before := a.pieces
		raw, err := s.RecvRaw()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == io.EOF:
			g.drain(m.moment)
			return a.complete(m.model, g.body.done)
		case err != nil && a.finish != "":
			return a.complete(m.model, false)
		case err != nil:
			return err
		}
		switch err := in.add(raw); {
		case err != nil && over:
			return a.complete(m.model, false)
		case err != nil:
			return err
		case a.finish == "", chat && a.pieces == 0:
		case chat && a.pieces > before:
			over = false
			g.finish(afterPiece)
		case !over:
			over = true
			g.finish(afterFinish)
		}
	}
}

// explain turns any error of an attempt into the fault a caller gets.
func (m *remote) explain(ctx context.Context, g *guard, err error) error {
	if ctx.Err() != nil {
		return ended(ctx, m.name)
	}
	if g.silent() {
		return (&failure{retry: true, message: fmt.Sprintf("%s sent nothing for %v", m.end.row.Name, g.idle), err: errIdle}).fault(fault.Model, raiseTimeout)
	}
	var f *fault.Fault
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, openai.ErrReasoningEffortUnsupported), errors.Is(err, openai.ErrReasoningToolsRequireResponses),
		errors.Is(err, openai.ErrChatCompletionInvalidModel):
		return (&failure{message: fmt.Sprintf("%s cannot be used here: %s", m.name, err)}).
			fault(fault.Model, anotherModel("choose"))
	}
	return broken(fmt.Sprintf("the answer of %s ended early: %s", m.end.row.Name, m.clean(err.Error())), err)
}
