// Package runflags makes flags of the options of a run (core/options), refuses those that
// contradict each other, and completes their values.
package runflags

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"golem/core"
	"golem/core/options"

	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
)

// Flags are the flags of a command about a project. A flag that was not given never
// overrides anything; Given reports whether it was (SPEC §3).
type Flags struct {
	options.Run
	options options.Table // nil: options.All
	Set     *pflag.FlagSet
	Command string // run, chat, check or workers, for commands that hints show

	pairs []*pairs // the flags of the form NAME=VALUE, which Refuse checks
}

// Wanted returns which project the flags mean.
func (f *Flags) Wanted() target.Wanted {
	return target.Wanted{Command: f.Command, Project: f.Project, NoProject: f.NoProject, Verify: f.Verify, Set: f.Set}
}

// OpenWith returns how the flags open a project. Call Refuse first, which checks them.
func (f *Flags) OpenWith() machine.Opening {
	return machine.Opening{Options: core.Options{Opening: f.Opening}, Lib: f.Lib, Unconfined: f.Unconfined}
}

// Given reports whether a flag is on the command line.
func (f *Flags) Given(name string) bool {
	l := f.Set.Lookup(name)
	return l != nil && l.Changed
}

// isOn reports whether a flag was given, and not as --NAME=false.
func (f *Flags) isOn(name string) bool { return f.Given(name) && f.text(name) != "false" }

func (f *Flags) text(name string) string { return f.Set.Lookup(name).Value.String() }

// Add adds the flags of a command.
func (f *Flags) Add(s *pflag.FlagSet, command string) {
	f.Set = s
	for o := range f.table().Of(command) {
		f.addOption(o, command)
	}
}

func (f *Flags) table() options.Table {
	if f.options == nil {
		return options.All
	}
	return f.options
}

// addOption adds the flag of one option. Its value goes into f.Run.
func (f *Flags) addOption(o options.Option, command string) {
	s, name, short, help := f.Set, o.FlagName(), o.Flag.Short, o.Flag.HelpFor(command)
	switch p := o.Value(&f.Run).(type) {
	case *bool:
		s.BoolVarP(p, name, short, false, help)
	case *int:
		usual, _ := strconv.Atoi(o.Flag.Default) // 0 where the table has none
		s.IntVarP(p, name, short, usual, help)
	case **int:
		s.VarP(&number{p}, name, short, help)
	case *[]string:
		s.StringArrayVarP(p, name, short, nil, help)
	case **string:
		s.VarPF(&bare{into: p, bare: o.Flag.Bare}, name, short, help).NoOptDefVal = o.Flag.Bare
	case *options.Limits:
		f.addPairs((*map[string]string)(p), o, help)
	case *options.Settings:
		f.addPairs((*map[string]string)(p), o, help)
	case *string:
		if o.Flag.Sets != "" {
			s.VarPF(&choice{into: p, sets: o.Flag.Sets}, name, short, help).NoOptDefVal = "true"
			return
		}
		s.StringVarP(p, name, short, o.Flag.Default, help)
	}
}

func (f *Flags) addPairs(into *map[string]string, o options.Option, help string) {
	v := &pairs{into: into, flag: o.FlagName(), example: o.Flag.Example}
	f.pairs = append(f.pairs, v)
	f.Set.VarP(v, v.flag, o.Flag.Short, help)
}

// Refuse returns an error for flags that contradict each other, and for values that are
// not valid.
func (f *Flags) Refuse() error {
	if f.Given("approval") && (f.isOn("approve-all") || f.isOn("deny-all")) {
		return console.Usage("--approval cannot be combined with --approve-all or --deny-all").Hinting("use one of --approval, --approve-all, --deny-all")
	}
	for _, o := range f.table() {
		if name := o.FlagName(); name == "" || !f.Given(name) {
			continue
		}
		if err := f.refuseOption(o); err != nil {
			return err
		}
	}
	if f.Given("sandbox") && !f.InMemory() {
		return console.Usage("--sandbox %s: unknown sandbox", strconv.Quote(f.Sandbox)).Hinting("use memory, or leave the flag out to work on the disk")
	}
	for _, p := range f.pairs {
		if p.err != nil {
			return p.err
		}
	}
	if _, twice := f.Limits["turns"]; twice && f.MaxTurns != nil {
		return console.Usage("the limit turns is given twice").Hinting("give it once; --max-turns N is --limit turns=N")
	}
	if f.MaxDepth != nil && *f.MaxDepth < 0 {
		return console.Usage("--max-depth %d: must not be negative", *f.MaxDepth).Hinting("0 means that no worker may call another")
	}
	if f.Changed && f.Resume == nil {
		return console.Usage("--changed needs --resume").Hinting("golem run DIR --resume ID --changed")
	}
	if f.Given("doubt") {
		if err := f.CheckDoubt(); err != nil {
			return err
		}
		if f.Resume == nil && f.Set.Lookup("resume") != nil {
			return console.Usage("--doubt needs --resume").Hinting("golem run DIR --resume ID --doubt %s", f.Doubt)
		}
	}
	if f.Given("at") && (f.At < 1 || f.Resume == nil) {
		return console.Usage("--at needs the number of a message, from 1, and --resume").Hinting("golem chat . --resume ID --at 3 goes on before your third message, as a branch")
	}
	if f.Given("trace") && f.Given("record") && filepath.Clean(f.Trace) == filepath.Clean(f.Record) {
		return console.Usage("--trace and --record name one file").Hinting("name two files")
	}
	return nil
}

// refuseOption returns an error for a flag that was given: with another one that it
// excludes, or with an empty value.
func (f *Flags) refuseOption(o options.Option) error {
	name := o.FlagName()
	for _, x := range o.Flag.Excludes {
		other, _, _ := strings.Cut(x.Flag, " ")
		if f.isOn(name) && f.isOn(other) {
			return console.Usage("--%s and --%s cannot be used together", name, x.Flag).Hinting("%s", x.Hint)
		}
	}
	switch o.Value(&f.Run).(type) {
	case *string, **string:
		if o.Flag.Arg != "" && o.Flag.Arg != "JSON" && o.Flag.Default == "" {
			return f.NotEmpty(name)
		}
	}
	return nil
}

// NotEmpty returns an error if one of these flags is given with an empty value, such as
// from an unset variable of a script.
func (f *Flags) NotEmpty(names ...string) error { return console.NotEmpty(f.Set, names...) }
