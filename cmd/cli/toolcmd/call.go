package toolcmd

import (
	"bytes"
	"context"
	"encoding/json"
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

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/home"
	"golem/cmd/cli/input"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/session"
	"golem/cmd/cli/toolhost"
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

func callCommand(c *console.Console) *cobra.Command {
	f, project := &callFlags{}, &runflags.Flags{Command: "run"}
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
worker's grants and settings apply: what asks, asks you, and what is blocked is
denied. A text is enough if the tool takes one text. Without arguments, on a
terminal, golem asks for each one.
Exit codes: 0 the tool answered, 1 it failed or was denied, 2 wrong usage, 130 interrupted.`,
		Example: `  golem tool call tools/count.wasm count '{"text": "one two"}'
  golem tool call push '{"item": "1"}'
  golem tool call --project site publish`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !namesModule(c, args) {
				return nil
			}
			return console.Words(2, 3)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			if namesModule(c, words) {
				ofModule := func(name string) bool { return slices.Contains(moduleFlags, name) }
				if err := refuseFlags(cmd.Flags(), ofModule, "needs a tool of a project", "leave it out, or leave FILE.wasm out"); err != nil {
					return err
				}
				f.verbose = project.Verbose
				return callTool(c, f, words)
			}
			ofProject := func(name string) bool { return name == "verbose" || !slices.Contains(moduleFlags, name) }
			if err := refuseFlags(cmd.Flags(), ofProject, "needs FILE.wasm", "in a project the worker's file grants, under toolsets.custom.modules"); err != nil {
				return err
			}
			return session.OrJSON(c, project, callProjectTool(c, project, words))
		},
	}
	f.add(cmd.Flags())
	project.Add(cmd.Flags(), "call")
	runflags.Complete(c, cmd, project)
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
func callTool(c *console.Console, f *callFlags, words []string) error {
	args, err := toolArguments(c, words[2:])
	if err != nil {
		return err
	}
	grants, err := grants(c, f)
	if err != nil {
		return err
	}
	if dir, readOnly := strings.CutSuffix(f.fs, ":ro"); dir != "" && !readOnly {
		c.Home.Judge(home.Ground{Root: c.Path(dir)})
	}
	t := toolhost.New(c, f.verbose)
	defer t.Close()
	m, err := toolhost.Module(c, t, words[0])
	if err != nil {
		return err
	}
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	waits, end := c.Spinner()
	defer end()
	waits.Wait("reading " + words[0])
	heard := &listener{console: c, waits: waits, verbose: f.verbose}
	bound := &wasmtool.Bound{Module: m, Grants: grants, Listener: heard}
	defer bound.Close()
	called, err := named(ctx, bound, words[1], f.timeout)
	if err == nil {
		err = prepare(ctx, called)
	}
	if err != nil {
		return failedCall(ctx, c, heard, err)
	}
	limited, cancel := context.WithTimeoutCause(ctx, f.timeout,
		fault.New(fault.Timeout, "the tool took longer than %s", f.timeout).Hinting("give it more time with --timeout"))
	defer cancel()
	if f.verbose {
		c.Say("calling %s", words[1])
	}
	waits.Wait(ui.CallLine(words[1], args))
	start := time.Now()
	out, err := gated(limited, called, args)
	end()
	if f.verbose {
		c.Say("%s used %d units of fuel in %s", words[1], out.Fuel, time.Since(start).Round(100*time.Microsecond))
	}
	if err != nil {
		return failedCall(ctx, c, heard, err)
	}
	return printOutput(c, out)
}

// gated makes the call through the gate, like every call. It needs no approval, because
// the person makes it. The result is checked against the tool's output schema.
func gated(ctx context.Context, t tool.Tool, args []byte) (tool.Output, error) {
	gate := approval.NewGate(approval.ApproveAll, nil)
	spec := t.Spec()
	out, err := gate.Call(ctx, approval.Item{Tool: t, Call: tool.Call{ID: "0.1", Name: spec.Name, Args: tool.ReadArguments(args)}})
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
	all, bad := b.Module.Describe(ctx, wasmtool.Describing{Run: true, Time: limit, Listener: b.Listener})
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

// toolArguments returns the arguments of a call as JSON.
func toolArguments(c *console.Console, words []string) ([]byte, error) {
	text := []byte("{}")
	switch {
	case len(words) == 0:
	case words[0] == "-":
		in, err := input.Stdin(c)
		if err != nil {
			return nil, err
		}
		text = []byte(in)
	case strings.HasPrefix(words[0], "@"):
		data, err := c.ReadFile(words[0][1:], tool.MaxArgs)
		if err != nil {
			return nil, console.Usage("%s: %s", words[0], disk.Cause(err)).Hinting("@FILE names a file with the arguments as JSON")
		}
		text = data
	default:
		text = []byte(words[0])
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) || !json.Valid(text) {
		return nil, console.Usage("the arguments are not a JSON object").Hinting(`write them like '{"text":"hello"}'`)
	}
	return text, nil
}

// grants returns the grants that the flags give the module.
func grants(c *console.Console, f *callFlags) (wasmtool.Grants, error) {
	g := wasmtool.Grants{Network: len(f.hosts) > 0, Hosts: f.hosts, Fuel: f.fuel}
	if f.fuel < 0 {
		return g, console.Usage("--fuel %d: must not be negative", f.fuel).Hinting("leave the flag out to use the default")
	}
	if f.timeout <= 0 {
		return g, console.Usage("--timeout %s: must be greater than 0", f.timeout).Hinting("for example --timeout 10s")
	}
	for _, host := range f.hosts {
		if err := wasmtool.CheckHost(host); err != nil {
			return g, console.Usage("--allow-host %s: %s", host, fault.Of(err, fault.Config).Message).Hinting("name a host, such as api.example.com")
		}
	}
	for _, kv := range f.config {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return g, console.Usage("--config %s is not KEY=VALUE", kv).Hinting("for example --config region=eu")
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
	g.Files, err = grantedFiles(c, f.fs)
	return g, err
}

// grantedFiles returns one directory as the module sees it. Files that define a project
// are protected as in a run.
func grantedFiles(c *console.Console, dir string) (sandbox.FS, error) {
	dir, readOnly := strings.CutSuffix(dir, ":ro")
	files, err := osfs.Open(c.Path(dir))
	if err != nil {
		return nil, console.Usage("--fs %s: %s", dir, disk.Cause(err)).Hinting("name a directory")
	}
	mode := sandbox.ReadWrite
	if readOnly {
		mode = sandbox.ReadOnly
	}
	root := sandbox.SourceOf(files, ".")
	return sandbox.View(sandbox.ViewSpec{
		Mounts:     []sandbox.Mount{{Name: "root", At: ".", FS: files, Source: root, Mode: mode}},
		Protection: guarded(c, root),
		Quota:      sandbox.NewQuota(sandbox.Limits{Bytes: 1 << 30, Files: 100_000, Handles: 256}),
	})
}

// guarded returns the protection that a directory has in a run.
func guarded(c *console.Console, root string) sandbox.Protection {
	p := sandbox.Controls{Root: root}.Protect()
	p.Closed = machine.ClosedDirs(c)
	return p
}

// printOutput prints a result: the text or JSON that a model would get.
func printOutput(c *console.Console, out tool.Output) error {
	for _, p := range out.Parts {
		c.Say("with %s", strings.Join(slices.DeleteFunc([]string{p.Type, p.MIME, p.Name, console.Bytes(len(p.Data))}, func(s string) bool { return s == "" }), ", "))
	}
	text := out.String()
	if console.IsTerminal(c.Out) {
		lines, _ := approval.Lines(text)
		text = strings.Join(lines, "\n")
	} else {
		text = ui.Uncontrolled(text)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return c.Print(text)
}
