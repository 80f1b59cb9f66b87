package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/ui"
	"golem/core/wasmtool"
	"golem/sandbox/osfs"
)

// callFlags are the grants and limits that a person gives for one call.
type callFlags struct {
	fs      string
	hosts   []string
	config  []string
	fuel    int64
	timeout time.Duration
	verbose bool
}

func (h *host) toolCallCommand() *cobra.Command {
	f, project := &callFlags{}, &flags{}
	cmd := &cobra.Command{
		Use:   "call [FILE.wasm] NAME [JSON|@FILE|-]",
		Short: "call a tool of a module or of a project, without a model",
		Long: `Calls one tool of a module, or of a project's entry worker. golem checks the
arguments against the tool's schema and applies the same limits as for a worker. The
arguments are one JSON object, {} if there are none; @FILE reads them from a file and -
from standard input.

With FILE.wasm: you start the call yourself, so golem does not ask for approval. The
module can use only what these flags grant; the default is nothing.

Without FILE.wasm: NAME is a tool of the project in the current directory, or of
--project. Tools with exec: manual, such as push, are started in this way. The
worker's grants and settings hold: what asks, asks you, and what is blocked is
denied. A text is enough if the tool takes one text. Without arguments, on a
terminal, golem asks for each one.
Exit codes: 0 the tool answered, 1 it failed or was denied, 2 wrong usage, 130 interrupted.`,
		Example: `  golem tool call tools/count.wasm count '{"text": "one two"}'
  golem tool call push '{"item": "1"}'
  golem tool call --project site publish`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !h.namesModule(args) {
				return nil
			}
			return words(2, 3)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			if h.namesModule(words) {
				if err := refuseOthers(cmd.Flags(), moduleFlags, "needs a tool of a project", "leave it out, or leave FILE.wasm out"); err != nil {
					return err
				}
				f.verbose = project.verbose
				return h.callTool(f, words)
			}
			if err := refuseOthers(cmd.Flags(), projectFlags, "needs FILE.wasm", "in a project the worker's file grants, under toolsets.custom.modules"); err != nil {
				return err
			}
			return h.orJSON(project, h.callProjectTool(project, words))
		},
	}
	f.add(cmd.Flags())
	project.addToolCall(cmd.Flags())
	h.complete(cmd, project)
	return cmd
}

func (f *callFlags) add(s *pflag.FlagSet) {
	s.StringVar(&f.fs, "fs", "", "grant the files of a directory, as /; DIR:ro for reading only")
	s.StringArrayVar(&f.hosts, "allow-host", nil, "grant HTTP to a host, with :PORT if it is not 80 or 443; may be repeated")
	s.StringArrayVar(&f.config, "config", nil, "a value the module may read, KEY=VALUE; may be repeated")
	s.Int64Var(&f.fuel, "fuel", 0, fmt.Sprintf("the computing budget, in units of fuel (default %d)", wasmtool.DefaultFuel))
	s.DurationVar(&f.timeout, "timeout", 30*time.Second, "the time limit of the call, compiling not included; describing has the same limit")
}

// callTool carries out one call of a module's tool, from the command line to the exit
// code.
func (h *host) callTool(f *callFlags, words []string) error {
	args, err := h.toolArguments(words[2:])
	if err != nil {
		return err
	}
	grants, err := h.grants(f)
	if err != nil {
		return err
	}
	if dir, readOnly := strings.CutSuffix(f.fs, ":ro"); dir != "" && !readOnly {
		h.judgeHome(place{root: h.path(dir)})
	}
	t := h.newTools(f.verbose)
	defer t.close()
	m, err := h.module(t, words[0])
	if err != nil {
		return err
	}
	ctx, stop := h.interruptible(context.Background())
	defer stop()
	waits, end := h.spinner()
	defer end()
	waits.Wait("reading " + words[0])
	bound := &wasmtool.Bound{Module: m, Grants: grants, Slow: h.compiling(m, waits)}
	if f.verbose {
		bound.Log = func(level, text string) { h.say("%s: %s", level, text) }
	}
	defer bound.Close()
	called, err := named(ctx, bound, words[1], f.timeout)
	if err == nil {
		err = prepare(ctx, called)
	}
	if err != nil {
		return h.failedCall(ctx, err)
	}
	limited, cancel := context.WithTimeoutCause(ctx, f.timeout,
		fault.New(fault.Timeout, "the tool took longer than %s", f.timeout).Hinting("give it more time with --timeout"))
	defer cancel()
	if f.verbose {
		h.say("calling %s", words[1])
	}
	waits.Wait(ui.CallLine(words[1], args))
	start := time.Now()
	out, err := gated(limited, called, args)
	end()
	if f.verbose {
		h.say("%s used %d units of fuel in %s", words[1], out.Fuel, time.Since(start).Round(100*time.Microsecond))
	}
	if err != nil {
		return h.failedCall(ctx, err)
	}
	return h.printOutput(out)
}

