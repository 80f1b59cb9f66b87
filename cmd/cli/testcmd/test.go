// Package testcmd is golem test: it runs the tests of a project, records them, and makes new
// ones of runs (SPEC §17).
package testcmd

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
	"golem/core/ui"
	"golem/core/worktest"

	"golem/cmd/cli/asking"
	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/newcases"
	"golem/cmd/cli/projectcmd"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// flags are those of golem test.
type flags struct {
	filter, junit, run         string
	models, lib                []string
	record, watch, json, quiet bool
	headless, trust            bool
	hardened, worker, yes      bool
	samples, parallel          int
}

// Command returns golem test.
func Command(c *console.Console) *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "test [DIR|FILE]",
		Short: "run the tests of a project's workers",
		Long: `Runs the cases in tests/*.yaml and says which pass. A test changes nothing: files
are in memory. Answers of models come from recordings in tests/recordings or from
scripts, and calls of risk network and command, and of MCP servers, do not run:
their results come from the recording or from the case.

With --record the cases run with real models, which ask you as a run does, and are
recorded. --model runs them with another model without recording; "--model tests"
with those that the files name.
The exit code is 0 if all cases pass, 1 if one fails, 2 if one is stale or cannot
be judged, or if there is none. With --accept it is 0 if a case was written, 1 if
you said no, 2 if the run cannot be a case, and 3 if nobody could be asked.`,
		Example: `  golem test
  golem test --filter 'summary: a short'
  golem test --record
  golem test --model openai:gpt-5-mini --model ollama:qwen3 --samples 5
  golem test --accept 20260314-091500-3fa9c1
  golem test --junit report.xml`,
		Args: console.Words(0, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			return f.test(c, cmd, words)
		},
	}
	s := cmd.Flags()
	s.StringVar(&f.filter, "filter", "", "only cases whose \"FILE: CASE\" this regular expression (RE2) matches")
	s.BoolVar(&f.record, "record", false, "run the cases with real models and keep what they answer in tests/recordings")
	s.StringArrayVarP(&f.models, "model", "m", nil, "run the cases with this model, or with those that the files name: tests; several are compared")
	s.IntVar(&f.samples, "samples", 0, "run each case so often with a real model; with --record at most as often as samples: of the file says")
	s.IntVar(&f.parallel, "parallel", 4, "how many cases run beside each other")
	s.StringVar(&f.junit, "junit", "", "write the verdicts to this file, in the form of JUnit")
	s.BoolVar(&f.json, "json", false, "print the verdicts as one line of JSON")
	s.BoolVar(&f.watch, "watch", false, "run the tests again whenever a file of the project changes, until Ctrl+C")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "do not list the cases that pass")
	s.BoolVar(&f.headless, "headless", false, "ask nobody, even on a terminal")
	s.BoolVar(&f.trust, "trust", false, "with real models: trust for this run what the project's files allow beyond its sandbox")
	s.BoolVar(&f.hardened, "hardened", false, "for workers with hardened: only their modules answer; what falls back to the model is an error")
	s.BoolVar(&f.worker, "worker", false, "for workers with hardened: only their models answer")
	s.StringVar(&f.run, "accept", "", "make a case of a kept run, of the newest without a name, after showing everything that it keeps and asking")
	s.Lookup("accept").NoOptDefVal = newest
	s.BoolVar(&f.yes, "yes", false, "with --accept: write without asking")
	s.StringArrayVar(&f.lib, "lib", nil, "search libraries in this directory first")
	return cmd
}

func (f *flags) test(c *console.Console, cmd *cobra.Command, words []string) error {
	how, err := f.testRun()
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("samples") && f.samples == 0 {
		return console.Usage("--samples %d is not between 1 and 1000", f.samples)
	}
	if err := f.mayReport(c); err != nil {
		return err
	}
	words = target.OrHere(c, "", words)
	if len(words) > 0 {
		words[0], how.File = testFile(c, words[0])
	}
	p, _, err := target.Find(c, target.Wanted{Command: "test", Set: cmd.Flags()}, words)
	if err != nil {
		return err
	}
	if f.run != "" {
		return newcases.Of(c, p, f.lib, f.accepted())
	}
	if f.watch {
		if f.record || len(f.models) > 0 || f.json {
			return console.Usage("--watch runs tests on recordings: --record, --model and --json cannot be used with it")
		}
		return projectcmd.Watch(c, p, []string{f.junit}, func() error { return f.runOnce(c, p, how) })
	}
	return f.runOnce(c, p, how)
}

// testFile returns the project and the file of tests that a word names: a file directly in a
// directory tests, which is at the root of a project, or this directory itself. For any other
// word it returns the word and "".
func testFile(c *console.Console, word string) (project, file string) {
	name := filepath.Clean(c.Path(word))
	info, err := os.Stat(name)
	switch dir := filepath.Dir(name); {
	case err != nil:
	case info.IsDir() && filepath.Base(name) == worktest.Dir && !target.IsProject(c, word) && target.IsProject(c, dir):
		return dir, ""
	case info.Mode().IsRegular() && filepath.Base(dir) == worktest.Dir && target.IsProject(c, filepath.Dir(dir)):
		return filepath.Dir(dir), worktest.Dir + "/" + filepath.Base(name)
	}
	return word, ""
}

