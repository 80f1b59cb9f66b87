package mcpserve

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
)

// maxParked is how many calls of this process wait for an answer at the same time.
const maxParked = 64

// lookAgain is how long a process waits before it looks again for what another process has
// kept.
const lookAgain = 200 * time.Millisecond

// parked are the calls of clients of protocol.Stateless, for which a question is the result
// of a request and the answer comes with another request, maybe hours later and to another
// process. The run waits between them as long as this process lives; after that, its
// conversation is resumed.
type parked struct {
	questions

	mu   sync.Mutex
	live int
	open map[string]*openQuestion // by the question's name: those of runs of this process
}

// openQuestion is a question whose run waits in this process.
type openQuestion struct {
	call *parkedCall
	wake chan struct{} // an answer was kept
	done chan struct{} // closed when what follows is set
	res  *mcp.CallToolResult
}

// parkedCall is one run.
type parkedCall struct {
	tool         Tool
	digest       string // callDigest
	conversation string // "": it is not kept
	asks         chan posed
	answers      chan *mcp.ElicitResult
	done         chan outcome
	cancel       context.CancelCauseFunc
}

// posed is a question of a run.
type posed struct {
	shown *mcp.ElicitParams
	about about
}

// outcome is how a run ended. broken says that it can be gone on with: its answer has not
// led to a result.
type outcome struct {
	res    *mcp.CallToolResult
	broken bool
}

// memoryStore returns a store of this process alone.
func memoryStore() state.Store {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	s := state.Memory(sandbox.Memory())
	s.Host = keyed{s.Host, key}
	return s
}

// keyed is a host with a key of its own.
type keyed struct {
	state.Host
	key []byte
}

func (k keyed) Key() ([]byte, error) { return k.key, nil }

func newParked(store state.Store) *parked {
	return &parked{questions: questions{store: store, now: time.Now}, open: map[string]*openQuestion{}}
}

// KeepQuestions makes the questions of calls outlive this process: another one with the same
// store takes the answer. Call it before the first client. Without it they end with the
// process.
func (s *Server) KeepQuestions(store state.Store) { s.parked = newParked(store) }

// enter counts a run that may wait; leave ends that.
func (p *parked) enter() (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live >= maxParked {
		return nil, fault.New(fault.Busy, "%d calls wait for an answer", maxParked).Hinting("answer one of them first")
	}
	p.live++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.live--
	}, nil
}

// parkedCall runs a call of a client of protocol.Stateless until its first question or its
// end, or goes on with it after an answer.
func (s *Server) parkedCall(ctx context.Context, t Tool, r *mcp.CallToolRequest, in run.Input) *mcp.CallToolResult {
	principal := ""
	if r.Extra != nil {
		principal = r.Extra.Header.Get("Authorization")
	}
	digest := callDigest(principal, t.Name, r.Params.Arguments)
	if seal := r.Params.RequestState; seal != "" {
		return s.answered(ctx, t, r, digest, seal)
	}
	return s.start(ctx, t, r, Call{Input: in}, digest, nil).res
}

// start runs a call until its next question or its end.
func (s *Server) start(ctx context.Context, t Tool, r *mcp.CallToolRequest, call Call, digest string, given *given) outcome {
	leave, err := s.parked.enter()
	if err != nil {
		return outcome{failed(fault.Of(err, fault.Busy)), true}
	}
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	c := &parkedCall{
		tool: t, digest: digest, cancel: cancel,
		asks: make(chan posed), answers: make(chan *mcp.ElicitResult), done: make(chan outcome, 1),
	}
	call.Kept = func(conversation string) { c.conversation = conversation }
	front := &front{elicit: c.ask, forms: forms(r.ClientCapabilities()), turn: ownTurn(), given: given}
	stop := front.report(ctx, r.Session, r.Params.GetProgressToken())
	defer stop()
	s.running.Go(func() {
		defer leave()
		defer onClosed(s.stopped, func() { cancel(fault.New(fault.Interrupted, "golem was stopped")) })()
		res := t.Run(life, call, front)
		broken := res.Error != nil && (res.Refused || res.Error.Code == fault.Interrupted)
		c.done <- outcome{result(t, res), broken}
		cancel(nil)
	})
	return s.wait(ctx, c)
}

