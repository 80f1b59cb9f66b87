package main

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"golem/core"
	"golem/core/run"
	"golem/core/ui"
)

// moduleFlags and projectFlags are the flags of golem tool call with FILE.wasm and
// without it.
var (
	moduleFlags  = []string{"fs", "allow-host", "config", "fuel", "timeout", "verbose"}
	projectFlags = []string{
		"project", "entry", "lib", "no-import-tools", "allow-module-imports", "allow-outside", "json",
		"approval", "approve-all", "deny-all", "limit", "trust", "no-color",
		"trace", "artifacts", "sandbox", "strict", "headless", "quiet", "verbose",
	}
)

// addToolCall adds the flags of a run that have a meaning for one tool.
func (f *flags) addToolCall(s *pflag.FlagSet) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.addRun(all)
	for _, name := range projectFlags {
		s.AddFlag(all.Lookup(name))
	}
	s.Lookup("project").Usage = "the project directory (default: the current directory)"
	s.Lookup("verbose").Usage = "show more: the result of a project's tool; what a module logs and what its call used"
	f.set, f.command = s, "run"
}

// namesModule reports whether the first word is a module's file, and not a tool of the
// project. A tool's name contains no dot and no slash. Three words always name a
// module; so do two if the second is no argument and a file with the first name and
// .wasm exists.
func (h *host) namesModule(words []string) bool {
	if len(words) != 2 || isArguments(words[1]) || strings.ContainsAny(words[0], `./\`) {
		return len(words) > 2 || len(words) > 0 && strings.ContainsAny(words[0], `./\`)
	}
	_, err := os.Stat(h.path(words[0] + ".wasm"))
	return err == nil
}

// isArguments reports whether a word is JSON, @FILE or -, and not a text or a name.
func isArguments(word string) bool {
	text := strings.TrimSpace(word)
	return text == "" || text == "-" || strings.ContainsAny(text[:1], "{@")
}

// refuseOthers returns an error for a flag that was given but would have no effect.
func refuseOthers(s *pflag.FlagSet, known []string, why, hint string) (err error) {
	s.Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(known, f.Name) {
			err = usage("--%s %s", f.Name, why).Hinting("%s", hint)
		}
	})
	return err
}

// callProjectTool calls a tool of a project's entry worker for the person, through the
// gate and with a trace, like a run (S4-04).
func (h *host) callProjectTool(f *flags, words []string) error {
	if err := f.refuse(); err != nil {
		return err
	}
	if f.project == "" && h.setting("PROJECT") == "" {
		f.project = "."
	}
	p, _, err := h.target(f, nil)
	if err != nil {
		return err
	}
	t := h.newTools(f.verbose)
	defer t.close()
	inst, err := h.open(p, f, t)
	if err != nil {
		return err
	}
	if _, err := inst.Entry(); err != nil {
		return h.elsewhere(f, p, listOf(err)).Err()
	}
	ctx, stop := h.interruptible(context.Background())
	defer stop()
	person := h.person(f)
	in, err := h.toolInput(ctx, inst, words, person)
	if err != nil {
		return err
	}
	s := &session{host: h, flags: f, place: p, questions: h.questions(f, person)}
	if err := s.open(inst, false); err != nil {
		return err
	}
	if p, ok := s.ui.(*ui.Plain); ok {
		p.Start()
	}
	return s.close(inst.CallTool(ctx, words[0], in, s.ui, s.options))
}

// toolInput returns the input for a tool: JSON, a text for its only field, or the
// answers to questions about each field.
func (h *host) toolInput(ctx context.Context, inst *core.Instance, words []string, person ui.Person) (run.Input, error) {
	if len(words) > 1 {
		if !isArguments(words[1]) {
			return run.Input{Text: words[1]}, nil
		}
		args, err := h.toolArguments(words[1:])
		return run.Input{JSON: args}, err
	}
	if person == nil || !isTerminal(h.in) {
		return run.Input{}, nil
	}
	schema, err := schemaOf(ctx, inst, words[0])
	if err != nil {
		return run.Input{}, err
	}
	args, err := ui.Fill(schema, func(question string) (string, error) {
		answer, err := person.Ask(ctx, oneLine(question)+" ")
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err != nil {
			return "", usage("the tool was not called: nobody answered").Hinting("give the arguments as JSON")
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