// gated makes the call through the gate, like every call. It needs no approval, because
// the person makes it. The result is checked against the tool's output schema.
func gated(ctx context.Context, t tool.Tool, args []byte) (tool.Output, error) {
	gate := approval.NewGate(approval.ApproveAll, nil)
	spec := t.Spec()
	out, err := gate.Call(ctx, approval.Item{Tool: t, Call: tool.Call{ID: "0.1", Name: spec.Name, Args: args}})
	if err != nil || spec.Output == nil {
		return out, err
	}
	schema, err := tool.Compile(spec.Output)
	if err != nil {
		return out, err
	}
	value := out.Data
	if len(value) == 0 {
		if value = json.RawMessage(out.Text); !json.Valid(value) {
			if value, err = json.Marshal(out.Text); err != nil {
				return out, err
			}
		}
	}
	if vs := schema.Validate(value); len(vs) > 0 {
		return out, tool.OutputFault(spec.Name, vs)
	}
	return out, nil
}

// named finds a tool of a module by its description, or else an export with that name
// (S0-26). To get a description, it may run the module with no grants, as a project
// would.
func named(ctx context.Context, b *wasmtool.Bound, name string, limit time.Duration) (tool.Tool, error) {
	all, bad := b.Module.Describe(ctx, wasmtool.Describing{Run: true, Time: limit, Slow: b.Slow})
	var names []string
	for _, d := range all {
		if d.Name == name {
			return b.Tool(d), nil
		}
		names = append(names, d.Name)
	}
	if has, err := b.Module.Exports(ctx, name); err != nil || has {
		return b.Export(name), err
	}
	if bad != nil {
		seen, err := b.Module.Inspect(ctx)
		if err != nil || seen.Built != "" || len(seen.Callable) == 0 {
			return nil, bad
		}
		names = seen.Callable
	}
	return nil, fault.New(fault.UnknownTool, "%s has no tool %q", b.Module.Path(), name).
		Hinting("%s", fault.DidYouMean(name, names))
}

// prepare compiles a tool's module, so that compiling does not count for the time
// limit.
func prepare(ctx context.Context, t tool.Tool) error {
	if p, ok := t.(tool.Preparer); ok {
		return p.Prepare(ctx)
	}
	return nil
}

// compiling returns a function that tells the person that golem compiles a module: in
// the status line of a terminal, else in a line.
func (h *host) compiling(m *wasmtool.Module, waits *ui.Spinner) func() {
	return func() {
		if waits.Live == nil {
			h.say("compiling %s", oneLine(m.Path()))
			return
		}
		waits.Wait("compiling " + m.Path())
	}
}

// toolArguments returns the arguments of a call as JSON.
func (h *host) toolArguments(words []string) ([]byte, error) {
	text := []byte("{}")
	switch {
	case len(words) == 0:
	case words[0] == "-":
		in, err := h.stdin()
		if err != nil {
			return nil, err
		}
		text = []byte(in)
	case strings.HasPrefix(words[0], "@"):
		data, err := h.readFile(words[0][1:], tool.MaxArgs)
		if err != nil {
			return nil, usage("%s: %s", words[0], cause(err)).Hinting("@FILE names a file with the arguments as JSON")
		}
		text = data
	default:
		text = []byte(words[0])
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) || !json.Valid(text) {
		return nil, usage("the arguments are not a JSON object").Hinting(`write them like '{"text":"hello"}'`)
	}
	return text, nil
}

