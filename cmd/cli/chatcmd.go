package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golem/core"
	"golem/core/clearance"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// chatCommands carries out the commands of a chat that need this machine: its files,
// its terminal and the list of conversations (core.RunOptions.Command).
type chatCommands struct {
	host  *host
	inst  *core.Instance
	place place
	// resuming returns the command that resumes a conversation with the worker entry; "":
	// with the worker of this chat.
	resuming func(entry, id string) string
	trace    string // the file of this chat's trace; "": there is none
	// fixed says, as a phrase, why another conversation cannot follow in this chat; "":
	// one can.
	fixed string
	// shown is the run that /undo showed last. /undo yes undoes only this one.
	shown clearance.Item
	// next is the conversation that /resume chose; "" if the chat just ended.
	next string
}

// do carries out one command.
func (c *chatCommands) do(ctx context.Context, s *run.Session, cmd ui.Command) (string, error) {
	switch cmd.Name {
	case ui.Model:
		return c.models(ctx, s)
	case ui.Resume:
		return c.resume(s, cmd.Arg)
	case ui.Clearance:
		return c.clearance(ctx, strings.Fields(cmd.Arg))
	case ui.Set:
		return c.host.notice.set(strings.TrimPrefix(cmd.Arg, "notify="))
	case ui.Undo:
		return c.undo(ctx, cmd.Arg)
	case ui.Approvals:
		return c.approvals(s, strings.Fields(cmd.Arg))
	case ui.Trace:
		return c.tree()
	case ui.Attach:
		return c.attach(s, cmd.Arg)
	case ui.Export:
		return c.export(s, cmd.Arg)
	case ui.Copy:
		return c.copy(s, cmd.Arg)
	}
	return "", usage("/%s is not a command of the command line", cmd.Name)
}

// models returns the list of the models that can be used now. Its first line is the
// model in use.
func (c *chatCommands) models(ctx context.Context, s *run.Session) (string, error) {
	now := "the model is " + s.Model()
	if s.Model() == "" {
		now = "no model is chosen yet"
	}
	offers, faults := listModels(ctx, c.inst, nil)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var b strings.Builder
	b.WriteString(now + "; /model NAME uses another one\n")
	if len(offers) > 0 {
		b.WriteString(table(modelRows(offers)))
	}
	for _, f := range faults {
		b.WriteString(oneLine(f.Error()) + "\n")
	}
	return b.String(), nil
}

// resume ends this chat with io.EOF, so that another conversation can follow. id may be
// the number in the list, the whole ID, or a part of one ID only.
func (c *chatCommands) resume(s *run.Session, id string) (string, error) {
	kept := c.inst.Conversations()
	if kept == nil {
		return "", usage("no conversations are kept here").Hinting("golem keeps them with files on disk, where GOLEM_HOME is set")
	}
	all := conversation.List(kept)
	if id == "" {
		if len(all) == 0 {
			return "no conversation was kept here yet", nil
		}
		for i := range all {
			if all[i].ID == s.ID() {
				all[i].Status = "this one"
			}
		}
		return conversationTable(c.host.err, all, true), nil
	}
	var found []conversation.Listing
	for i, l := range all {
		if n, err := strconv.Atoi(id); err == nil && n == i+1 {
			found = []conversation.Listing{l}
			break
		}
		if l.ID == id {
			found = []conversation.Listing{l}
			break
		}
		if strings.Contains(l.ID, id) {
			found = append(found, l)
		}
	}
	switch {
	case len(found) == 0:
		return "", fault.New(fault.NotFound, "there is no conversation %s", id).Hinting("/resume alone lists them")
	case len(found) > 1:
		return "", usage("%d conversations have %s in their name", len(found), id).Hinting("give more of it; /resume alone lists them")
	case found[0].ID == s.ID():
		return "", usage("the conversation %s is already open in this chat", found[0].ID).Hinting("/resume alone lists the others")
	case c.other(found[0].Worker):
		return "", usage("the conversation %s belongs to the worker %s", found[0].ID, found[0].Worker).Hinting("leave, and type %s", c.resuming(found[0].Worker, found[0].ID))
	case found[0].Error != nil:
		return "", found[0].Error
	case found[0].Status == "running":
		return "", fault.New(fault.Busy, "the conversation %s is in use by another golem", found[0].ID).Hinting("end the other run first")
	case c.fixed != "":
		return "", usage("%s, so another conversation cannot follow in this chat", c.fixed).Hinting("leave, and type %s", c.resuming("", found[0].ID))
	}
	c.next = found[0].ID
	return "", io.EOF
}

// other reports whether a worker is another one than that of this chat.
func (c *chatCommands) other(worker string) bool {
	entry, err := c.inst.Entry()
	return err == nil && entry.ID != worker
}

// clearance lists the staged items, or decides about one.
func (c *chatCommands) clearance(ctx context.Context, words []string) (string, error) {
	store := c.inst.Clearance()
	if !store.Kept() {
		return "", usage("no staged changes are kept here").Hinting("golem keeps them with files on disk, where GOLEM_HOME is set")
	}
	if len(words) == 0 || words[0] == "list" {
		items, err := store.List()
		return c.host.itemTable(items), err
	}
	id, how := "", clearance.Push{}
	for i := 1; i < len(words); i++ {
		switch {
		case words[i] == "--definition" && i+1 < len(words) && words[0] == "push":
			i++
			how.Definitions = append(how.Definitions, words[i])
		case id == "" && !strings.HasPrefix(words[i], "-"):
			id = words[i]
		default:
			return "", usage("/clearance %s does not take %s", words[0], words[i]).Hinting("/clearance push 1, or golem clearance --help")
		}
	}
	if id == "" {
		one, err := only(store)
		if err != nil {
			return "", fault.Of(err, fault.Usage).Hinting("/clearance alone shows them")
		}
		id = one
	}
	var it clearance.Item
	var err error
	switch words[0] {
	case "diff":
		return c.diff(store, id)
	case "push":
		it, err = store.Push(ctx, id, how)
	case "discard":
		it, err = store.Discard(ctx, id)
	case "defer":
		it, err = store.Defer(ctx, id)
	default:
		return "", usage("/clearance has no %s", words[0]).Hinting("%s", fault.DidYouMean(words[0], []string{"list", "diff", "push", "discard", "defer"}))
	}
	if err != nil {
		return "", err
	}
	return decidedText(it), nil
}

