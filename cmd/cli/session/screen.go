package session

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"golem/core"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/ui"
	"golem/core/ui/view"

	"golem/cmd/cli/console"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/tracecmd"
	"golem/cmd/cli/traceview"
	"golem/cmd/cli/tui"
)

// fullScreen reports whether a chat uses the full screen: all three streams must be
// terminals, standard output and standard error the same one, and no flag may ask for
// plain lines.
func fullScreen(c *console.Console, f *runflags.Flags, chat bool) bool {
	return chat && !f.Plain && !f.JSON && !f.Quiet && !f.Verbose && !f.Headless &&
		console.IsTerminal(c.In) && c.Escapes(c.Out) && console.OneTerminal(c.Out, c.Err) && console.InForeground(c.Out)
}

// screen sets the full-screen front end of a chat for this session.
func (s *Session) screen(inst *core.Instance, entry *project.Worker, one *console.Exchanges, leave func(*fault.Fault)) {
	c := s.Console
	s.live = &live{}
	s.writing.live = s.live
	o := tui.Options{
		Project: s.place.Name(), Entry: entry.ID, Model: entry.Model, Mode: string(inst.Project().Approval.Mode), Resumed: s.Options.Resume != nil,
		In: c.In, Out: c.Out, Env: os.Environ(), Color: c.Colors(c.Out, s.flags.NoColor),
		Writing: tui.Writing{
			Editor: s.writing.editor(), Compose: func(text string) (tui.Command, func() (string, error), error) { return compose(c, text) },
			Dropped: s.writing.drop, LookUp: s.writing.lookUp,
		},
		Stop: one.End, Chosen: s.live.model, Permit: s.live.Permit,
		Leave: func() { leave(fault.New(fault.Interrupted, "interrupted by the user")) },
		Trace: s.viewer, Notify: s.notice(inst),
		Gone: func(error) { leave(fault.New(fault.Interrupted, "the terminal is gone")) },
	}
	o.Marked, o.Forms = &s.writing.marked, func() []tui.Forms { return forms(inst, s.live.id()) }
	if store := inst.Clearance(); store.Kept() {
		o.Clearance = store
	}
	if store := inst.Undo(); store.Kept() {
		o.Undo = store
	}
	u := tui.New(o)
	tell := func(text string) { u.Tell("warn", text) }
	if s.place.Assistant {
		u.Tell("info", assistantHello)
	}
	if entry.Model == "" {
		u.Tell("warn", noModel)
	}
	c.Attach(&console.Front{Tell: tell})
	s.UI, s.Options.Recap = u, false
	s.live.recall = s.recall(inst, u)
	s.finish = func(res run.Result) error {
		c.Attach(nil)
		if u.Close() == nil && !s.onward {
			s.farewell(res)
		}
		return nil
	}
}

// recall shows what was said in a conversation that goes on, before golem asks whether and how
// it goes on. The function that it returns shows a branch, or another conversation, when the chat
// is open; nil: the conversation is new.
func (s *Session) recall(inst *core.Instance, u *tui.UI) func(id string) {
	if s.Options.Resume == nil {
		return nil
	}
	later := func(id string) { u.Recall(shownItems(inst, id)) }
	kept := inst.Conversations()
	if kept == nil || s.Options.At > 0 {
		return later
	}
	id := cmp.Or(*s.Options.Resume, conversation.Newest(kept))
	u.Recall(shownItems(inst, id))
	return func(opened string) {
		if opened != id {
			later(opened)
		}
	}
}

// forms returns the messages of a conversation that exist in several forms.
func forms(inst *core.Instance, id string) (out []tui.Forms) {
	kept := inst.Conversations()
	if kept == nil || id == "" {
		return nil
	}
	for _, p := range conversation.Branches(kept, id) {
		out = append(out, tui.Forms{N: p.N, Index: p.Index, IDs: p.IDs})
	}
	return out
}

// viewer returns a viewer of the chat's trace up to now.
func (s *Session) viewer() (tui.Viewer, error) {
	if s.traced == "" {
		return nil, noTrace()
	}
	header, events, err := tracecmd.Read(s.Console, s.traced)
	if err != nil {
		return nil, err
	}
	return traceview.New(header, view.Read(events), tracecmd.Prompts(s.Console, s.flags.Artifacts), s.Console.Colors(s.Console.Out, s.flags.NoColor)), nil
}

// farewell prints, after the screen was removed, the error that ended the chat and how
// to go on with the conversation.
func (s *Session) farewell(res run.Result) {
	c := s.Console
	if res.Error != nil && res.Status != run.Interrupted {
		c.Report(res.Error)
	}
	if res.Conversation != "" {
		s.howToGoOn("chat", res.Conversation)
	}
}

// howToGoOn prints the command that resumes a conversation.
func (s *Session) howToGoOn(verb, id string) {
	s.Console.Beside(func() {
		fmt.Fprintf(s.Console.Err, "Conversation %s. To go on with it:\n  %s\n", id, s.resuming(verb, s.flags.Entry, id))
	})
}

// repeated are the flags that a conversation does not keep and that say what runs. A
// command that resumes it repeats them. Flags of trust and approval are not repeated.
var repeated = []string{
	"no-project", "verify", "lib", "no-import-tools", "allow-module-imports", "allow-outside",
	"model", "set", "limit", "max-depth", "max-turns",
}

// resuming returns the command that resumes a conversation of this session's project,
// with the worker entry unless it is "".
func (s *Session) resuming(verb, entry, id string) string {
	words := []string{"golem", verb}
	if s.flags.Project != "" {
		words = append(words, "--project", s.flags.Project)
	}
	if s.Target != "" && (entry == "" || !s.place.File) {
		words = append(words, s.Target)
	}
	if entry != "" {
		words = append(words, "--entry", entry)
	}
	words = append(append(words, s.flags.Words(repeated)...), "--resume", id)
	for i, w := range words {
		words[i] = console.ShellWord(w)
	}
	return ui.OneLine(strings.Join(words, " "))
}
