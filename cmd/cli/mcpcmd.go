package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"golem/cmd/cli/mcpserve"
	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/ui"
)

// mcpCommand returns golem mcp, the commands for the Model Context Protocol.
func (h *host) mcpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "mcp", Short: "offer workers to other programs, and sign in at servers (MCP)",
		Args: cobra.NoArgs,
		RunE: h.alone,
	}
	cmd.AddCommand(h.mcpServeCommand(), h.mcpLoginCommand(), h.mcpLogoutCommand())
	return cmd
}

// serveFlags are the flags of a run that golem mcp serve has, too.
var serveFlags = []string{
	"project", "no-project", "entry", "lib", "verify", "no-import-tools", "allow-module-imports", "allow-outside", "model", "set", "limit",
	"max-turns", "max-depth", "approval", "approve-all", "deny-all", "trust", "sandbox", "strict", "quiet",
}

// tokenVariable is the environment variable for a token that the person chose, for
// clients whose configuration stores it.
const tokenVariable = "GOLEM_MCP_TOKEN"

func (h *host) mcpServeCommand() *cobra.Command {
	f := &flags{command: "run"}
	var addr string
	cmd := &cobra.Command{
		Use: "serve [DIR]", Short: "be an MCP server: the project's exported workers are its tools", Args: words(0, 1),
		Long: `Offers the workers of exports: in the manifest, or without exports the entry, as
tools of an MCP server. A client, such as an editor or another agent, starts golem
and speaks with it on standard input and output; with --http it connects to an
address of this machine instead, and sends the token that golem shows.

Each call is a run with a trace. What asks for approval is asked in the client, if
it can ask its user, and is denied otherwise. What the project's files allow beyond
its sandbox has to be trusted before: golem trust DIR.`,
		Example: `  golem mcp serve .
  golem mcp serve . --http 127.0.0.1:8421`,
		RunE: func(_ *cobra.Command, words []string) error { return h.mcpServe(f, words, addr) },
	}
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.addRun(all)
	for _, name := range serveFlags {
		cmd.Flags().AddFlag(all.Lookup(name))
	}
	f.set = cmd.Flags()
	cmd.Flags().Lookup("project").Usage = "the project directory (default: the current directory)"
	cmd.Flags().Lookup("entry").Usage = "offer this worker, and not the exports"
	cmd.Flags().Lookup("quiet").Usage = "show warnings and errors only"
	cmd.Flags().StringVar(&addr, "http", "", "serve over HTTP on this loopback address with a port, 0 for a free one")
	h.complete(cmd, f)
	return cmd
}

// mcpServe serves until the client goes away or the person presses Ctrl+C.
func (h *host) mcpServe(f *flags, words []string, addr string) error {
	if err := f.refuse(); err != nil {
		return err
	}
	if f.given("http") && addr == "" {
		return usage("--http is empty").Hinting("for example 127.0.0.1:8421, or 127.0.0.1:0 for a free port")
	}
	p, _, err := h.target(f, h.orHere(f, words))
	if err != nil {
		return err
	}
	out := h.out
	h.out = h.err // standard output carries the protocol and nothing else
	t := h.newTools(false)
	defer t.close()
	// If the client went away, a write returns an error and SIGPIPE does not end the
	// process.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	ctx, stop := h.interruptible(context.Background())
	defer stop()
	tools, err := h.served(ctx, f, p, t)
	if errors.Is(err, fault.Trust) {
		h.report(err)
		return exitCode(exitNobody)
	}
	if err != nil {
		return err
	}
	server, err := mcpserve.New(buildVersion(), "", tools)
	if err != nil {
		return err
	}
	names := make([]string, len(tools))
	for i, one := range tools {
		names[i] = one.Name
	}
	if !f.given("http") {
		h.note(f, "MCP server on standard input and output, for a client that starts it; %s: %s", fault.Count(len(names), "tool"), strings.Join(names, ", "))
		return server.Pipe(ctx, h.in, out)
	}
	token, err := h.token()
	if err != nil {
		return err
	}
	listener, err := listenLoopback("--http", addr, "for example 127.0.0.1:8421; other machines cannot be served")
	if err != nil {
		return err
	}
	h.say("MCP server at http://%s%s", listener.Addr(), mcpserve.Path)
	if h.env[tokenVariable] == "" {
		h.say("clients send the header Authorization: Bearer %s", token)
	}
	h.note(f, "%s: %s", fault.Count(len(names), "tool"), strings.Join(names, ", "))
	return server.Serve(ctx, listener, token)
}

// note prints like say, but not with --quiet.
func (h *host) note(f *flags, format string, args ...any) {
	if !f.quiet {
		h.say(format, args...)
	}
}

// minToken is the fewest characters that a token chosen by the person may have.
const minToken = 24

// token returns the token that the person chose, or a new one.
func (h *host) token() (string, error) {
	own := h.env[tokenVariable]
	switch {
	case own == "":
		return mcpserve.NewToken(), nil
	case len(own) < minToken || strings.ContainsAny(own, " \t\r\n"):
		return "", usage("%s has fewer than %d characters, or a space", tokenVariable, minToken).Hinting("make one with: openssl rand -hex 24; without the variable golem makes one at each start")
	}
	return own, nil
}

