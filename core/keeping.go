package core

import (
	"context"
	"errors"
	"fmt"

	"golem/core/approval"
	"golem/core/consent"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/state"
	"golem/core/trace"
)

// Conversations returns the store of the project's conversations, or nil if none are kept.
func (i *Instance) Conversations() *state.Store {
	if s := &i.platform.State; s.Kept() && !i.options.MemorySandbox {
		return s
	}
	return nil
}

// keepConversation starts keeping the run's conversation (SPEC §14), or resumes a kept one.
// With a sandbox in memory nothing is kept, because the effects of its calls are lost.
func (i *Instance) keepConversation(ctx context.Context, r *run.Runner, entry *project.Worker, ro RunOptions, mode string) error {
	if ro.Resume != nil {
		if err := i.resume(ctx, r, entry, ro, mode); err != nil {
			return err
		}
	} else if s := i.Conversations(); s != nil {
		r.Journal = conversation.Start(s, conversation.Entry{Run: ro.ID, Mode: mode, Worker: entry.ID, File: entry.File})
	}
	if j := r.Journal; j != nil {
		j.Redact = func(line []byte) []byte { return i.secrets.redactor.Load().Line(line) }
		j.Now = i.platform.now
		j.Trouble = func(err error) {
			r.Sink.Emit(trace.Event{ID: "0", Body: trace.Warning{Code: fault.Config, Message: "the conversation could not be kept from here on, so it cannot be resumed; the run goes on: " + fault.Of(err, fault.Config).Text()}})
		}
	}
	return nil
}

// resume reads the conversation to resume, and asks the person the questions that must be
// answered first.
func (i *Instance) resume(ctx context.Context, r *run.Runner, entry *project.Worker, ro RunOptions, mode string) error {
	s := &i.platform.State
	if i.options.MemorySandbox {
		return fault.New(fault.Usage, "a conversation cannot be resumed with files in memory").Hinting("leave --sandbox memory out")
	}
	id := ro.Resume.ID
	if id == "" {
		id = conversation.Newest(s)
	}
	if id == "" {
		_, err := conversation.Read(s, "")
		return err
	}
	release, err := conversation.Hold(s, id)
	if err != nil && ro.Resume.At == 0 {
		return err
	}
	if err != nil { // a branch does not change the conversation, so it needs no lock
		release = func() {}
	}
	k, err := conversation.Read(s, id)
	if err == nil {
		err = k.Err
	}
	if err == nil {
		err = goesWith(k, entry)
	}
	if err == nil && mode == "run" && k.Messages() == 0 {
		err = fault.New(fault.NotFound, "nothing was said in the conversation %s before it ended", id).Hinting("run it anew")
	}
	if err == nil && ro.Resume.At > 0 {
		r.Journal, k, err = conversation.Branch(s, k, ro.Resume.At, ro.ID)
		release()
		release = func() { r.Journal.Close() }
	}
	if err == nil {
		err = i.settleChanges(ctx, r, k, ro.Resume.Changed)
	}
	if err == nil && k.Pending(mode == "run") {
		err = i.settleDoubts(ctx, r, k)
	}
	if err == nil && r.Journal == nil {
		r.Journal, err = conversation.Resume(s, k, release)
	}
	if err != nil {
		release()
		return err
	}
	for _, d := range i.changed(k) {
		r.Journal.Add(conversation.Entry{T: conversation.DigestEntry, Worker: d.Worker, File: d.File, Digest: d.Digest})
	}
	r.Kept = k
	return nil
}

// goesWith returns E_CONFLICT if a conversation belongs to another worker.
func goesWith(k *conversation.Kept, entry *project.Worker) error {
	if k.Head.Worker == entry.ID && k.Head.File == entry.File {
		return nil
	}
	return fault.New(fault.Conflict, "the conversation %s belongs to the worker %s (%s), not to %s", k.ID, k.Head.Worker, k.Head.File, entry.ID).
		Hinting("name that worker, or --entry %s", k.Head.Worker)
}

// changed returns the workers of a conversation whose files have changed, with their new
// digests; "" for a worker that no longer exists.
func (i *Instance) changed(k *conversation.Kept) []conversation.Digest {
	now := map[string]string{} // by file
	if e, err := i.project.Entry(); err == nil {
		now[e.File] = e.Digest
		closure, _ := i.project.Closure(e) // the run reports the error
		for _, w := range closure {
			now[w.File] = w.Digest
		}
	}
	var out []conversation.Digest
	for _, d := range k.Digests() {
		if w, err := i.project.Worker(d.Worker); err == nil {
			now[w.File] = w.Digest
		}
		if now[d.File] != d.Digest {
			out = append(out, conversation.Digest{Worker: d.Worker, File: d.File, Digest: now[d.File]})
		}
	}
	return out
}