// wait returns what follows in a run: its next question, or its end. If ctx ends, the run
// does, too, because its client has gone away.
func (s *Server) wait(ctx context.Context, c *parkedCall) outcome {
	select {
	case a := <-c.asks:
		return s.park(c, a)
	case end := <-c.done:
		return end
	case <-ctx.Done():
		c.cancel(fault.New(fault.Interrupted, "the client is gone"))
		return <-c.done
	}
}

// park keeps the question of a run, which then waits for the answer, and returns the
// result that asks.
func (s *Server) park(c *parkedCall, a posed) outcome {
	k := kept{Conversation: c.conversation, Digest: c.tool.Digest, Call: c.digest, Expires: s.parked.now().Add(patience), About: a.about, Shown: a.shown}
	err := error(nil)
	if k.Conversation != "" {
		k.About.Started, err = c.tool.Started(k.Conversation, a.about.startsOf())
	}
	var id, seal string
	var release func()
	if err == nil {
		id, seal, release, err = s.parked.add(k)
	}
	if err != nil {
		c.cancel(fault.Of(err, fault.Config))
		return outcome{res: failed(fault.Of(err, fault.Config)), broken: (<-c.done).broken}
	}
	q := &openQuestion{call: c, wake: make(chan struct{}, 1), done: make(chan struct{})}
	s.parked.mu.Lock()
	s.parked.open[id] = q
	s.parked.mu.Unlock()
	s.running.Go(func() {
		defer release()
		end := s.await(id, q)
		s.parked.mu.Lock()
		delete(s.parked.open, id)
		s.parked.mu.Unlock()
		q.res = s.settled(id, end)
		close(q.done)
	})
	return outcome{res: k.asking(seal)}
}

// settled keeps the result of an answer, and returns what the client gets. An answer that
// led to no result counts when it is sent again.
func (s *Server) settled(id string, end outcome) *mcp.CallToolResult {
	if end.broken {
		return end.res
	}
	if err := s.parked.settle(id, end.res); err != nil {
		return failed(fault.Of(err, fault.Config))
	}
	return end.res
}

// await waits for the answer to a question of a run, and for what follows.
func (s *Server) await(id string, q *openQuestion) outcome {
	late := time.NewTimer(patience)
	defer late.Stop()
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		select {
		case end := <-q.call.done: // golem stops
			return outcome{end.res, true}
		case <-late.C:
			q.call.cancel(fault.New(fault.Timeout, "nobody answered within %v", patience))
			return outcome{(<-q.call.done).res, true}
		case <-q.wake:
		case <-again.C:
		}
		answer, err := s.parked.answer(id)
		if err != nil {
			q.call.cancel(fault.Of(err, fault.Config))
			return outcome{(<-q.call.done).res, true}
		}
		if answer == nil {
			continue
		}
		select {
		case q.call.answers <- answer:
			return s.wait(context.Background(), q.call)
		case end := <-q.call.done:
			return outcome{end.res, true}
		}
	}
}

