package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/describe"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/trust"
)

func (h *host) checkCommand() *cobra.Command {
	f, watch, fix, yes := &flags{}, false, false, false
	cmd := &cobra.Command{
		Use:   "check [DIR]",
		Short: "report every problem of a project at once",
		Long: `Reads a project or a worker file and reports every problem with its code, its
file and line, and what to do. It calls no model, runs no tool and writes nothing.
With --fix it first changes what is certain: keys of golem-forge and llm-do, missing
quotes, paths. It shows the changes as a diff and asks; all files are written or
none. It never approves more than before.
The exit code is 1 if there are errors, and 0 if there are only warnings.`,
		Args: words(0, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			f.check, f.command = true, "check"
			switch {
			case fix && (watch || f.json):
				return usage("--fix asks before it writes, so --watch and --json cannot be used with it").Hinting("use golem check --fix alone")
			case yes && !fix:
				return usage("--yes is the answer to --fix").Hinting("use golem check --fix --yes")
			case fix:
				return h.fixCheck(f, words, yes)
			case watch:
				return h.watchCheck(f, words)
			}
			return h.inspect(f, words)
		},
	}
	f.addProject(cmd.Flags())
	cmd.Flags().StringVar(&f.platform, "platform", "native", "check for this platform: native or browser")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print each effective value with its origin, and what tools can call")
	cmd.Flags().BoolVar(&watch, "watch", false, "check again whenever a file of the project changes, until Ctrl+C")
	cmd.Flags().BoolVar(&fix, "fix", false, "change what can be changed for sure, after showing the changes and asking")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --fix: write without asking")
	h.complete(cmd, f)
	return cmd
}

func (h *host) workersCommand() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "workers [DIR]",
		Short: "list the workers of a project",
		Args:  words(0, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			f.listWorkers, f.command = true, "workers"
			return h.inspect(f, words)
		},
	}
	f.addPlace(cmd.Flags())
	cmd.Flags().BoolVar(&f.tree, "tree", false, "show who may call whom, with tools, their risk and what would ask")
	cmd.Flags().BoolVar(&f.noColor, "no-color", false, "print without colours (NO_COLOR does the same)")
	cmd.Flags().BoolVar(&f.mermaid, "mermaid", false, "the same as --tree, as a Mermaid flowchart")
	h.complete(cmd, f)
	return cmd
}

// inspect checks or lists: golem check, golem workers, and the flags of run
// that mean the same (S2-48, S2-49).
func (h *host) inspect(f *flags, words []string) error {
	err := h.inspectTarget(f, words)
	var code exitCode
	if err == nil || !f.json || errors.As(err, &code) {
		return err
	}
	line, wrong := f.checkJSON(listOf(err), nil)
	switch {
	case f.tree:
		line, wrong = jsonLine(describe.CallTree{Golem: "tree", V: 1, Workers: []describe.TreeWorker{}, Faults: listOf(err)})
	case f.listWorkers:
		line, wrong = workersJSON(nil, listOf(err))
	}
	if wrong == nil {
		wrong = h.print(line)
	}
	if wrong != nil {
		return wrong
	}
	return err
}

// orHere returns words, or the current directory if nothing names a project.
func (h *host) orHere(f *flags, words []string) []string {
	if len(words) == 0 && f.project == "" && h.setting("PROJECT") == "" {
		return []string{"."}
	}
	return words
}

// orProject returns a word, or if it is "" the project of GOLEM_PROJECT or the current
// directory. It is for commands about what golem keeps of a directory.
func (h *host) orProject(word string) string { return cmp.Or(word, h.setting("PROJECT"), ".") }

func (h *host) inspectTarget(f *flags, words []string) error {
	if err := f.refuse(); err != nil {
		return err
	}
	if f.platform == "" {
		f.platform = "native"
	}
	if f.platform != "native" && f.platform != "browser" {
		return usage("--platform %q: unknown platform", f.platform).Hinting("use native or browser")
	}
	words = h.orHere(f, words)
	p, _, err := h.target(f, words)
	if err != nil {
		return err
	}
	t := h.newTools(f.verbose)
	defer t.close()
	inst, err := h.open(p, f, t)
	if f.listWorkers {
		if err != nil {
			return h.elsewhere(f, p, listOf(err)).Err()
		}
		if f.tree || f.mermaid {
			return h.callTree(inst, f)
		}
		return h.listWorkers(inst, f)
	}
	return h.check(inst, f, p, err)
}

