package acpcmd

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"golem/core"
	"golem/core/approval"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"

	"golem/cmd/cli/disk"
	clisession "golem/cmd/cli/session"
)

// session is one conversation of the client. Its chat runs in a goroutine of its own and waits
// there for prompts; it begins with the first one, because it may ask questions.
type session struct {
	id    acp.SessionId
	agent *agent
	root  *root
	front *front

	mu     sync.Mutex
	inst   *core.Instance
	entry  *project.Worker
	files  shownFiles // of the entry
	chat   *chat      // nil: none runs
	prompt *prompt    // the one that is answered; nil: there is none
	closed bool
	// conversation is the kept one with which the next chat goes on; "": it begins one.
	conversation string
	permission   approval.Permission // that the client chose; "": none
	model        string              // that the client chose; "": none
	shown        string              // the model that the client was told
	titled       string              // the title that the client was told
}

// chat is one run of a session's conversation.
type chat struct {
	prompts chan *prompt
	jobs    chan func(*run.Session)
	ended   chan struct{}
	stop    context.CancelCauseFunc
	live    *run.Session // nil: it has not begun. Set under the session's lock.
}

// prompt is one prompt of the client, until it is answered.
type prompt struct {
	input   run.Input
	command bool        // a slash command
	taken   atomic.Bool // the chat has it
	cut     atomic.Bool // the answer reached the output limit of the model
	ctx     context.Context
	stop    context.CancelCauseFunc
	done    chan struct{}

	mu      sync.Mutex
	settled bool
	failed  *fault.Fault // an error of the exchange
	err     error        // the answer, if it is an error
}

// stopped is the cause of the end of a prompt that the client cancelled.
var stopped = fault.New(fault.Interrupted, "stopped by the user")

// finish answers the prompt, once.
func (p *prompt) finish(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.settled {
		return
	}
	p.settled, p.err = true, err
	close(p.done)
}

// handOver notes that the chat has the prompt. An error of an earlier exchange, with which the chat
// went on, is none of it.
func (p *prompt) handOver() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = nil
	p.taken.Store(true)
}

// reopen lets a prompt be answered that a chat has not begun with.
func (p *prompt) reopen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settled, p.failed, p.err = false, nil, nil
	p.taken.Store(false)
	p.done = make(chan struct{})
}

// fail keeps the first error of the exchange.
func (p *prompt) fail(f *fault.Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed == nil {
		p.failed = f
	}
}

// newSessionOf returns a session of a root that is open.
func (a *agent) newSessionOf(id acp.SessionId, r *root) (*session, error) {
	r.buffers = &buffers{agent: a, id: id}
	inst, entry, err := a.open(r, "")
	if err != nil {
		r.close()
		return nil, err
	}
	s := &session{id: id, agent: a, root: r, inst: inst, entry: entry, files: shownTo(inst, entry)}
	s.front = newFront(s)
	s.shown = entry.Model
	return s, nil
}

// busy reports whether a prompt is answered.
func (s *session) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prompt != nil
}

// begin makes a prompt the one that is answered.
func (s *session) begin() (*prompt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, fault.New(fault.NotFound, "the session %s was closed", fault.Quoted(string(s.id)))
	case s.prompt != nil:
		return nil, fault.New(fault.Busy, "the session %s answers another prompt at the moment", fault.Quoted(string(s.id))).Hinting("wait for its end, or send session/cancel")
	}
	p := &prompt{done: make(chan struct{})}
	p.ctx, p.stop = context.WithCancelCause(s.agent.life)
	s.prompt = p
	return p, nil
}

// end makes place for the next prompt.
func (s *session) end(p *prompt) {
	p.stop(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt = nil
}

// cancel stops the prompt that is answered.
func (s *session) cancel() {
	s.mu.Lock()
	p := s.prompt
	s.mu.Unlock()
	if p != nil {
		p.stop(stopped)
	}
}

// current returns the prompt that is answered; nil: there is none.
func (s *session) current() *prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prompt
}

// answer hands a prompt to the chat, which it starts if none runs, and waits for the end.
func (s *session) answer(p *prompt) error {
	err := s.answerOnce(p)
	for err != nil && p.ctx.Err() == nil && s.withoutServers(err) {
		p.reopen()
		err = s.answerOnce(p)
	}
	return err
}

// withoutServers reports whether a chat could not begin because nobody trusts a server of the
// client. The next one begins without these servers.
func (s *session) withoutServers(err error) bool {
	f := fault.Of(err, fault.Config)
	if f.Code != fault.Trust || f.Where == nil || f.Where.File != project.EditorFile {
		return false
	}
	s.mu.Lock()
	had := s.root.servers != nil && s.chat == nil
	if had {
		s.root.servers = nil
	}
	s.mu.Unlock()
	if had {
		s.front.paragraph("the MCP servers of the editor are not used in this session, because you did not say yes to them")
	}
	return had
}