// grants returns the grants that the flags give the module.
func (h *host) grants(f *callFlags) (wasmtool.Grants, error) {
	g := wasmtool.Grants{Network: len(f.hosts) > 0, Hosts: f.hosts, Fuel: f.fuel}
	if f.fuel < 0 {
		return g, usage("--fuel %d: must not be negative", f.fuel).Hinting("leave the flag out to use the default")
	}
	if f.timeout <= 0 {
		return g, usage("--timeout %s: must be greater than 0", f.timeout).Hinting("for example --timeout 10s")
	}
	for _, host := range f.hosts {
		if err := wasmtool.CheckHost(host); err != nil {
			return g, usage("--allow-host %s: %s", host, fault.Of(err, fault.Config).Message).Hinting("name a host, such as api.example.com")
		}
	}
	for _, kv := range f.config {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return g, usage("--config %s is not KEY=VALUE", kv).Hinting("for example --config region=eu")
		}
		if g.Config == nil {
			g.Config = map[string]string{}
		}
		g.Config[k] = v
	}
	if f.fs == "" {
		return g, nil
	}
	var err error
	g.Files, err = h.grantedFiles(f.fs)
	return g, err
}

// grantedFiles returns one directory as the module sees it. Files that define a project
// are protected as in a run.
func (h *host) grantedFiles(dir string) (sandbox.FS, error) {
	dir, readOnly := strings.CutSuffix(dir, ":ro")
	files, err := osfs.Open(h.path(dir))
	if err != nil {
		return nil, usage("--fs %s: %s", dir, cause(err)).Hinting("name a directory")
	}
	mode := sandbox.ReadWrite
	if readOnly {
		mode = sandbox.ReadOnly
	}
	root := sandbox.SourceOf(files, ".")
	return sandbox.View(sandbox.ViewSpec{
		Mounts:     []sandbox.Mount{{Name: "root", At: ".", FS: files, Source: root, Mode: mode}},
		Protection: h.guarded(root),
		Quota:      sandbox.NewQuota(sandbox.Limits{Bytes: 1 << 30, Files: 100_000, Handles: 256}),
	})
}

// guarded returns the protection that a directory has in a run.
func (h *host) guarded(root string) sandbox.Protection {
	p := sandbox.Controls{Root: root}.Protect()
	p.Closed = h.closed()
	return p
}

// callHints are hints for refusals of golem tool call, where flags and not a worker's
// file grant.
var callHints = map[fault.Code]string{
	fault.Grant:    "grant files with --fs DIR, a host with --allow-host HOST; in a worker, under toolsets.custom.modules",
	fault.ToolFuel: "give it less to do, or allow more with --fuel N",
}

// failedCall reports why a call failed, and returns the exit code.
func (h *host) failedCall(ctx context.Context, err error) error {
	var f *fault.Fault
	if errors.As(err, &f) && callHints[f.Code] != "" {
		err = f.Hinting("%s", callHints[f.Code])
	}
	h.report(err)
	switch {
	case ctx.Err() != nil:
		return exitCode(exitInterrupted)
	case errors.Is(err, fault.UnknownTool), errors.Is(err, fault.NotFound):
		return exitCode(exitUsage)
	}
	return exitCode(exitFailed)
}

// printOutput prints a result: the text or JSON that a model would get.
func (h *host) printOutput(out tool.Output) error {
	for _, p := range out.Parts {
		h.say("with %s", strings.Join(slices.DeleteFunc([]string{p.Type, p.MIME, p.Name, bytesOf(len(p.Data))}, func(s string) bool { return s == "" }), ", "))
	}
	text := out.String()
	if isTerminal(h.out) {
		lines, _ := approval.Lines(text)
		text = strings.Join(lines, "\n")
	} else {
		text = ui.Uncontrolled(text)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return h.print(text)
}
