package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"golem/core"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/trace"

	"golem/cmd/cli/traceview"
	"golem/cmd/cli/tui"
)

// fullScreen reports whether a chat uses the full screen: all three streams must be
// terminals, standard output and standard error the same one, and no flag may ask for
// plain lines.
func (h *host) fullScreen(f *flags, chat bool) bool {
	return chat && !f.plain && !f.json && !f.quiet && !f.verbose && !f.headless &&
		isTerminal(h.in) && h.escapes(h.out) && oneTerminal(h.out, h.err) && inForeground(h.out)
}

// screen sets the full-screen front end of a chat for this session.
func (s *session) screen(inst *core.Instance, entry *project.Worker, one *exchanges, leave func(*fault.Fault)) {
	h := s.host
	mode, _, _ := inst.Project().Approval()
	o := tui.Options{
		Project: s.place.name(), Entry: entry.ID, Model: entry.Model, Mode: string(mode), Resumed: s.options.Resume != nil,
		In: h.in, Out: h.out, Env: os.Environ(), Color: h.colors(h.out, s.flags),
		Editor: s.writing.editor(), Compose: h.compose,
		Stop:  one.end,
		Leave: func() { leave(fault.New(fault.Interrupted, "interrupted by the user")) },
		Trace: s.viewer, Notify: s.notice(inst),
		Gone: func(error) { leave(fault.New(fault.Interrupted, "the terminal is gone")) },
	}
	if store := inst.Clearance(); store.Kept() {
		o.Clearance = store
	}
	if store := inst.Undo(); store.Kept() {
		o.Undo = store
	}
	u := tui.New(o)
	tell := func(text string) { u.Tell("warn", text) }
	h.tell.Store(&tell)
	h.aside.Store(nil)
	s.ui = u
	s.finish = func(res run.Result) error {
		h.tell.Store(nil)
		if u.Close() == nil {
			s.farewell(res)
		}
		return nil
	}
}

// viewer returns a viewer of the chat's trace up to now.
func (s *session) viewer() (tui.Viewer, error) {
	if s.traced == "" {
		return nil, noTrace()
	}
	header, events, err := s.host.readTrace(s.traced)
	if err != nil {
		return nil, err
	}
	return traceview.New(header, trace.Tree(events), s.host.prompts(s.flags.artifacts), s.host.colors(s.host.out, s.flags)), nil
}

// farewell prints, after the screen was removed, the error that ended the chat and how
// to go on with the conversation.
func (s *session) farewell(res run.Result) {
	h := s.host
	if res.Error != nil && res.Status != run.Interrupted {
		h.report(res.Error)
	}
	if res.Conversation != "" {
		s.howToGoOn("chat", res.Conversation)
	}
}

// howToGoOn prints the command that resumes a conversation.
func (s *session) howToGoOn(verb, id string) {
	s.host.beside(func() {
		fmt.Fprintf(s.host.err, "Conversation %s. To go on with it:\n  %s\n", id, s.resuming(verb, s.flags.entry, id))
	})
}

// repeated are the flags that a conversation does not keep and that say what runs. A
// command that resumes it repeats them. Flags of trust and approval are not repeated.
var repeated = []string{
	"no-project", "verify", "lib", "no-import-tools", "allow-module-imports", "allow-outside",
	"model", "set", "limit", "max-depth", "max-turns",
}

// words returns the flags of these names that were given, as words of a command line.
func (f *flags) words(names []string) (words []string) {
	for _, name := range names {
		if !f.given(name) {
			continue
		}
		value := f.set.Lookup(name).Value
		values := []string{value.String()}
		if list, ok := value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch {
			case value.Type() != "bool":
				words = append(words, "--"+name, v)
			case v == "true":
				words = append(words, "--"+name)
			}
		}
	}
	return words
}

// resuming returns the command that resumes a conversation of this session's project,
// with the worker entry unless it is "".
func (s *session) resuming(verb, entry, id string) string {
	words := []string{"golem", verb}
	if s.flags.project != "" {
		words = append(words, "--project", s.flags.project)
	}
	if s.target != "" && (entry == "" || !s.place.file) {
		words = append(words, s.target)
	}
	if entry != "" {
		words = append(words, "--entry", entry)
	}
	words = append(append(words, s.flags.words(repeated)...), "--resume", id)
	for i, w := range words {
		words[i] = shellWord(w)
	}
	return oneLine(strings.Join(words, " "))
}
