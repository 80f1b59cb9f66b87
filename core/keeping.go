package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golem/core/approval"
	"golem/core/consent"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/project"
	"golem/core/run"
	"golem/core/state"
	"golem/core/trace"
	"golem/core/ui"
)

// Conversations returns the store of the project's conversations, or nil if none are kept.
func (i *Instance) Conversations() *state.Store {
	if s := &i.platform.State; s.Kept() && !i.options.InMemory() {
		return s
	}
	return nil
}

// keeping returns where the conversation of a run is kept (SPEC §14): a new one, or one that
// is resumed. With a sandbox in memory nothing is kept, because the effects of its calls are
// lost.
func (i *Instance) keeping(ctx context.Context, before *beforehand, entry *project.Worker, ro RunOptions, mode string) (out run.Keeping, err error) {
	keepsFiles := i.platform.Volatile
	if ro.Resume != nil {
		if i.options.InMemory() {
			return out, fault.New(fault.Usage, "a conversation cannot be resumed with files in memory").Hinting("leave --sandbox memory out")
		}
		if out, err = before.resume(ctx, &i.platform.State, keeper{i.values, &i.platform, before.front}, entry, ro, mode); err == nil && keepsFiles {
			out.Journal.KeepsFiles = true
			err = i.restoreFiles(out)
		}
	} else if s := i.Conversations(); s != nil {
		out.Journal = conversation.Start(s, keeper{i.values, &i.platform, before.front}, conversation.Entry{Run: ro.ID, Mode: mode, Worker: entry.ID, File: entry.File})
		out.Journal.KeepsFiles = keepsFiles
	}
	return out, err
}

// restoreFiles puts the files that the calls of a resumed conversation left into the project's
// files, which began anew with the process. With an error it ends the journal.
func (i *Instance) restoreFiles(k run.Keeping) error {
	root, err := i.platform.Files.Mount(".")
	if err == nil {
		err = conversation.Restore(&i.platform.State, k.Kept, root)
	}
	if err != nil {
		k.Journal.Close()
		return fault.Of(err, fault.Conflict)
	}
	return nil
}

// keeper removes secrets from what is kept of a conversation, and warns if nothing more can be
// kept.
type keeper struct {
	values   *values
	platform *Platform
	front    front
}

// Redact removes secrets from an entry.
func (k keeper) Redact(line []byte) []byte { return k.values.now().Line(line) }

// Beginning removes secrets from the beginning of a text.
func (k keeper) Beginning(text string) string { return k.values.now().Beginning(text) }

// HasSecret reports whether a content has one of the secrets that golem knows.
func (k keeper) HasSecret(data []byte) bool {
	text := string(data)
	return k.values.Redact(text) != text
}

// Now returns the platform's time.
func (k keeper) Now() time.Time { return k.platform.now() }

// Trouble warns of an error.
func (k keeper) Trouble(err error) {
	k.front.Emit(trace.Event{ID: "0", Body: trace.Warning{Code: fault.Config, Message: "the conversation could not be kept from here on, so it cannot be resumed; the run goes on: " + fault.Of(err, fault.Config).Text()}})
}

