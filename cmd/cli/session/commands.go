package session

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
	"golem/core/ui"
	"golem/core/ui/report"
	"golem/core/ui/view"

	"golem/cmd/cli/clearcmd"
	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/input"
	"golem/cmd/cli/personcmd"
	"golem/cmd/cli/projectcmd"
	"golem/cmd/cli/target"
	"golem/cmd/cli/tracecmd"
)

// chatCommands is the host of a chat (core.ChatHost). It carries out the commands that need
// this machine: its files, its terminal and the list of conversations.
type chatCommands struct {
	exchanges *console.Exchanges
	live      *live    // the screen; nil: it needs no session
	history   *writing // gets what the person sent; nil: there is no history
	console   *console.Console
	inst      *core.Instance
	notices   *Notice
	place     target.Place
	// resuming returns the command that resumes a conversation with the worker entry; "":
	// with the worker of this chat.
	resuming func(entry, id string) string
	trace    string // the file of this chat's trace; "": there is none
	// fixed says, as a phrase, why another conversation cannot follow in this chat; "":
	// one can.
	fixed string
	// next is the conversation that /resume chose; "" if the chat just ended.
	next string
}

// Command carries out one command.
func (c *chatCommands) Command(ctx context.Context, s *run.Session, cmd ui.Command) (string, error) {
	switch cmd.Name {
	case ui.Model:
		return c.models(ctx, s)
	case ui.Resume:
		return c.resume(s, cmd.Arg)
	case ui.Clearance:
		return c.clearance(ctx, strings.Fields(cmd.Arg))
	case ui.Set:
		return c.notices.set(strings.TrimPrefix(cmd.Arg, "notify="))
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
	return "", console.Usage("/%s is not a command of the command line", cmd.Name)
}

// models returns the list of the models that can be used now. Its first line is the
// model in use.
func (c *chatCommands) models(ctx context.Context, s *run.Session) (string, error) {
	now := "the model is " + s.Model()
	if s.Model() == "" {
		now = "no model is chosen yet"
	}
	offers, faults := projectcmd.ListModels(ctx, c.inst, nil)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var b strings.Builder
	b.WriteString(now + "; /model NAME uses another one\n")
	if len(offers) > 0 {
		b.WriteString(ui.Table(projectcmd.ModelRows(offers)))
	}
	for _, f := range faults {
		b.WriteString(ui.OneLine(f.Error()) + "\n")
	}
	return b.String(), nil
}

// resume ends this chat with io.EOF, so that another conversation can follow. id may be
// the number in the list, the whole ID, or a part of one ID only.
func (c *chatCommands) resume(s *run.Session, id string) (string, error) {
	kept := c.inst.Conversations()
	if kept == nil {
		return "", console.Usage("no conversations are kept here").Hinting("golem keeps them with files on disk, where GOLEM_HOME is set")
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
		return ConversationTable(c.console.Err, all, numbers(all, all)), nil
	}
	found, err := c.named(kept, all, id)
	if err != nil || len(found) > 1 {
		return severalText(c.console, all, found, id), err
	}
	switch {
	case found[0].ID == s.ID():
		return "", console.Usage("the conversation %s is already open in this chat", found[0].ID).Hinting("/resume alone lists the others")
	case c.isOtherWorker(found[0].Worker):
		return "", console.Usage("the conversation %s belongs to the worker %s", found[0].ID, found[0].Worker).Hinting("leave, and type %s", c.resuming(found[0].Worker, found[0].ID))
	case found[0].Error != nil:
		return "", found[0].Error
	case found[0].Status == "running":
		return "", fault.New(fault.Busy, "the conversation %s is in use by another golem", found[0].ID).Hinting("end the other run first")
	case c.fixed != "":
		return "", console.Usage("%s, so another conversation cannot follow in this chat", c.fixed).Hinting("leave, and type %s", c.resuming("", found[0].ID))
	}
	c.next = found[0].ID
	return "", io.EOF
}

// isOtherWorker reports whether a worker is another one than that of this chat.
func (c *chatCommands) isOtherWorker(worker string) bool {
	entry, err := c.inst.Entry()
	return err == nil && entry.ID != worker
}

// clearance lists the staged items, or decides about one.
func (c *chatCommands) clearance(ctx context.Context, words []string) (string, error) {
	store := c.inst.Clearance()
	if !store.Kept() {
		return "", console.Usage("no staged changes are kept here").Hinting("golem keeps them with files on disk, where GOLEM_HOME is set")
	}
	if len(words) == 0 || words[0] == "list" {
		items, err := store.List()
		return clearcmd.ItemTable(c.console, items), err
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
			return "", console.Usage("/clearance %s does not take %s", words[0], words[i]).Hinting("/clearance push 1, or golem clearance --help")
		}
	}
	if id == "" {
		one, err := clearcmd.Only(store)
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
		return "", console.Usage("/clearance has no %s", words[0]).Hinting("%s", fault.DidYouMean(words[0], []string{"list", "diff", "push", "discard", "defer"}))
	}
	if err != nil {
		return "", err
	}
	return clearcmd.DecidedText(it), nil
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
	text := "item " + it.ID + ": " + ui.OneLine(it.Message) + "\n"
	for _, d := range diffs {
		if d.Definition {
			text += ui.OneLine(d.To) + " defines the project: push it with --definition " + ui.OneLine(d.To) + "\n"
		}
	}
	return text + clearcmd.PatchText(c.console, diffs), nil
}

