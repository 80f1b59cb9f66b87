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

// addToolCall are the flags of a run that mean something for one tool.
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

// namesModule tells that the first word is a file: the name of a tool has no dot and
// no slash. A module without its .wasm is told so, if a second name follows.
func (h *host) namesModule(words []string) bool {
	if len(words) != 2 || isArguments(words[1]) || strings.ContainsAny(words[0], `./\`) {
		return len(words) > 2 || len(words) > 0 && strings.ContainsAny(words[0], `./\`)
	}
	_, err := os.Stat(h.path(words[0] + ".wasm"))
	return err == nil
}

// isArguments tells JSON, @FILE and - from a text or a name.
func isArguments(word string) bool {
	text := strings.TrimSpace(word)
	return text == "" || text == "-" || strings.ContainsAny(text[:1], "{@")
}

// refuseOthers fails on a flag that was given and would not count.
func refuseOthers(s *pflag.FlagSet, known []string, why, hint string) (err error) {
	s.Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(known, f.Name) {
			err = usage("--%s %s", f.Name, why).Hinting("%s", hint)
		}
	})
	return err
}

// callProjectTool calls a tool of a project's entry worker for the person, through
// the gate and with a trace, as a run (S4-04).
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

// toolInput is what the person gives a tool: JSON, a text for its only field, or the
// answers to its form.
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
		if err != nil {
			return "", usage("the tool was not called: nobody answered").Hinting("give the arguments as JSON")
		}
		return answer, nil
	})
	return run.Input{Text: args}, err
}

// schemaOf is the schema of the arguments of a tool of the entry; nil if it has no
// such tool, which the call says.
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