func (c *chatCommands) diff(store *clearance.Store, id string) (string, error) {
	it, err := store.Get(id)
	if err != nil {
		return "", err
	}
	diffs, err := store.Diff(it, "")
	if err != nil {
		return "", err
	}
	text := "item " + it.ID + ": " + oneLine(it.Message) + "\n"
	for _, d := range diffs {
		if d.Definition {
			text += oneLine(d.To) + " defines the project: push it with --definition " + oneLine(d.To) + "\n"
		}
	}
	return text + c.host.patchText(diffs), nil
}

// undo shows what undoing the newest run would change, or with "yes" undoes the run
// that was shown.
func (c *chatCommands) undo(ctx context.Context, arg string) (string, error) {
	store := c.inst.Undo()
	switch {
	case !store.Kept():
		return "", usage("what runs replace is not kept here").Hinting("golem keeps it with files on disk, where GOLEM_HOME is set")
	case arg == "yes" && c.shown.ID != "":
		it, err := store.Push(ctx, c.shown.ID, clearance.Push{Digest: c.shown.Digest()})
		if err != nil {
			return "", err
		}
		c.shown = clearance.Item{}
		return "undone: run " + oneLine(it.Run) + "; the model does not know it", nil
	case arg != "":
		return "", usage("/undo takes nothing, or yes after it has shown the changes").Hinting("/undo; golem undo can do more")
	}
	it, err := store.Of(ctx, "", false)
	if err != nil {
		return "", err
	}
	diffs, err := store.Diff(it, "")
	if err != nil {
		return "", err
	}
	c.shown = it
	return "run " + oneLine(it.Run) + ": undoing it would change this\n" + c.host.patchText(diffs) + "/undo yes does it", nil
}

// approvals lists the rules that the person keeps for the project, or removes one.
func (c *chatCommands) approvals(s *run.Session, words []string) (string, error) {
	kept := c.host.rules(c.place)
	rules, err := kept.List()
	switch {
	case err != nil:
		return "", err
	case len(words) == 0 && len(rules) == 0:
		return "no rules are kept for this project", nil
	case len(words) == 0:
		return rulesText(rules), nil
	case words[0] != "remove" || len(words) != 2:
		return "", usage("/approvals takes nothing, or remove and a number").Hinting("/approvals remove 1")
	}
	n, err := strconv.Atoi(words[1])
	if err != nil || n < 1 || n > len(rules) {
		return "", usage("there is no rule %s", words[1]).Hinting("/approvals lists them with their numbers")
	}
	if err := kept.Remove(n, rules[n-1].YAML()); err != nil {
		return "", err
	}
	s.DropRule(rules[n-1])
	return "removed: " + oneLine(rules[n-1].YAML()) + "\nfrom now on it does not count in this chat either", nil
}

// tree returns the tree of calls of this chat so far.
func (c *chatCommands) tree() (string, error) {
	if c.trace == "" {
		return "", noTrace()
	}
	_, events, err := c.host.readTrace(c.trace)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := trace.Render(&b, trace.Tree(events), trace.RenderOptions{Turns: true}); err != nil {
		return "", err
	}
	return b.String() + "golem trace show " + c.trace, nil
}

func noTrace() error {
	return usage("this chat has no trace that can be read").Hinting("--trace FILE names a regular file for it")
}

// attach adds a file to the next message.
func (c *chatCommands) attach(s *run.Session, name string) (string, error) {
	if name != "" {
		files, err := c.host.attachments([]string{name})
		if err != nil {
			f := fault.Of(err, fault.Attachment)
			return "", fault.New(fault.Attachment, "%s", strings.TrimPrefix(f.Message, "--attach ")).Hinting("%s", f.Hint)
		}
		s.Attach(files...)
	}
	var names []string
	for _, f := range s.Attached() {
		about := fmt.Sprintf("%d bytes", len(f.Data))
		if f.Resource {
			about = "read when you send"
		}
		names = append(names, oneLine(f.Name)+" ("+about+")")
	}
	if len(names) == 0 {
		return "no file goes with your next message; /attach FILE adds one", nil
	}
	return "with your next message: " + strings.Join(names, ", "), nil
}

// export writes the conversation to a new file.
func (c *chatCommands) export(s *run.Session, name string) (string, error) {
	kept := c.inst.Conversations()
	if kept == nil {
		return "", usage("the conversation is not kept, so it cannot be written").Hinting("golem keeps it with files on disk, where GOLEM_HOME is set")
	}
	k, err := conversation.Read(kept, s.ID())
	if err != nil {
		return "", fault.New(fault.NotFound, "nothing was said yet").Hinting("send a message first")
	}
	if name == "" {
		name = s.ID() + ".md"
	}
	file, err := os.OpenFile(c.host.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", usage("%s cannot be written: %s", name, cause(err)).Hinting("%s", writeHint(err, "name a file that does not exist, in a directory that you can write to"))
	}
	_, err = file.WriteString(k.Markdown())
	if err = errors.Join(err, file.Close()); err != nil {
		return "", usage("%s was not written whole: %s", name, cause(err))
	}
	return "written to " + name, nil
}
