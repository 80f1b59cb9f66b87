package toolcmd

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"golem/core"
	"golem/core/run"
	"golem/core/ui"
	"golem/core/ui/plain"

	"golem/cmd/cli/asking"
	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/session"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// moduleFlags are the flags of golem tool call with FILE.wasm. Without it, it has the others
// and verbose.
var moduleFlags = []string{"fs", "allow-host", "config", "fuel", "timeout", "verbose"}

// namesModule reports whether the first word is a module's file, and not a tool of the
// project. A tool's name contains no dot and no slash. Three words always name a
// module; so do two if the second is no argument and a file with the first name and
// .wasm exists.
func namesModule(c *console.Console, words []string) bool {
	if len(words) != 2 || isArguments(words[1]) || strings.ContainsAny(words[0], `./\`) {
		return len(words) > 2 || len(words) > 0 && strings.ContainsAny(words[0], `./\`)
	}
	_, err := os.Stat(c.Path(words[0] + ".wasm"))
	return err == nil
}

// isArguments reports whether a word is JSON, @FILE or -, and not a text or a name.
func isArguments(word string) bool {
	text := strings.TrimSpace(word)
	return text == "" || text == "-" || strings.ContainsAny(text[:1], "{@")
}

// refuseFlags returns an error for a flag that was given but would have no effect.
func refuseFlags(s *pflag.FlagSet, known func(name string) bool, why, hint string) (err error) {
	s.Visit(func(f *pflag.Flag) {
		if err == nil && !known(f.Name) {
			err = console.Usage("--%s %s", f.Name, why).Hinting("%s", hint)
		}
	})
	return err
}

// callProjectTool calls a tool of a project's entry worker for the person, through the
// gate and with a trace, like a run (S4-04).
func callProjectTool(c *console.Console, f *runflags.Flags, words []string) error {
	if err := f.Refuse(); err != nil {
		return err
	}
	if f.Project == "" && c.Env.Setting("PROJECT") == "" {
		f.Project = "."
	}
	p, _, err := target.Find(c, f.Wanted(), nil)
	if err != nil {
		return err
	}
	t := toolhost.New(c, f.Verbose)
	defer t.Close()
	inst, err := machine.Open(c, p, f.OpenWith(), t)
	if err != nil {
		return err
	}
	if _, err := inst.Entry(); err != nil {
		return target.Elsewhere(c, f.Wanted(), p, console.Faults(err)).Err()
	}
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	person := session.Person(c, f)
	in, err := toolInput(ctx, c, inst, words, person)
	if err != nil {
		return err
	}
	s := session.New(c, f, p, asking.Questions(c, person, f.NoColor))
	if err := s.Open(inst, false); err != nil {
		return err
	}
	if p, ok := s.UI.(*plain.UI); ok {
		p.Start()
	}
	return s.Close(inst.CallTool(ctx, words[0], in, s.UI, s.Options))
}

// toolInput returns the input for a tool: JSON, a text for its only field, or the
// answers to questions about each field.
func toolInput(ctx context.Context, c *console.Console, inst *core.Instance, words []string, person ui.Person) (run.Input, error) {
	if len(words) > 1 {
		if !isArguments(words[1]) {
			return run.Input{Text: words[1]}, nil
		}
		args, err := toolArguments(c, words[1:])
		return run.Input{JSON: args}, err
	}
	if person == nil || !console.IsTerminal(c.In) {
		return run.Input{}, nil
	}
	schema, err := schemaOf(ctx, inst, words[0])
	if err != nil {
		return run.Input{}, err
	}
	args, err := ui.Fill(schema, func(question string) (string, error) {
		answer, err := person.Ask(ctx, ui.OneLine(question)+" ")
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err != nil {
			return "", console.Usage("the tool was not called: nobody answered").Hinting("give the arguments as JSON")
		}
		return answer, nil
	})
	return run.Input{Text: args}, err
}

// schemaOf returns the input schema of a tool of the entry. It returns nil if the entry
// has no such tool, which the call reports later.
func schemaOf(ctx context.Context, inst *core.Instance, name string) (json.RawMessage, error) {
	entry, err := inst.Entry()
	if err != nil {
		return nil, err
	}
	d, err := inst.Describe(ctx, entry, nil)
	if err != nil {
		return nil, err
	}
	for _, t := range d.Tools {
		if t.Name == name {
			return t.Input, nil
		}
	}
	return nil, nil
}