// nobodyAsked is an error for a question that nobody could be asked: the run ends with exit
// code 3.
type nobodyAsked struct{ fault *fault.Fault }

func (n nobodyAsked) Error() string { return n.fault.Error() }
func (n nobodyAsked) Unwrap() error { return n.fault }

// ask asks a person a question before the run. It returns nobodyAsked if nobody can be asked.
func (i *Instance) ask(ctx context.Context, r *run.Runner, q approval.Question) (yes bool, err error) {
	q.Kind, q.Call, q.Asking = approval.KindResume, "0", r.Asking
	q.Shown = func(req approval.Request) { consent.Announce(r.Sink, req) }
	rec, err := r.Gate.Ask(ctx, q)
	if err != nil {
		return false, err
	}
	if rec.Nobody {
		return false, nobodyAsked{fault.New(fault.Denied, "to resume this conversation, golem must ask: %s", q.Title).
			Hinting("resume it where a person can answer")}
	}
	r.Notices = append(r.Notices, run.Answered(q, rec))
	return rec.Run, nil
}

// settleChanges asks whether to resume a conversation although files of its workers have
// changed, and returns E_CONFLICT if not. If yes is true, it does not ask but warns.
func (i *Instance) settleChanges(ctx context.Context, r *run.Runner, k *conversation.Kept, yes bool) error {
	q := approval.Question{Title: "Files of this conversation's workers have changed since. Go on with them as they are now?"}
	for _, d := range i.changed(k) {
		means := "the worker goes on under its new definition; its instructions stay those that were kept"
		if d.Digest == "" {
			means = "there is no such worker any more: a call of it fails"
		}
		q.Lines = append(q.Lines, approval.Line{Path: d.Worker, Value: "has changed", Means: means, Where: d.File})
		if yes {
			r.Notices = append(r.Notices, trace.Warning{Code: fault.Conflict, Message: d.File + " has changed since the conversation was kept: " + means})
		}
	}
	if len(q.Lines) == 0 || yes {
		return nil
	}
	yes, err := i.ask(ctx, r, q)
	if nobody := new(nobodyAsked); errors.As(err, nobody) {
		nobody.fault.Hint = "resume it where a person can answer, or with --changed (the page: changed), which answers yes"
	}
	if err == nil && !yes {
		err = fault.New(fault.Conflict, "%s has changed since the conversation %s was kept", q.Lines[0].Where, k.ID).
			Hinting("put the file back, or answer yes")
	}
	return err
}

// settleDoubts asks about each call that may not have ended, or whose arguments had a
// secret that was not kept. It sets r.Retake to the calls that run again.
func (i *Instance) settleDoubts(ctx context.Context, r *run.Runner, k *conversation.Kept) error {
	r.Retake = map[string]bool{}
	for _, d := range k.Reopen() {
		line := approval.Line{Path: d.Tool, Value: d.Args, Where: "call " + d.ID}
		q := approval.Question{
			Title: fmt.Sprintf("%s was running when golem ended, and whether it finished is not known. Run it again?", d.Tool),
		}
		line.Means = "yes runs it again (it is approved as any call), no takes it as failed and tells the worker so"
		if d.Secret {
			q.Title = fmt.Sprintf("The arguments of %s had a secret, which golem does not keep, so it cannot run the call. Take it as failed and go on?", d.Tool)
			line.Means = "yes tells the worker that the call failed, no leaves the conversation as it is"
		}
		q.Lines = []approval.Line{line}
		yes, err := i.ask(ctx, r, q)
		if err == nil && d.Secret && !yes {
			err = fault.New(fault.Conflict, "the call %s of %s cannot be run again, because its arguments had a secret", d.ID, d.Tool).
				Hinting("resume again and take it as failed")
		}
		if err != nil {
			return err
		}
		r.Retake[d.ID] = yes && !d.Secret
	}
	return nil
}

// goesOn restores a chat, shows its title and with recap its last messages, and continues an
// exchange in which golem was killed. It returns false if the chat ends.
func (i *Instance) goesOn(ctx context.Context, s *run.Session, r *run.Runner, recap bool, send func(func(context.Context) run.Result) bool) bool {
	pending, err := s.Resume(ctx)
	if err != nil {
		s.Fail(fault.Of(err, fault.Model))
		return false
	}
	k := r.Kept
	s.Say("info", fmt.Sprintf("resumed %s: %q, %d message(s)", r.Journal.ID, k.Title(), k.Messages()))
	said := k.Said()
	for _, one := range said[max(len(said)-2, 0):] {
		if recap && one.Text != "" && one.Who != "tool" {
			s.Say("info", one.Who+": "+one.Text)
		}
	}
	return !pending || send(s.Continue)
}