// ask asks the client's user: the question becomes the result of the present request, and
// the answer comes with another one.
func (c *parkedCall) ask(ctx context.Context, shown *mcp.ElicitParams, r approval.Request, page int) (*mcp.ElicitResult, error) {
	select {
	case c.asks <- posed{shown, aboutOf(r, page)}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case a := <-c.answers:
		return a, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// answered goes on with a call whose question is answered. The first answer counts; sent
// again, it leads to the same result, and nothing runs.
func (s *Server) answered(ctx context.Context, t Tool, r *mcp.CallToolRequest, digest, seal string) *mcp.CallToolResult {
	id, k, err := s.parked.named(seal, digest, t.Digest)
	if err != nil {
		return failed(fault.Of(err, fault.NotFound))
	}
	answer, _ := r.Params.InputResponses[questionID].(*mcp.ElicitResult)
	if answer == nil { // it is asked once more
		res, err := s.parked.result(id)
		switch {
		case err != nil:
			return failed(fault.Of(err, fault.Config))
		case res == nil:
			res = k.asking(seal)
		}
		return res
	}
	first, err := s.parked.claim(ctx, id, answer)
	if err != nil {
		return failed(fault.Of(err, fault.Config))
	}
	for {
		if res := s.awaited(ctx, id, first); res != nil {
			return res
		}
		release, err := s.parked.store.TryHold(lockOf(id))
		if err == nil {
			defer release()
			return s.carryOn(ctx, t, r, digest, id, k)
		}
		if !errors.Is(err, fault.Busy) {
			return failed(fault.Of(err, fault.Config))
		}
		select {
		case <-ctx.Done():
			return failed(fault.New(fault.Interrupted, "the client is gone"))
		case <-time.After(lookAgain):
		}
	}
}

// awaited returns the result of an answer that is kept, or that a run of this process leads
// to; nil: there is neither. The client whose answer counts ends the run when it goes away.
func (s *Server) awaited(ctx context.Context, id string, first bool) *mcp.CallToolResult {
	s.parked.mu.Lock()
	q := s.parked.open[id]
	s.parked.mu.Unlock()
	if q != nil {
		select {
		case q.wake <- struct{}{}:
		default:
		}
		select {
		case <-q.done:
		case <-ctx.Done():
			if first {
				q.call.cancel(fault.New(fault.Interrupted, "the client is gone"))
			}
			return failed(fault.New(fault.Interrupted, "the client is gone"))
		}
		own := *q.res // the SDK writes into what it sends
		own.Meta = maps.Clone(own.Meta)
		return &own
	}
	res, err := s.parked.result(id)
	if err != nil {
		return failed(fault.Of(err, fault.Config))
	}
	return res
}

// carryOn resumes the run of a question whose process has ended, with the answer that was
// kept. The caller holds the question's lock.
func (s *Server) carryOn(ctx context.Context, t Tool, r *mcp.CallToolRequest, digest, id string, k kept) *mcp.CallToolResult {
	res, err := s.parked.result(id) // another process may have been faster
	if res != nil {
		return res
	}
	var answer *mcp.ElicitResult
	if err == nil {
		answer, err = s.parked.answer(id)
	}
	if err == nil && (answer == nil || k.Conversation == "") {
		err = fault.New(fault.NotFound, "the golem that asked has ended, and the run is not kept").Hinting("call the tool again without requestState")
	}
	started := 0
	if err == nil {
		started, err = t.Started(k.Conversation, k.About.startsOf())
	}
	if err != nil {
		return failed(fault.Of(err, fault.Config))
	}
	var g *given
	if started == k.About.Started { // else the call has begun after the answer, and nobody knows how it ended
		g = &given{about: k.About, answer: answer}
	}
	return s.settled(id, s.start(ctx, t, r, Call{Resume: k.Conversation}, digest, g))
}

// startsOf returns the call whose beginnings make an answer void; "": those of every call.
func (a about) startsOf() string {
	if a.Kind == approval.KindResume {
		return ""
	}
	return a.Call
}

// ownTurn returns the right to ask of a call that is alone with its client.
func ownTurn() chan struct{} {
	turn := make(chan struct{}, 1)
	turn <- struct{}{}
	return turn
}

// given is an answer that came before its question is asked again, because the process
// that asked has ended. It counts for this question, once.
type given struct {
	about  about
	answer *mcp.ElicitResult
}

// takeFor returns the answer if it belongs to a request, and the page that it answers. A
// question about how to resume makes an answer about anything else void: what the answer
// covered may have run.
func (g *given) takeFor(r approval.Request) (page int, answer *mcp.ElicitResult) {
	if g == nil || g.answer == nil {
		return 0, nil
	}
	if r.Kind == approval.KindResume && g.about.Kind != approval.KindResume {
		g.answer = nil
		return 0, nil
	}
	if is := aboutOf(r, g.about.Page); is.Digest == "" || is.Digest != g.about.Digest || is.Call != g.about.Call {
		return 0, nil
	}
	answer, g.answer = g.answer, nil
	return g.about.Page, answer
}