// answerOnce does what answer does, with one chat.
func (s *session) answerOnce(p *prompt) error {
	c, err := s.running()
	if err != nil {
		return err
	}
	select {
	case c.prompts <- p:
	case <-c.ended:
	}
	select {
	case <-p.done:
	case <-c.ended: // the chat ended with the prompt: it has settled it, or never got it
		p.finish(nil)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil && p.failed != nil {
		return p.failed
	}
	return p.err
}

// running returns the chat, and starts it if none runs.
func (s *session) running() (*chat, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fault.New(fault.NotFound, "the session %s was closed", fault.Quoted(string(s.id)))
	}
	if s.chat != nil {
		return s.chat, nil
	}
	if s.inst == nil { // a chat has ended: what a person said about trust ended with it
		inst, entry, err := s.agent.open(s.root, s.model)
		if err != nil {
			return nil, err
		}
		s.inst, s.entry, s.files = inst, entry, shownTo(inst, entry)
	}
	ctx, stop := context.WithCancelCause(s.agent.life)
	c := &chat{prompts: make(chan *prompt), jobs: make(chan func(*run.Session)), ended: make(chan struct{}), stop: stop}
	s.chat = c
	inst := s.inst
	s.agent.running.Go(func() {
		defer stop(nil)
		res := s.talk(ctx, inst, c)
		s.chatEnded(c, res)
	})
	return c, nil
}

// talk runs the chat to its end.
func (s *session) talk(ctx context.Context, inst *core.Instance, c *chat) run.Result {
	o := core.RunOptions{ID: string(s.id), Running: s.agent.flags.Running, Person: true, AskToGoOn: true, Host: &host{session: s, chat: c, inst: inst}}
	if s.conversation != "" {
		o.ID, o.Resume = core.NewRunID(time.Now()), &s.conversation
	} else if s.front.began.Swap(true) {
		o.ID = core.NewRunID(time.Now()) // an earlier chat of this session kept nothing
	}
	o.Trouble = func(err error) {
		s.root.console.Say("warning: the trace is incomplete, because it could not be written: %s", disk.Cause(err))
	}
	file, err := clisession.OpenTrace(s.root.console, "", s.root.place, o.ID)
	if err != nil {
		return run.Result{Status: run.Failed, Error: fault.Of(err, fault.Config), Refused: true}
	}
	if file != nil {
		defer file.Close()
		o.Trace, o.Texts = file, file.Texts()
	}
	sent := s.agent.sender.Run(nil)
	o.Lines = sent.Lines
	defer sent.Close()
	return inst.Chat(ctx, nil, &talking{front: s.front, chat: c}, o)
}

// chatEnded notes that a chat has ended. If the conversation was kept, the next prompt goes on with
// it.
func (s *session) chatEnded(c *chat, res run.Result) {
	s.mu.Lock()
	s.chat, s.inst = nil, nil
	if res.Conversation != "" {
		s.conversation = res.Conversation
	}
	p := s.prompt
	s.mu.Unlock()
	if p != nil {
		var err error
		if res.Error != nil {
			err = res.Error
		}
		p.finish(err)
	}
	close(c.ended)
}

// close ends the session and frees what it uses, when its chat has ended.
func (s *session) close() {
	s.mu.Lock()
	was, c := s.closed, s.chat
	s.closed = true
	s.mu.Unlock()
	if was {
		return
	}
	s.cancel()
	if c != nil {
		c.stop(fault.New(fault.Interrupted, "the session was closed"))
		<-c.ended
	}
	s.root.close()
}

// inChat calls do in the chat's goroutine while the chat waits for a prompt, and waits for its
// end. It is false if no chat has begun.
func (s *session) inChat(ctx context.Context, do func(*run.Session)) (bool, error) {
	s.mu.Lock()
	c := s.chat
	if c == nil || c.live == nil {
		s.mu.Unlock()
		return false, nil
	}
	s.mu.Unlock()
	done := make(chan struct{})
	select {
	case c.jobs <- func(live *run.Session) { defer close(done); do(live) }:
		<-done
		return true, nil
	case <-c.ended:
		return false, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// keptConversation returns the conversation that a client wants to open, and an error if it cannot be
// resumed.
func keptConversation(inst *core.Instance, entry *project.Worker, id string) (*conversation.Kept, error) {
	store := inst.Conversations()
	if store == nil {
		return nil, fault.New(fault.NotFound, "no conversations are kept here").Hinting("golem keeps them with files on disk, where GOLEM_HOME is set")
	}
	k, err := conversation.Read(store, id)
	switch {
	case err != nil:
		return nil, err
	case k.Err != nil:
		return nil, k.Err
	case k.Head.Worker != entry.ID:
		return nil, fault.New(fault.Conflict, "the conversation %s belongs to the worker %s, not to %s", id, k.Head.Worker, entry.ID).Hinting("golem chat . --entry %s --resume %s", k.Head.Worker, id)
	}
	return k, nil
}

// entryID returns the worker that the session talks with.
func (s *session) entryID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entry.ID
}

// workerFiles returns what another worker of the session's project sees on its own.
func (s *session) workerFiles(id string) shownFiles {
	s.mu.Lock()
	inst := s.inst
	s.mu.Unlock()
	if inst == nil {
		return shownFiles{}
	}
	w, err := inst.Project().Workers.Find(id)
	if err != nil {
		return shownFiles{}
	}
	return shownTo(inst, w)
}
