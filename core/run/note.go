package run

import (
	"cmp"
	"context"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/trace"
)

// commandTool is the tool of the toolset shell that runs a command line, and maxNoted how
// much of its output the model is told, in bytes.
const (
	commandTool = "run_command"
	maxNoted    = 8 << 10
)

// Shell runs a command line for the person with the root worker's own shell, through its
// gate. The model is told of it before its next request.
func Shell(ctx context.Context, s *Session, line string) (tool.Output, error) {
	if _, has := s.run.toolbox.Get(commandTool); !has {
		return tool.Output{}, fault.New(fault.UnknownTool, "%s has no shell, so it runs no commands", s.run.worker.ID).
			Hinting("write toolsets: {shell: {}} into the worker's file; begin with !! to send a text that begins with !")
	}
	out, err := callFor(ctx, s, commandTool, Input{JSON: []byte(`{"command":` + string(quote(line)) + `}`)}, true)
	told := "[System: User ran a command in the shell]\n$ " + line + "\n"
	if err != nil {
		told += "It did not succeed: " + fault.Of(err, fault.Tool).Message
	} else {
		told += fault.Head(cmp.Or(out.String(), "(no output)"), maxNoted)
	}
	t := s.tree.staging
	t.later = append(t.later, told)
	return out, err
}

// SayDraft emits a line for the person, with the message that was not sent.
func SayDraft(s *Session, text, draft string) {
	s.run.emit(trace.Status{Text: text, Level: "info", Draft: draft})
}
