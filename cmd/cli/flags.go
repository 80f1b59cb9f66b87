package main

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"golem/core"
)

// flags are the flags that a person may give on the command line. A flag that was not
// given never overrides anything; given reports whether it was (SPEC §3).
type flags struct {
	set     *pflag.FlagSet
	command string // run, chat, check or workers, for commands that hints show

	entry, project, model, approval, sandbox, input string
	verify, output, inputFile                       string
	trace, artifacts, record                        string
	lib, attach                                     []string
	noProject, noImportTools, allowModules          bool
	approveAll, denyAll, allowOutside, trust        bool
	json, headless, quiet, verbose, noColor, plain  bool
	check, listWorkers, tree, mermaid               bool
	strict                                          bool
	relock                                          bool // golem.lock will be written again, so the old one is not checked
	maxDepth, maxTurns                              int
	limit, settings                                 []string
	dryRun, changed, unconfined                     bool
	resume                                          string // ID, or newest
	at                                              int
	platform                                        string
}

func (f *flags) given(name string) bool {
	l := f.set.Lookup(name)
	return l != nil && l.Changed
}

// addPlace adds the flags that say which project to open, and how to read its files.
func (f *flags) addPlace(s *pflag.FlagSet) {
	f.set = s
	s.StringVar(&f.entry, "entry", "", "start with this worker instead of the project's entry")
	s.StringVar(&f.project, "project", "", "the project directory; TARGET may then be left out")
	s.BoolVar(&f.noProject, "no-project", false, "run TARGET, a worker file, without a manifest")
	s.StringVar(&f.verify, "verify", "", "for a packed project: refuse it unless this public key of minisign, or key file, signed it")
	s.StringArrayVar(&f.lib, "lib", nil, "look for libraries in this directory first; may be repeated")
	s.BoolVar(&f.noImportTools, "no-import-tools", false, "do not load custom tools (.wasm files)")
	s.BoolVar(&f.allowModules, "allow-module-imports", false, "allow tool modules from outside the project")
	s.BoolVar(&f.allowOutside, "allow-outside", false, "allow the manifest to mount directories outside the project")
	s.BoolVar(&f.json, "json", false, "print one JSON object per line on standard output")
}

// addProject adds the flags of all commands that open a project to run or to check it.
func (f *flags) addProject(s *pflag.FlagSet) {
	f.addPlace(s)
	s.StringVarP(&f.model, "model", "m", "", "use this model for the whole run, as provider:name")
	s.StringVar(&f.approval, "approval", "", "approval mode: interactive, approve_all or auto_deny")
	s.BoolVar(&f.approveAll, "approve-all", false, "approve every call that would ask (same as --approval approve_all)")
	s.BoolVar(&f.denyAll, "deny-all", false, "deny every call that would ask (same as --approval auto_deny)")
	s.IntVar(&f.maxDepth, "max-depth", 0, "how deep workers may call workers; the first worker has depth 0")
	s.IntVar(&f.maxTurns, "max-turns", 0, "the most model requests of each worker (same as --limit turns=N)")
	s.StringArrayVar(&f.settings, "set", nil, "set a model setting for this run, as NAME=VALUE: temperature, max_output_tokens, reasoning_effort, …; may be repeated")
	s.StringArrayVar(&f.limit, "limit", nil, "set a limit for this run, as NAME=VALUE: turns, tokens, cost, tool_timeout, worker_timeout, model_timeout, tool_output; may be repeated")
	s.BoolVar(&f.trust, "trust", false, "for this run, trust what the project's files allow beyond its sandbox")
	s.BoolVar(&f.noColor, "no-color", false, "print without colours (NO_COLOR does the same)")
}

// addRun adds the flags of a run or a chat.
func (f *flags) addRun(s *pflag.FlagSet) {
	f.addProject(s)
	s.StringVar(&f.input, "input", "", "the input as JSON: an object or a string")
	s.StringVarP(&f.inputFile, "input-file", "i", "", "read the input from this file, as @FILE does")
	s.StringArrayVarP(&f.attach, "attach", "a", nil, "attach a file from anywhere on the disk, or mcp:SERVER:URI, a resource of an MCP server; may be repeated")
	s.StringVar(&f.trace, "trace", "", "write the trace to this file (default .golem/runs/RUN.jsonl)")
	s.StringVar(&f.artifacts, "artifacts", "", "write complete prompts, inputs and outputs to this directory")
	s.StringVar(&f.record, "record", "", "record the model's answers for replay:FILE")
	s.StringVarP(&f.output, "output", "o", "", "for a packed project: write the files that the run wrote to this new directory")
	s.StringVar(&f.sandbox, "sandbox", "", "memory: changes stay in memory, and no file on the disk is changed")
	s.BoolVar(&f.strict, "strict", false, "exit 1 if any call was denied or any worker failed")
	s.StringVar(&f.resume, "resume", "", "go on with this conversation, which an earlier run or chat kept; without ID the newest (golem conversations lists them)")
	s.Lookup("resume").NoOptDefVal = newest
	s.BoolVar(&f.changed, "changed", false, "with --resume: go on although files of the conversation's workers have changed")
	s.BoolVar(&f.unconfined, "unconfined", false, "where this system cannot confine commands, let rules and earlier answers approve them, too")
	s.BoolVar(&f.headless, "headless", false, "never ask a question, even on a terminal")
	s.BoolVar(&f.plain, "plain", false, "plain lines on a terminal, too, instead of the tree of a run and the full screen of a chat")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "show progress, warnings and errors only")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "also show the results of tools")
}

