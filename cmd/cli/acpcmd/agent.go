package acpcmd

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"golem/core/fault"

	"golem/cmd/cli/console"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/telemetry"
)

// flushing is how long the last messages may take to reach the client.
const flushing = time.Second

// maxSessions is how many sessions may be open at the same time.
const maxSessions = 64

// agent is golem as the client's agent. It is safe for concurrent use.
type agent struct {
	console *console.Console
	flags   *runflags.Flags
	words   []string // DIR, or nothing
	sender  *telemetry.Sender
	life    context.Context
	conn    *acp.Connection
	known   map[string]method
	began   chan struct{}
	out     *outbox

	commands commands
	requests atomic.Int64
	pending  sync.WaitGroup                         // requests that have no answer yet
	client   atomic.Pointer[acp.ClientCapabilities] // nil: initialize was not called yet

	mu       sync.Mutex
	sessions map[acp.SessionId]*session
	later    map[acp.SessionId]func() // what follows the answer to session/new
	running  sync.WaitGroup           // chats
}

// serve speaks with the client until it goes away or ctx ends. It returns when all sessions
// have ended.
func serve(ctx context.Context, c *console.Console, f *runflags.Flags, words []string, sender *telemetry.Sender, in io.Reader, out io.Writer) {
	ctx, stop := context.WithCancelCause(ctx)
	a := &agent{
		console: c, flags: f, words: words, sender: sender, life: ctx, began: make(chan struct{}, 1),
		sessions: map[acp.SessionId]*session{}, later: map[acp.SessionId]func(){},
	}
	a.known = a.methods()
	a.out = newOutbox(out, a.afterAnswer)
	defer func() {
		a.out.Close()
		waitAtMost(flushing, func() { <-a.out.idle }) // a client may not read
		stop(nil)
	}()
	ready := make(chan struct{})
	a.conn = acp.NewConnection(a.handle, answers{a.out, a.pending.Done}, &lines{
		in: bufio.NewReaderSize(in, 64<<10), refuse: a.refuse, asked: func() { a.pending.Add(1) }, open: ready, closed: ctx.Done(), began: a.began,
	})
	a.conn.SetLogger(slog.New(slog.DiscardHandler)) // it would print what clients send
	close(ready)
	select {
	case <-a.conn.Done():
		stop(fault.New(fault.Interrupted, "the client is gone"))
		defer waitAtMost(flushing, a.pending.Wait)
	case <-ctx.Done():
	}
	a.closeAll()
	a.running.Wait()
}

// waitAtMost calls do, and does not wait longer than that for its end.
func waitAtMost(most time.Duration, do func()) {
	ended := make(chan struct{})
	go func() { defer close(ended); do() }()
	select {
	case <-ended:
	case <-time.After(most):
	}
}

// refuse answers what is not a message.
func (a *agent) refuse(why *acp.RequestError) {
	line, err := json.Marshal(struct {
		JSONRPC string            `json:"jsonrpc"`
		ID      any               `json:"id"`
		Error   *acp.RequestError `json:"error"`
	}{"2.0", nil, why})
	if err == nil {
		_, _ = a.out.Write(append(line, '\n')) // fails only if nobody reads any more
	}
}

// afterAnswer does what must follow the answer to session/new, because the client knows the
// session from then on.
func (a *agent) afterAnswer(line []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.later) == 0 {
		return
	}
	var answer struct {
		Method string
		Result struct {
			SessionID acp.SessionId `json:"sessionId"`
		}
	}
	if json.Unmarshal(line, &answer) != nil || answer.Method != "" {
		return
	}
	if do := a.later[answer.Result.SessionID]; do != nil {
		delete(a.later, answer.Result.SessionID)
		go do()
	}
}

// update sends something about a session.
func (a *agent) update(id acp.SessionId, u acp.SessionUpdate) {
	// An error says that the client is gone, which ends the session anyway.
	_ = a.conn.SendNotification(context.Background(), acp.ClientMethodSessionUpdate, acp.SessionNotification{SessionId: id, Update: u})
}

// session returns an open session.
func (a *agent) session(id acp.SessionId) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[id]; s != nil {
		return s, nil
	}
	return nil, fault.New(fault.NotFound, "there is no open session %s", fault.Quoted(string(id))).Hinting("session/new begins one, session/load opens a kept one")
}