// served returns the tools to offer: the workers that the project exports, or its
// entry.
func (h *host) served(ctx context.Context, f *flags, p place, t *tools) ([]mcpserve.Tool, error) {
	first, err := h.open(p, f, t)
	if err != nil {
		return nil, err
	}
	exports := first.Project().Manifest().Exports
	insts := []*core.Instance{first}
	if exports != nil && f.entry == "" && !p.file {
		if len(exports) == 0 {
			return nil, fault.New(fault.Config, "exports: is empty, so there is nothing to offer").Hinting("name workers in exports:, remove it to offer the entry, or use --entry")
		}
		insts = nil
		for _, ref := range exports {
			one := *f
			one.entry = ref
			inst, err := h.open(p, &one, t)
			if err != nil {
				return nil, err
			}
			insts = append(insts, inst)
		}
	}
	var out []mcpserve.Tool
	var ids []string
	for _, inst := range insts {
		entry, err := inst.Entry()
		if err != nil {
			return nil, h.elsewhere(f, p, listOf(err)).Err()
		}
		if err := h.trustedToServe(ctx, inst, entry, f, p); err != nil {
			return nil, err
		}
		one, err := h.serve(ctx, f, p, inst, entry)
		if err != nil {
			return nil, err
		}
		ids, out = append(ids, one.Name), append(out, one)
	}
	for i, name := range tool.ToolNames(ids) {
		out[i].Name = name
	}
	return out, nil
}

// trustedToServe returns fault.Trust if a run would first ask a person for trust,
// because the client must not give it.
func (h *host) trustedToServe(ctx context.Context, inst *core.Instance, entry *project.Worker, f *flags, p place) error {
	open, err := inst.NeedsTrust(ctx, entry)
	if err != nil || len(open) == 0 {
		return err
	}
	what := "DIR"
	if p.pack == nil {
		what = p.root
	}
	return fault.New(fault.Trust, "%s allows things beyond the project's sandbox that you have not trusted, the first of %d: %s", entry.ID, len(open), widening(open[0])).
		Hinting("golem trust %s shows all and asks you; --trust says yes for this server", what)
}

// serve returns a worker, or the tool that is the entry, as a tool for clients.
func (h *host) serve(ctx context.Context, f *flags, p place, inst *core.Instance, entry *project.Worker) (mcpserve.Tool, error) {
	out := mcpserve.Tool{Name: entry.ID, Description: entry.Description, Optional: entry.AllowEmptyInput}
	in, result := entry.Input, entry.Output
	if entry.Tool != "" {
		spec, err := inst.EntryTool(ctx)
		if err != nil {
			return out, err
		}
		out.Name, out.Description, in, result = spec.Name, spec.Description, spec.Input, spec.Output
	}
	out.Input, out.Output = objectSchema(in), objectSchema(result)
	if out.Description == "" {
		out.Description = "a worker of the project " + p.name()
	}
	out.Run = func(ctx context.Context, in run.Input, front ui.UI) run.Result {
		return h.servedRun(ctx, f, p, inst, entry, in, front)
	}
	return out, nil
}

// objectSchema returns a schema with "type": "object", which the protocol requires; nil
// for a schema that does not describe an object.
func objectSchema(raw json.RawMessage) json.RawMessage {
	var schema map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &schema) != nil {
		return nil
	}
	if kind := schema["type"]; kind != nil {
		if string(kind) != `"object"` {
			return nil
		}
		return raw
	}
	if schema["properties"] == nil {
		return nil
	}
	schema["type"] = json.RawMessage(`"object"`)
	out, err := json.Marshal(schema)
	if err != nil {
		return nil // unreachable: the values were parsed from JSON
	}
	return out
}

// servedRun runs a call of a client as a run with a trace.
func (h *host) servedRun(ctx context.Context, f *flags, p place, inst *core.Instance, entry *project.Worker, in run.Input, front ui.UI) run.Result {
	o := core.RunOptions{ID: core.NewRunID(time.Now()), Strict: f.strict}
	o.Trouble = func(err error) {
		h.say("warning: the trace is incomplete, because it could not be written: %s", cause(err))
	}
	file, err := h.openTrace(f, p, o.ID)
	if err != nil {
		return run.Result{Status: run.Failed, Error: fault.Of(err, fault.Config), Refused: true}
	}
	if file != nil {
		defer file.Close()
		o.Trace = file
		if file.folder != nil {
			o.Texts = file.keep
		}
	}
	res := inst.Run(ctx, in, front, o)
	end := string(res.Status)
	if res.Error != nil {
		end += ": " + oneLine(res.Error.Error())
	}
	h.note(f, "%s, run %s: %s", entry.ID, o.ID, end)
	if denied := len(res.Denied); denied > 0 {
		name, _ := approval.Visible(res.Denied[0].Tool)
		h.say("%s, run %s: %s denied, because the client's user could not be asked; the first: %s", entry.ID, o.ID, fault.Count(denied, "call"), name)
	}
	return res
}