// newest is the value of --resume without an ID.
const newest = "newest"

// resumed returns the conversation that --resume and --at choose; nil without --resume.
func (f *flags) resumed() *core.Resume {
	if !f.given("resume") {
		return nil
	}
	r := &core.Resume{ID: f.resume, At: f.at, Changed: f.changed, Recap: true}
	if r.ID == newest {
		r.ID = ""
	}
	return r
}

// refuse returns an error for flags that contradict each other, and for values that are
// not valid.
func (f *flags) refuse() error {
	if f.approveAll && f.denyAll {
		return usage("--approve-all and --deny-all cannot be used together").Hinting("use one of them")
	}
	if f.given("approval") && (f.approveAll || f.denyAll) {
		return usage("--approval cannot be combined with --approve-all or --deny-all").Hinting("use one of --approval, --approve-all, --deny-all")
	}
	if f.given("sandbox") && f.sandbox != "memory" {
		return usage("--sandbox %s: unknown sandbox", strconv.Quote(f.sandbox)).Hinting("use memory, or leave the flag out to work on the disk")
	}
	if f.given("max-depth") && f.maxDepth < 0 {
		return usage("--max-depth %d: must not be negative", f.maxDepth).Hinting("0 means that no worker may call another")
	}
	if _, err := f.limits(); err != nil {
		return err
	}
	if _, err := pairs("set", f.settings, "--set temperature=0.2 --set max_output_tokens=4000"); err != nil {
		return err
	}
	if f.changed && !f.given("resume") {
		return usage("--changed needs --resume").Hinting("golem run DIR --resume ID --changed")
	}
	if f.given("at") && (f.at < 1 || !f.given("resume")) {
		return usage("--at needs the number of a message, from 1, and --resume").Hinting("golem chat . --resume ID --at 3 goes on before your third message, as a branch")
	}
	if f.dryRun {
		for _, name := range []string{"resume", "trace", "artifacts", "record"} {
			if f.given(name) {
				return usage("--dry-run and --%s cannot be used together", name).Hinting("--dry-run runs nothing and writes nothing")
			}
		}
	}
	if f.given("trace") && f.given("record") && filepath.Clean(f.trace) == filepath.Clean(f.record) {
		return usage("--trace and --record name one file").Hinting("name two files")
	}
	if f.given("resume") && f.given("sandbox") {
		return usage("--resume and --sandbox memory cannot be used together").Hinting("leave --sandbox out")
	}
	if f.mermaid && f.json {
		return usage("--mermaid and --json cannot be used together").Hinting("use --tree --json, or --mermaid alone")
	}
	if f.quiet && f.verbose {
		return usage("--quiet and --verbose cannot be used together").Hinting("use one of them")
	}
	return f.notEmpty("model", "entry", "project", "trace", "artifacts", "record", "approval", "resume", "verify", "output", "input-file")
}

// notEmpty returns an error if one of these flags is given with an empty value, such as
// from an unset variable of a script.
func (f *flags) notEmpty(names ...string) error {
	for _, name := range names {
		if f.given(name) && f.set.Lookup(name).Value.String() == "" {
			return usage("--%s is empty", name).Hinting("give a value, or leave the flag out")
		}
	}
	return nil
}

// pairs parses the values of a repeated flag of the form NAME=VALUE.
func pairs(flag string, given []string, example string) (map[string]string, error) {
	out := map[string]string{}
	for _, one := range given {
		name, value, ok := strings.Cut(one, "=")
		if !ok || name == "" || value == "" {
			return nil, usage("--%s %s is not NAME=VALUE", flag, strconv.Quote(one)).Hinting("for example %s", example)
		}
		if _, twice := out[name]; twice {
			return nil, usage("--%s %s is given twice", flag, name).Hinting("give it once")
		}
		out[name] = value
	}
	return out, nil
}

// limits returns the values of --limit and --max-turns by the limits' names.
func (f *flags) limits() (map[string]string, error) {
	out, err := pairs("limit", f.limit, "--limit turns=20 --limit tool_timeout=1m")
	if err != nil || !f.given("max-turns") {
		return out, err
	}
	if _, twice := out["turns"]; twice {
		return nil, usage("the limit turns is given twice").Hinting("give it once; --max-turns N is --limit turns=N")
	}
	out["turns"] = strconv.Itoa(f.maxTurns)
	return out, nil
}

// options returns the flags as options of the core. Call refuse first, which checks
// them.
func (f *flags) options() core.Options {
	limits, _ := f.limits()
	settings, _ := pairs("set", f.settings, "")
	o := core.Options{
		Entry: f.entry, NoProject: f.noProject, Model: f.model, Approval: f.approval, AllowOutside: f.allowOutside,
		Limits: limits, Settings: settings, MemorySandbox: f.sandbox == "memory", NoImportTools: f.noImportTools, AllowModuleImport: f.allowModules,
		Trust: f.trust, NoLock: f.relock,
	}
	switch {
	case f.approveAll:
		o.Approval = "approve_all"
	case f.denyAll:
		o.Approval = "auto_deny"
	}
	if f.given("max-depth") {
		o.MaxDepth = &f.maxDepth
	}
	return o
}
