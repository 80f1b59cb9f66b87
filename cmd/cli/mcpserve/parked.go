package mcpserve

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/fault"
	"golem/core/run"
)

// Limits of calls that wait for an answer of the client's user.
const (
	maxParked = 64             // calls that wait at the same time
	patience  = 24 * time.Hour // how long a question stays open
)

// parked are the calls of clients of mcp.Stateless, for which a question is the result of a
// request and the answer comes with another request, maybe hours later. The call runs on
// between them. Questions do not outlive the process.
type parked struct {
	key [sha256.Size]byte // of the seals

	mu    sync.Mutex
	calls map[string]*parkedCall
}

// parkedCall is one call.
type parkedCall struct {
	id       string
	digest   [sha256.Size]byte // of the tool, its arguments and who called
	expires  time.Time
	asks     chan *mcp.ElicitParams
	answers  chan *mcp.ElicitResult
	done     chan *mcp.CallToolResult
	cancel   context.CancelCauseFunc
	mu       sync.Mutex
	question int                         // the number of the question that is open; 0: none yet
	results  map[int]*mcp.CallToolResult // what the answer to a question led to
}

func newParked() *parked {
	p := &parked{calls: map[string]*parkedCall{}}
	_, _ = rand.Read(p.key[:]) // never fails
	return p
}

// begin adds a call.
func (p *parked) begin(digest [sha256.Size]byte, cancel context.CancelCauseFunc) (*parkedCall, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, c := range p.calls {
		if time.Now().After(c.expires) {
			delete(p.calls, id)
		}
	}
	if len(p.calls) >= maxParked {
		return nil, fault.New(fault.Busy, "%d calls wait for an answer", maxParked).Hinting("answer one of them first")
	}
	c := &parkedCall{
		id: rand.Text(), digest: digest, expires: time.Now().Add(patience), cancel: cancel, results: map[int]*mcp.CallToolResult{},
		asks: make(chan *mcp.ElicitParams), answers: make(chan *mcp.ElicitResult), done: make(chan *mcp.CallToolResult, 1),
	}
	p.calls[c.id] = c
	return c, nil
}

// seal returns the name of a question of a call, which only this process can make.
func (p *parked) seal(c *parkedCall, question int) string {
	body := binary.BigEndian.AppendUint64(append([]byte{}, c.id...), uint64(question))
	mac := hmac.New(sha256.New, p.key[:])
	mac.Write(body)
	mac.Write(c.digest[:])
	return base64.RawURLEncoding.EncodeToString(append(body, mac.Sum(nil)...))
}

// open returns the call and the question that a seal names. digest is that of the request
// with the seal: a seal holds for the same call of the same client only.
func (p *parked) open(seal string, digest [sha256.Size]byte) (*parkedCall, int, error) {
	gone := fault.New(fault.NotFound, "the question that this answers is not open any more, or belongs to another call").
		Hinting("call the tool again without requestState; a question stays open for %v, as long as golem mcp serve runs", patience)
	data, err := base64.RawURLEncoding.DecodeString(seal)
	if err != nil || len(data) < 8+sha256.Size {
		return nil, 0, gone
	}
	body := data[:len(data)-sha256.Size]
	id, question := body[:len(body)-8], int(binary.BigEndian.Uint64(body[len(body)-8:]))
	p.mu.Lock()
	c := p.calls[string(id)]
	p.mu.Unlock()
	if c == nil || c.digest != digest || !hmac.Equal([]byte(p.seal(c, question)), []byte(seal)) || time.Now().After(c.expires) {
		return nil, 0, gone
	}
	return c, question, nil
}

// callDigest identifies a call: who calls which tool with what.
func callDigest(principal, tool string, args []byte) [sha256.Size]byte {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(principal), []byte(tool), args} {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part))) // a hash takes all
		h.Write(part)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// ask shows a question to the client's user, with the result of the present request, and
// waits for the request that brings the answer.
func (c *parkedCall) ask(ctx context.Context, q *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	select {
	case c.asks <- q:
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

// questionID is the name of the only question in a result.
const questionID = "question"

// wait returns what a request gets: the next question, or the result of the call. gone ends
// when the client does not wait any more; then the call ends, too, because it runs.
func (p *parked) wait(ctx context.Context, c *parkedCall) *mcp.CallToolResult {
	select {
	case q := <-c.asks:
		c.question++
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{questionID: q}, RequestState: p.seal(c, c.question)}
	case res := <-c.done:
		return res
	case <-ctx.Done():
		c.cancel(fault.New(fault.Interrupted, "the client is gone"))
		return <-c.done
	}
}

// answered gives a call the answer to a question, once. A second answer changes nothing and
// gets the result of the first.
func (p *parked) answered(ctx context.Context, c *parkedCall, question int, given mcp.InputResponseMap) *mcp.CallToolResult {
	c.mu.Lock()
	defer c.mu.Unlock()
	if res := c.results[question]; res != nil {
		return res
	}
	answer, _ := given[questionID].(*mcp.ElicitResult)
	if answer == nil {
		answer = &mcp.ElicitResult{Action: "cancel"}
	}
	select {
	case c.answers <- answer:
	case res := <-c.done: // it ended meanwhile, because golem stops
		c.results[question] = res
		return res
	}
	res := p.wait(ctx, c)
	c.results[question] = res
	return res
}

// parkedCall runs a call of a client of mcp.Stateless until its first question or its end.
func (s *Server) parkedCall(ctx context.Context, t Tool, r *mcp.CallToolRequest, in run.Input) *mcp.CallToolResult {
	principal := ""
	if r.Extra != nil {
		principal = r.Extra.Header.Get("Authorization")
	}
	digest := callDigest(principal, t.Name, r.Params.Arguments)
	if state := r.Params.RequestState; state != "" {
		c, question, err := s.parked.open(state, digest)
		if err != nil {
			return failed(fault.Of(err, fault.NotFound))
		}
		return s.parked.answered(ctx, c, question, r.Params.InputResponses)
	}
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	c, err := s.parked.begin(digest, cancel)
	if err != nil {
		cancel(nil)
		return failed(fault.Of(err, fault.Busy))
	}
	late := time.AfterFunc(patience, func() { cancel(fault.New(fault.Timeout, "nobody answered within %v", patience)) })
	front := &front{elicit: c.ask, forms: forms(r.ClientCapabilities()), turn: ownTurn()}
	stop := front.report(ctx, r.Session, r.Params.GetProgressToken())
	defer stop()
	s.running.Go(func() {
		defer late.Stop()
		defer when(s.stopped, func() { cancel(fault.New(fault.Interrupted, "golem was stopped")) })()
		c.done <- result(t, t.Run(life, in, front))
		cancel(nil)
	})
	return s.parked.wait(ctx, c)
}

// ownTurn returns the right to ask of a call that is alone with its client.
func ownTurn() chan struct{} {
	turn := make(chan struct{}, 1)
	turn <- struct{}{}
	return turn
}
