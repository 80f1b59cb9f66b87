package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/describe"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
)

func (h *host) describeCommand() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "describe [WORKER] [DIR]",
		Short: "show a worker's prompt, tools, view and settings",
		Long: `Shows what a worker is before it runs: its prompt, its tools with their risk and
what becomes of their calls, the files that it sees, and each setting with where
it comes from. It calls no model, runs no tool and writes nothing.

WORKER is a worker's ID, a path that begins with ./ or a worker file; the entry
if it is left out. DIR is the project directory, the current one by default.
With --input a template is rendered for that input.`,
		Example: `  golem describe
  golem describe reports/summary
  golem describe main ./my-project --json
  golem describe translate --input '{"text": "hello", "to": "French"}'`,
		Args: words(0, 2),
		RunE: func(_ *cobra.Command, words []string) error {
			f.command = "describe"
			return h.describe(f, words)
		},
	}
	f.addProject(cmd.Flags())
	cmd.Flags().StringVar(&f.input, "input", "", "render a template for this input: a JSON object or string")
	h.complete(cmd, f)
	h.completeWorkers(cmd, f)
	return cmd
}

// describe prints the description of a worker. With --json, faults are part of the JSON
// line.
func (h *host) describe(f *flags, words []string) error {
	d, err := h.description(f, words)
	if f.json {
		var out any = d
		if err != nil {
			out = struct {
				Golem  string     `json:"golem"`
				V      int        `json:"v"`
				Faults fault.List `json:"faults"`
			}{"describe", 1, listOf(err)}
		}
		line, wrong := jsonLine(out)
		if wrong == nil {
			wrong = h.print(line)
		}
		if wrong != nil {
			return wrong
		}
	}
	if err != nil {
		return err
	}
	if !f.json {
		if err := h.show(d.Text()); err != nil {
			return err
		}
		if len(d.Faults) > 0 {
			h.report(d.Faults)
		}
	}
	if d.Faults.Err() != nil {
		return exitCode(exitFailed)
	}
	return nil
}

// dryRun prints what a run would do. It checks a given input against the entry's input
// schema.
func (h *host) dryRun(f *flags, inst *core.Instance, entry *project.Worker, words []string) error {
	in, none, err := h.givenInput(f, words)
	if err == nil && !none && entry.Mode != "chat" {
		err = typedInput(entry, &in)
	}
	if err == nil {
		_, err = h.attachments(f.attach)
	}
	if err != nil {
		return err
	}
	plan, err := inst.Plan(context.Background())
	if err != nil {
		return err
	}
	text := plan.Text()
	if f.json {
		if text, err = jsonLine(plan); err != nil {
			return err
		}
	}
	if err := h.print(text); err != nil {
		return err
	}
	if len(plan.Faults) > 0 && !f.json {
		h.report(plan.Faults)
	}
	if plan.Faults.Err() != nil {
		return exitCode(exitFailed)
	}
	return nil
}

func (h *host) description(f *flags, words []string) (*describe.Description, error) {
	if err := f.refuse(); err != nil {
		return nil, err
	}
	var in *run.Input
	if f.given("input") {
		given, err := jsonInput(f.input)
		if err != nil {
			return nil, err
		}
		in = &given
	}
	t := h.newTools(false)
	defer t.close()
	inst, w, err := h.worker(f, words, t)
	if err != nil {
		return nil, err
	}
	return inst.Describe(context.Background(), w, in)
}

// worker opens the project and finds the worker that golem describe names. A name that
// is no worker of the project may be a TARGET; then it finds that target's entry.
func (h *host) worker(f *flags, words []string, t *tools) (*core.Instance, *project.Worker, error) {
	where, ref := []string{"."}, ""
	switch {
	case len(words) == 2:
		ref, where = words[0], words[1:]
	case len(words) == 1 && (isPack(words[0]) || isWorkerFile(words[0]) && f.project == ""):
		where = words
	case len(words) == 1:
		ref = words[0]
	}
	if len(words) < 2 && (f.project != "" || h.setting("PROJECT") != "") && (len(words) == 0 || ref != "") {
		where = nil
	}
	if ref != "" && f.given("entry") {
		return nil, nil, usage("WORKER and --entry both name a worker").Hinting("leave one of them out")
	}
	inst, err := h.opened(f, where, t)
	if err != nil {
		if info, wrong := os.Stat(h.path(ref)); len(words) == 2 && wrong == nil && info.IsDir() && (errors.Is(err, fault.WorkerNotFound) || errors.Is(err, fault.Project)) {
			err = usage("%s is a directory, and the worker stands before it", ref).Hinting("write golem describe %s %s", words[1], words[0])
		}
		return nil, nil, err
	}
	if ref == "" {
		w, err := inst.Entry()
		return inst, w, err
	}
	w, err := inst.Project().Worker(ref)
	if len(words) == 1 && (errors.Is(err, fault.WorkerNotFound) || errors.Is(err, fault.Path)) {
		if info, wrong := os.Stat(h.path(ref)); wrong == nil && info.IsDir() || where != nil && h.onShelf(ref) {
			if inst, err = h.opened(f, words, t); err == nil {
				w, err = inst.Entry()
			}
		}
	}
	return inst, w, err
}

// onShelf reports whether GOLEM_PATH has a worker of this name.
func (h *host) onShelf(word string) bool {
	_, err := h.named(word)
	return err == nil || errors.Is(err, fault.Ambiguous)
}

func (h *host) opened(f *flags, words []string, t *tools) (*core.Instance, error) {
	p, _, err := h.target(f, words)
	if err != nil {
		return nil, err
	}
	return h.open(p, f, t)
}