// add adds a session. It replaces an idle one with the same id, whose conversation is opened
// once more.
func (a *agent) add(s *session) error {
	a.mu.Lock()
	before := a.sessions[s.id]
	var err error
	switch {
	case a.life.Err() != nil:
		err = fault.New(fault.Interrupted, "golem is ending")
	case before != nil && before.busy():
		err = fault.New(fault.Busy, "the session %s answers a prompt at the moment", fault.Quoted(string(s.id))).Hinting("send session/cancel first")
	case before == nil && len(a.sessions) >= maxSessions:
		err = fault.New(fault.Busy, "%d sessions are open", maxSessions).Hinting("end one with session/close")
	default:
		a.sessions[s.id] = s
	}
	a.mu.Unlock()
	if err == nil && before != nil {
		before.close()
	}
	return err
}

// closeAll ends all sessions.
func (a *agent) closeAll() {
	a.mu.Lock()
	all := a.sessions
	a.sessions = map[acp.SessionId]*session{}
	a.mu.Unlock()
	for _, s := range all {
		s.close()
	}
}

// initialize says what golem can do. Another version than 1 is answered with 1, so that the
// client can decide.
func (a *agent) initialize(_ context.Context, p acp.InitializeRequest) (acp.InitializeResponse, error) {
	a.client.CompareAndSwap(nil, &p.ClientCapabilities)
	kept := a.console.Home.Named() != ""
	can := acp.AgentCapabilities{
		LoadSession:         kept,
		PromptCapabilities:  acp.PromptCapabilities{Image: true, EmbeddedContext: true},
		SessionCapabilities: acp.SessionCapabilities{Close: &acp.SessionCloseCapabilities{}},
	}
	if kept {
		can.SessionCapabilities.List, can.SessionCapabilities.Resume = &acp.SessionListCapabilities{}, &acp.SessionResumeCapabilities{}
	}
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber, AgentCapabilities: can, AuthMethods: []acp.AuthMethod{},
		AgentInfo: &acp.Implementation{Name: "golem", Title: acp.Ptr("golem"), Version: a.console.Build.Version},
	}, nil
}

// authenticate fails: golem offers no method, because the keys of models are the person's.
func (*agent) authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, fault.New(fault.Usage, "golem has no sign-in over this protocol").Hinting("golem login, in a terminal, keeps the key of a provider")
}

// cancel stops what a session does.
func (a *agent) cancel(_ context.Context, p acp.CancelNotification) (any, error) {
	s, err := a.session(p.SessionId)
	if err == nil {
		s.cancel()
	}
	return nil, err
}

// closeSession ends a session; its conversation stays.
func (a *agent) closeSession(_ context.Context, p acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	s, err := a.session(p.SessionId)
	if err != nil {
		return acp.CloseSessionResponse{}, err
	}
	a.mu.Lock()
	delete(a.sessions, p.SessionId)
	a.mu.Unlock()
	s.close()
	return acp.CloseSessionResponse{}, nil
}

// setMode sets what workers may do without a question.
func (a *agent) setMode(_ context.Context, p acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	s, err := a.session(p.SessionId)
	if err == nil {
		err = s.permit(string(p.ModeId))
	}
	return acp.SetSessionModeResponse{}, err
}

// setModel sets the model. Clients that do not know options yet use it.
func (a *agent) setModel(ctx context.Context, p acp.UnstableSetSessionModelRequest) (acp.UnstableSetSessionModelResponse, error) {
	s, err := a.session(p.SessionId)
	if err == nil {
		err = s.useModel(ctx, string(p.ModelId))
	}
	return acp.UnstableSetSessionModelResponse{}, err
}

// setOption sets an option of a session.
func (a *agent) setOption(ctx context.Context, p acp.SetSessionConfigOptionRequest) (out acp.SetSessionConfigOptionResponse, err error) {
	if p.ValueId == nil {
		return out, fault.New(fault.Usage, "this option has no such value").Hinting("the options of a session are mode and model, with texts as values")
	}
	s, err := a.session(p.ValueId.SessionId)
	if err != nil {
		return out, err
	}
	switch value := string(p.ValueId.Value); p.ValueId.ConfigId {
	case modeOption:
		err = s.permit(value)
	case modelOption:
		err = s.useModel(ctx, value)
	default:
		err = fault.New(fault.Usage, "a session has no option %s", fault.Quoted(string(p.ValueId.ConfigId))).Hinting("its options are mode and model")
	}
	if err != nil {
		return out, err
	}
	out.ConfigOptions = s.options()
	return out, nil
}