// approvals lists the rules that the person keeps for the project, or removes one.
func (c *chatCommands) approvals(s *run.Session, words []string) (string, error) {
	kept := target.Rules(c.console, c.place)
	rules, err := kept.List()
	switch {
	case err != nil:
		return "", err
	case len(words) == 0 && len(rules) == 0:
		return "no rules are kept for this project", nil
	case len(words) == 0:
		return personcmd.RulesText(rules), nil
	case words[0] != "remove" || len(words) != 2:
		return "", console.Usage("/approvals takes nothing, or remove and a number").Hinting("/approvals remove 1")
	}
	n, err := strconv.Atoi(words[1])
	if err != nil || n < 1 || n > len(rules) {
		return "", console.Usage("there is no rule %s", words[1]).Hinting("/approvals lists them with their numbers")
	}
	if err := kept.Remove(n, rules[n-1].YAML()); err != nil {
		return "", err
	}
	s.Approvals().DropRule(rules[n-1])
	return "removed: " + personcmd.RuleText(rules[n-1]) + "\nfrom now on it does not count in this chat either", nil
}

// tree returns the tree of calls of this chat so far.
func (c *chatCommands) tree() (string, error) {
	if c.trace == "" {
		return "", noTrace()
	}
	_, events, err := tracecmd.Read(c.console, c.trace)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := report.Render(&b, view.Read(events), report.Options{Turns: true}); err != nil {
		return "", err
	}
	return b.String() + "golem trace show " + c.trace, nil
}

func noTrace() error {
	return console.Usage("this chat has no trace that can be read").Hinting("--trace FILE names a regular file for it")
}

// attach adds a file to the next message.
func (c *chatCommands) attach(s *run.Session, name string) (string, error) {
	if name != "" {
		files, err := input.Attachments(c.console, "", []string{name})
		if err != nil {
			return "", err
		}
		s.Attach(files...)
	}
	var names []string
	for _, f := range s.Attached() {
		about := fmt.Sprintf("%d bytes", len(f.Data))
		if f.Resource {
			about = "read when you send"
		}
		names = append(names, ui.OneLine(f.Name)+" ("+about+")")
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
		return "", console.Usage("the conversation is not kept, so it cannot be written").Hinting("golem keeps it with files on disk, where GOLEM_HOME is set")
	}
	k, err := conversation.Read(kept, s.ID())
	if err != nil {
		return "", fault.New(fault.NotFound, "nothing was said yet").Hinting("send a message first")
	}
	if name == "" {
		name = s.ID() + ".md"
	}
	file, err := os.OpenFile(c.console.Path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", console.Usage("%s cannot be written: %s", name, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "name a file that does not exist, in a directory that you can write to"))
	}
	_, err = file.WriteString(k.Markdown())
	if err = errors.Join(err, file.Close()); err != nil {
		return "", console.Usage("%s was not written whole: %s", name, disk.Cause(err))
	}
	return "written to " + name, nil
}