// checkResult is the format of check --json (SPEC §16).
type checkResult struct {
	Golem    string     `json:"golem"` // "check"
	V        int        `json:"v"`
	Platform string     `json:"platform"`
	Faults   fault.List `json:"faults"`
	Errors   int        `json:"errors"`
	Warnings int        `json:"warnings"`
	// Trust lists the settings of the project that reach beyond its sandbox; nil: none.
	Trust *checkTrust `json:"trust,omitempty"`
}

// checkTrust is the list of widenings with its digest for GOLEM_TRUST, and the digest
// of the project's content.
type checkTrust struct {
	Digest    string     `json:"digest"`
	Content   string     `json:"content"`
	Widenings trust.List `json:"widenings"`
}

// check prints the faults of a project, including those of opening it.
func (h *host) check(inst *core.Instance, f *flags, p place, opened error) error {
	faults := listOf(opened)
	if inst != nil {
		waits, end := h.spinner()
		waits.Wait("checking " + p.name())
		faults = append(faults, inst.Check(f.platform)...)
		end()
	}
	faults = h.elsewhere(f, p, faults)
	faults.Sort()
	faults = faults.Compact() // Check finds the faults of opening again
	errs, warnings := faults.Counts()
	widens := trustOf(inst)
	var b strings.Builder
	if f.json {
		line, err := f.checkJSON(faults, widens)
		if err != nil {
			return err
		}
		b.WriteString(line)
	} else {
		if f.verbose && inst != nil {
			b.WriteString(effectiveValues(inst))
		}
		for _, one := range faults {
			b.WriteString(oneLine(one.Error()) + "\n")
		}
		if widens != nil && (len(widens.Widenings) > 0 || f.verbose) {
			fmt.Fprintf(&b, "%s beyond the sandbox, digest %s, content %s\n", fault.Count(len(widens.Widenings), "setting"), widens.Digest, widens.Content)
		}
		fmt.Fprintf(&b, "%s, %s\n", fault.Count(errs, "error"), fault.Count(warnings, "warning"))
	}
	show := h.show
	if f.json {
		show = h.print
	}
	if err := show(b.String()); err != nil {
		return err
	}
	if errs > 0 {
		return exitCode(exitFailed)
	}
	return nil
}

// checkJSON returns the line of check --json.
func (f *flags) checkJSON(faults fault.List, widens *checkTrust) (string, error) {
	if faults == nil {
		faults = fault.List{}
	}
	if widens != nil && len(widens.Widenings) == 0 {
		widens = nil
	}
	errs, warnings := faults.Counts()
	data, err := json.Marshal(checkResult{"check", 1, f.platform, faults, errs, warnings, widens})
	return string(data) + "\n", err
}

// workersJSON returns the line of workers --json. faults say why there is no list.
func workersJSON(list []project.Listing, faults fault.List) (string, error) {
	if list == nil {
		list = []project.Listing{}
	}
	data, err := json.Marshal(struct {
		Golem   string            `json:"golem"`
		V       int               `json:"v"`
		Workers []project.Listing `json:"workers"`
		Faults  fault.List        `json:"faults,omitempty"`
	}{"workers", 1, list, faults})
	return string(data) + "\n", err
}

// trustOf returns the widenings of a project; nil if it could not be read.
func trustOf(inst *core.Instance) *checkTrust {
	if inst == nil {
		return nil
	}
	list := inst.Widenings(context.Background())
	return &checkTrust{Digest: list.Digest(), Content: inst.Content(), Widenings: list}
}

// listOf returns the faults in an error.
func listOf(err error) fault.List {
	if err == nil {
		return nil
	}
	var l fault.List
	if errors.As(err, &l) {
		return slices.Clone(l)
	}
	return fault.List{fault.Of(err, fault.Config)}
}

// listWorkers prints the workers of a project (S2-48).
func (h *host) listWorkers(inst *core.Instance, f *flags) error {
	list, faults := inst.Workers()
	for _, one := range faults {
		h.say("%s", one.Error())
	}
	var b strings.Builder
	if f.json {
		line, err := workersJSON(list, nil)
		if err != nil {
			return err
		}
		b.WriteString(line)
	} else {
		b.WriteString(fit(h.out, table(workerRows(list))))
	}
	if err := h.print(b.String()); err != nil {
		return err
	}
	if faults.Err() != nil {
		return exitCode(exitFailed)
	}
	return nil
}
