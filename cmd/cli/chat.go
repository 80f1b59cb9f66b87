package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/project"
	"golem/core/run"
	"golem/core/ui"
)

func (h *host) chatCommand() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "chat [TARGET] [MESSAGE…]",
		Short: "talk with a project or a worker",
		Long: `Talks with a project or a worker: a message a line, from the terminal or from
standard input, until /exit or the end of input. /help lists the commands. On a
terminal, in a project, TARGET may be left out.`,
		Example: `  golem chat .
  golem chat . --model ollama:qwen3
  golem chat . --resume
  golem chat main.worker "Hello"`,
		RunE: func(_ *cobra.Command, words []string) error {
			f.command = "chat"
			if len(words) == 0 && f.project == "" && !f.noProject && h.setting("PROJECT") == "" && h.inProject() {
				words = []string{"."} // as golem alone does
			}
			return h.orJSON(f, h.runProject(f, words, true))
		},
	}
	f.addRun(cmd.Flags())
	cmd.Flags().IntVar(&f.at, "at", 0, "with --resume: go back to before your message with this number, and go on there as a new conversation; the old one stays")
	h.complete(cmd, f)
	return cmd
}

// once runs the entry once.
func (s *session) once(inst *core.Instance, in run.Input) error {
	ctx, leave, stop := s.host.interruptibleBut(context.Background(), nil)
	defer stop()
	s.tree, s.leave = true, leave
	s.warnNobody(ctx, inst)
	if err := s.open(inst, false); err != nil {
		return err
	}
	s.start()
	s.options.Resume = s.flags.resumed()
	res := inst.Run(ctx, in, s.ui, s.options)
	err := s.close(res)
	if res.Status == run.Interrupted && res.Conversation != "" && !s.flags.quiet && !s.flags.json {
		s.howToGoOn("run", res.Conversation)
	}
	return err
}

// warnNobody prints the warning that nobody can be asked, if that is so.
func (s *session) warnNobody(ctx context.Context, inst *core.Instance) {
	if s.questions.Person == nil {
		s.host.warnNobody(ctx, inst, s.flags)
	}
}

// start begins to draw, if the front end has a Start method.
func (s *session) start() {
	if p, ok := s.ui.(interface{ Start() }); ok {
		p.Start()
	}
}

// talk runs chats with the entry, one conversation after another: /resume in a chat
// chooses the next one. Each conversation has its own copy of the session.
func (s session) talk(inst *core.Instance, entry *project.Worker, first *run.Input) error {
	one := &exchanges{}
	ctx, leave, stop := s.host.interruptibleBut(context.Background(), one)
	defer stop()
	s.warnNobody(ctx, inst)
	s.options.Resume, s.options.Exchange = s.flags.resumed(), one.begin
	s.writing = newWriting(s.host, inst, s.place)
	if isTerminal(s.host.in) && !s.flags.json && !s.flags.headless {
		s.options.Said = s.writing.said
	}
	var worst error
	for {
		now := s
		if err := now.open(inst, true); err != nil {
			return err
		}
		if s.host.fullScreen(s.flags, true) {
			now.screen(inst, entry, one, leave)
		}
		now.start()
		next, err := now.chat(ctx, inst, first)
		if ctx.Err() != nil {
			return err
		}
		if worst = worse(worst, err); next == "" {
			return worst
		}
		s.options.Resume, first = &core.Resume{ID: next, Recap: true}, nil
	}
}

// worse returns the error of two conversations that decides the exit code of both: each
// other error comes before the exit code 3, of calls about which nobody could be asked.
func worse(a, b error) error {
	if a == nil || a == exitCode(exitNobody) && b != nil {
		return b
	}
	return a
}

// chat runs one chat to its end. next is the conversation that the person chose with
// /resume; "" if the chat just ended.
func (s *session) chat(ctx context.Context, inst *core.Instance, first *run.Input) (next string, err error) {
	commands := &chatCommands{host: s.host, inst: inst, place: s.place, trace: s.traced}
	commands.resuming = func(entry, id string) string { return s.resuming("chat", cmp.Or(entry, s.flags.entry), id) }
	for _, flag := range []string{"trace", "record", "artifacts"} {
		if s.flags.given(flag) {
			commands.fixed = "--" + flag + " is for one conversation"
		}
	}
	s.options.Command = commands.do
	s.greet(inst)
	res := inst.Chat(ctx, first, s.ui, s.options)
	if ctx.Err() != nil && res.Status != run.Failed {
		res.Status = run.Interrupted // at the prompt, between two exchanges
	}
	return commands.next, s.close(res)
}

// greet prints, on a terminal, with whom the person talks and how to leave the chat.
func (s *session) greet(inst *core.Instance) {
	p, is := s.ui.(*ui.Plain)
	entry, err := inst.Entry()
	if !is || !p.Prompts || s.flags.quiet || err != nil {
		return
	}
	text := "Chat with " + oneLine(entry.ID)
	if entry.Model != "" {
		text += " (" + oneLine(entry.Model) + ")"
	}
	s.host.beside(func() {
		fmt.Fprintln(s.host.err, fit(s.host.err, text+". /help lists the commands, /exit ends the chat."))
	})
}
