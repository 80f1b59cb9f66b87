package session

import (
	"cmp"
	"context"
	"fmt"

	"golem/core"
	"golem/core/options"
	"golem/core/project"
	"golem/core/run"
	"golem/core/ui"
	"golem/core/ui/plain"

	"golem/cmd/cli/console"
)

// Once runs the entry once.
func (s *Session) Once(inst *core.Instance, in run.Input) error {
	ctx, leave, stop := s.Console.InterruptibleBut(context.Background(), nil)
	defer stop()
	s.tree, s.leave = true, leave
	s.warnNobody(ctx, inst)
	if err := s.Open(inst, false); err != nil {
		return err
	}
	s.start()
	res := inst.Run(ctx, in, s.UI, s.Options)
	err := s.Close(res)
	if res.Status == run.Interrupted && res.Conversation != "" && !s.flags.Quiet && !s.flags.JSON {
		s.howToGoOn("run", res.Conversation)
	}
	return err
}

// warn prints the warning that nobody can be asked, if that is so.
func (s *Session) warnNobody(ctx context.Context, inst *core.Instance) {
	if s.questions.Person == nil {
		warn(ctx, s.Console, inst, s.flags)
	}
}

// start begins to draw, if the front end has a Start method.
func (s *Session) start() {
	if p, ok := s.UI.(interface{ Start() }); ok {
		p.Start()
	}
}

// Talk runs chats with the entry, one conversation after another: /resume in a chat
// chooses the next one. Each conversation has its own copy of the session.
func (s Session) Talk(inst *core.Instance, entry *project.Worker, first *run.Input) error {
	one := &console.Exchanges{}
	ctx, leave, stop := s.Console.InterruptibleBut(context.Background(), one)
	defer stop()
	s.warnNobody(ctx, inst)
	s.exchanges, s.writing = one, newWriting(s.Console, inst, s.place)
	var worst error
	for {
		now := s
		if err := now.Open(inst, true); err != nil {
			return err
		}
		if fullScreen(s.Console, s.flags, true) {
			now.screen(inst, entry, one, leave)
		}
		now.start()
		next, err := now.chat(ctx, inst, first)
		if ctx.Err() != nil {
			return err
		}
		if worst = worseError(worst, err); next == "" {
			return worst
		}
		s.Options.Running, first = options.Running{Strict: s.flags.Strict, Resume: &next}, nil
	}
}

// worseError returns the error of two conversations that decides the exit code of both: each
// other error comes before the exit code 3, of calls about which nobody could be asked.
func worseError(a, b error) error {
	if a == nil || a == console.ExitCode(console.ExitNobody) && b != nil {
		return b
	}
	return a
}

// chat runs one chat to its end. next is the conversation that the person chose with
// /resume; "" if the chat just ended.
func (s *Session) chat(ctx context.Context, inst *core.Instance, first *run.Input) (next string, err error) {
	commands := &chatCommands{console: s.Console, inst: inst, notices: s.notices, place: s.place, trace: s.traced, exchanges: s.exchanges, live: s.live}
	if console.IsTerminal(s.Console.In) && !s.flags.JSON && !s.flags.Headless {
		commands.history = s.writing
	}
	commands.resuming = func(entry, id string) string { return s.resuming("chat", cmp.Or(entry, s.flags.Entry), id) }
	for _, flag := range []string{"trace", "record", "artifacts"} {
		if s.flags.Given(flag) {
			commands.fixed = "--" + flag + " is for one conversation"
		}
	}
	s.Options.Host = commands
	s.greet(inst)
	res := inst.Chat(ctx, first, s.UI, s.Options)
	if ctx.Err() != nil && res.Status != run.Failed {
		res.Status = run.Interrupted // at the prompt, between two exchanges
	}
	s.onward = commands.next != ""
	err = s.Close(res)
	if p, is := s.UI.(*plain.UI); is && p.Prompts && !s.flags.Quiet && !s.onward && res.Conversation != "" {
		s.howToGoOn("chat", res.Conversation) // as behind the screen
	}
	return commands.next, err
}

// assistantHello says, at the beginning of a chat with the assistant, what it may do.
const assistantHello = "This directory is not a project: golem's assistant reads it, and asks before it does anything else. golem init DIR makes a project."

// noModel says, at the beginning of a chat, that nobody has chosen a model.
const noModel = "no model is chosen yet: /model NAME chooses one for this conversation, golem login keeps one with its key"

// greet prints, on a terminal, with whom the person talks and how to leave the chat.
func (s *Session) greet(inst *core.Instance) {
	p, is := s.UI.(*plain.UI)
	entry, err := inst.Entry()
	if !is || !p.Prompts || s.flags.Quiet || err != nil {
		return
	}
	text := "Chat with " + ui.OneLine(entry.ID)
	if entry.Model != "" {
		text += " (" + ui.OneLine(entry.Model) + ")"
	}
	s.Console.Beside(func() {
		fmt.Fprintln(s.Console.Err, console.Fit(s.Console.Err, text+". /help lists the commands, /exit ends the chat."))
		if entry.Model == "" {
			fmt.Fprintln(s.Console.Err, console.Fit(s.Console.Err, noModel))
		}
		if s.place.Assistant {
			fmt.Fprintln(s.Console.Err, console.Fit(s.Console.Err, assistantHello))
		}
	})
}