// resume reads the conversation to resume, and asks the person the questions that must be
// answered first.
func (b *beforehand) resume(ctx context.Context, s *state.Store, by conversation.Keeper, entry *project.Worker, ro RunOptions, mode string) (out run.Keeping, err error) {
	if err := ro.CheckDoubt(); err != nil {
		return out, err
	}
	id := *ro.Resume
	if id == "" {
		id = conversation.Newest(s)
	}
	if id == "" {
		_, err := conversation.Read(s, "")
		return out, err
	}
	release, err := conversation.Hold(s, id)
	if err != nil && ro.At == 0 {
		return out, err
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
	if err == nil && ro.At > 0 {
		out.Journal, k, err = conversation.Branch(s, by, k, ro.At, ro.ID)
		release()
		release = func() { out.Journal.Close() }
	}
	if err == nil {
		err = b.askAboutChanges(ctx, k.ID, changed(b.project, k), ro.Changed)
	}
	if err == nil && mode == conversation.ModeChat && ro.AskToGoOn && k.Pending(false) {
		out.Left, err = b.askToGoOn(ctx, k)
	}
	if out.Left {
		ro.Doubt = options.DoubtFail
	}
	if err == nil && k.Pending(mode == "run") {
		out.Retake, err = b.settleDoubts(ctx, k.Reopen(), ro.Doubt)
	}
	if err == nil && out.Journal == nil {
		out.Journal, err = conversation.Resume(s, by, k, release)
	}
	if err != nil {
		release()
		return out, err
	}
	if ro.At == 0 {
		out.Journal.Add(conversation.Entry{T: conversation.ResumeEntry, Run: ro.ID})
	}
	for _, d := range changed(b.project, k) {
		out.Journal.Add(conversation.Entry{T: conversation.DigestEntry, Worker: d.Worker, File: d.File, Digest: d.Digest})
	}
	out.Kept = k
	return out, nil
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
func changed(p *project.Project, k *conversation.Kept) []conversation.Digest {
	now := map[string]string{} // by file
	if e, err := p.Workers.Entry(); err == nil {
		now[e.File] = e.Digest
		closure, _ := p.Workers.Closure(e) // the run reports the error
		for _, w := range closure {
			now[w.File] = w.Digest
		}
	}
	var out []conversation.Digest
	for _, d := range k.Digests() {
		if w, err := p.Workers.Find(d.Worker); err == nil {
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

// beforehand asks a person questions before a run begins.
type beforehand struct {
	project *project.Project
	gate    *approval.Gate
	front   front
	notices []trace.Body // the first events of the run, with the answers
}

// ask asks a question. It returns nobodyAsked if nobody can be asked.
func (b *beforehand) ask(ctx context.Context, q approval.Question) (yes bool, err error) {
	q.Kind, q.Call, q.By = approval.KindResume, "0", consent.Beforehand{Front: b.front}
	rec, err := b.gate.Ask(ctx, q)
	if err != nil {
		return false, err
	}
	if rec.Nobody {
		return false, nobodyAsked{fault.New(fault.Denied, "to resume this conversation, golem must ask: %s", q.Title).
			Hinting("resume it where a person can answer")}
	}
	b.notices = append(b.notices, run.Answered(q, rec))
	return rec.Run, nil
}

// askAboutChanges asks whether to resume a conversation although files of its workers have
// changed, and returns E_CONFLICT if not. If yes is true, it does not ask but warns.
func (b *beforehand) askAboutChanges(ctx context.Context, id string, changed []conversation.Digest, yes bool) error {
	q := approval.Question{Title: "Files of this conversation's workers have changed since. Go on with them as they are now?"}
	for _, d := range changed {
		means := "the worker goes on under its new definition; its instructions stay those that were kept"
		if d.Digest == "" {
			means = "there is no such worker any more: a call of it fails"
		}
		q.Lines = append(q.Lines, approval.Line{Path: d.Worker, Value: "has changed", Means: means, Where: d.File})
		if yes {
			b.notices = append(b.notices, trace.Warning{Code: fault.Conflict, Message: d.File + " has changed since the conversation was kept: " + means})
		}
	}
	if len(q.Lines) == 0 || yes {
		return nil
	}
	yes, err := b.ask(ctx, q)
	if nobody := new(nobodyAsked); errors.As(err, nobody) {
		nobody.fault.Hint = "resume it where a person can answer, or with --changed (the page: changed), which answers yes"
	}
	if err == nil && !yes {
		err = fault.New(fault.Conflict, "%s has changed since the conversation %s was kept", q.Lines[0].Where, id).
			Hinting("put the file back, or answer yes")
	}
	return err
}

// askToGoOn asks whether the last exchange of a conversation, in which golem was killed, goes
// on. It returns true if the person leaves it.
func (b *beforehand) askToGoOn(ctx context.Context, k *conversation.Kept) (left bool, err error) {
	said := k.Said()
	i := len(said) - 1
	for i > 0 && said[i].N == 0 {
		i--
	}
	yes, err := b.ask(ctx, approval.Question{
		Title: "Your last message was interrupted before its answer was complete. Go on with it?",
		Lines: []approval.Line{{Path: "message", Value: ui.Brief(said[i].Whole()), Means: "yes asks the model again where it was interrupted; no sends nothing, and the message stays as a stopped one"}},
	})
	return !yes, err
}

// settleDoubts decides about each call that may not have ended, or whose arguments had a
// secret that was not kept. It returns for each whether it runs again. A call that does no more
// when it runs twice runs again; about others it asks, unless how says what to do.
func (b *beforehand) settleDoubts(ctx context.Context, doubts []conversation.Doubt, how string) (retake map[string]bool, err error) {
	retake = map[string]bool{}
	for _, d := range doubts {
		switch {
		case d.Again && !d.Secret:
			retake[d.ID] = true
		case how == options.DoubtRepeat || how == options.DoubtFail:
			retake[d.ID] = how == options.DoubtRepeat && !d.Secret
			b.notices = append(b.notices, trace.Warning{Code: fault.Interrupted, Message: doubtText(d, retake[d.ID])})
		default:
			if retake[d.ID], err = b.askAboutDoubt(ctx, d); err != nil {
				return nil, err
			}
		}
	}
	return retake, nil
}

// doubtText says what --doubt did with a call.
func doubtText(d conversation.Doubt, again bool) string {
	switch {
	case again:
		return fmt.Sprintf("%s (call %s) was running when golem ended, and whether it finished is not known: it runs again", d.Tool, d.ID)
	case d.Secret:
		return fmt.Sprintf("the arguments of %s (call %s) had a secret, which golem does not keep: it is taken as failed", d.Tool, d.ID)
	}
	return fmt.Sprintf("%s (call %s) was running when golem ended, and whether it finished is not known: it is taken as failed", d.Tool, d.ID)
}

// askAboutDoubt asks about one call, and returns whether it runs again.
func (b *beforehand) askAboutDoubt(ctx context.Context, d conversation.Doubt) (again bool, err error) {
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
	yes, err := b.ask(ctx, q)
	if nobody := new(nobodyAsked); errors.As(err, nobody) {
		nobody.fault.Hint = "resume it where a person can answer, or with --doubt repeat or --doubt fail (the page: doubt)"
	}
	if err == nil && d.Secret && !yes {
		err = fault.New(fault.Conflict, "the call %s of %s cannot be run again, because its arguments had a secret", d.ID, d.Tool).
			Hinting("resume again and take it as failed")
	}
	return yes && !d.Secret, err
}