// newest is the value of --accept without a name.
const newest = "newest"

// accepted returns of which run --accept makes a case.
func (f *flags) accepted() newcases.Wanted {
	w := newcases.Wanted{Yes: f.yes, Command: "golem test --accept"}
	if f.run != newest {
		w.Runs, w.Command = []string{f.run}, "golem test --accept="+console.ShellWord(f.run)
	}
	return w
}

// testRun returns how the flags let tests run.
func (f *flags) testRun() (core.TestRun, error) {
	how := core.TestRun{Models: f.models, Record: f.record, Samples: f.samples, Parallel: f.parallel}
	if f.filter != "" {
		re, err := regexp.Compile(f.filter)
		if err != nil {
			return how, console.Usage("--filter %q is not a regular expression of RE2: %w", f.filter, err).Hinting("write \\( for a bracket")
		}
		how.Filter = re
	}
	switch {
	case f.yes && f.run == "":
		return how, console.Usage("--yes is the answer to --accept").Hinting("use golem test --accept --yes")
	case f.run != "" && (f.record || f.watch || f.json || f.quiet || f.hardened || f.worker || len(f.models) > 0 || f.filter+f.junit != ""):
		return how, console.Usage("--accept makes a case and runs none, so of the other flags only --yes and --lib can be used with it")
	case f.hardened && f.worker:
		return how, console.Usage("--hardened and --worker cannot be used together").Hinting("without both, the module answers first, as in a run")
	case f.hardened && f.record:
		return how, console.Usage("--hardened asks no model, so there is nothing to record").Hinting("leave --hardened out")
	case f.hardened:
		how.Answers = run.ByCode
	case f.worker:
		how.Answers = run.ByModel
	}
	switch {
	case f.parallel < 1 || f.parallel > 256:
		return how, console.Usage("--parallel %d is not between 1 and 256", f.parallel)
	case f.samples < 0 || f.samples > 1000:
		return how, console.Usage("--samples %d is not between 1 and 1000", f.samples)
	case f.samples > 0 && !f.record && len(f.models) == 0:
		return how, console.Usage("--samples needs a real model").Hinting("add --model NAME; to record several answers of each case, write samples: %d into the file of tests and use --record", f.samples)
	case f.trust && !f.record && len(f.models) == 0:
		return how, console.Usage("--trust is for real models: on recordings nothing runs that needs trust").Hinting("leave --trust out")
	}
	return how, nil
}

// runOnce runs the tests and prints the report.
func (f *flags) runOnce(c *console.Console, p target.Place, how core.TestRun) error {
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	t := toolhost.New(c, false)
	defer t.Close()
	inst, err := machine.Open(c, p, machine.Opening{Lib: f.lib}, t)
	if err != nil {
		return err
	}
	tests, err := inst.Tests()
	if err != nil {
		return err
	}
	if f.record || len(f.models) > 0 {
		how.Live = live{c, p, f, t}
		if !f.headless {
			how.Person = asking.Questions(c, c.Person(), false)
		}
	}
	progress := newProgress(c, f.json || how.Live != nil)
	how.Watch = progress
	verdicts, err := tests.Run(ctx, how)
	progress.end()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return console.ExitCode(console.ExitInterrupted)
	}
	faults := slices.DeleteFunc(slices.Concat(tests.Faults, tests.Warnings(ctx, how)), func(one *fault.Fault) bool { return !how.Concerns(one) })
	return f.report(c, worktest.NewReport("native", verdicts, faults))
}

// report prints a report and returns the exit code.
func (f *flags) report(c *console.Console, r worktest.Report) error {
	if err := f.writeReport(c, r); err != nil {
		return err
	}
	if f.json {
		if err := c.PrintJSON(r); err != nil {
			return err
		}
	} else if err := c.Show(ui.Safe(r.Text(!f.quiet))); err != nil {
		return err
	}
	if len(r.Verdicts) == 0 && len(r.Faults) == 0 {
		return console.Usage("no test was found").Hinting("write tests/NAME.yaml (golem schema test, docs/testing.md), or leave --filter out")
	}
	if r.Exit != 0 {
		return console.ExitCode(r.Exit)
	}
	return nil
}

// live opens the project for real models.
type live struct {
	c     *console.Console
	p     target.Place
	flags *flags
	tools *toolhost.Tools
}

// OpenLive opens the project with a model, and with its files in memory.
func (l live) OpenLive(model string) (*core.Instance, error) {
	with := machine.Opening{Lib: l.flags.lib}
	with.Opening = options.Opening{Model: model, Sandbox: options.Memory, Trust: l.flags.trust}
	return machine.Open(l.c, l.p, with, l.tools)
}
