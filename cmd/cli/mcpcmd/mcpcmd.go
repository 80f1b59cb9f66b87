// Package mcpcmd is golem mcp: offering workers to other programs, and the sign-in at MCP
// servers.
package mcpcmd

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"golem/core/fault"

	"golem/cmd/cli/console"
	"golem/cmd/cli/fetch"
	"golem/cmd/cli/httpguard"
	"golem/cmd/cli/mcphost"
	"golem/cmd/cli/mcpserve"
	"golem/cmd/cli/offering"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// Command returns golem mcp, the commands for the Model Context Protocol.
func Command(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use: "mcp", Short: "offer workers to other programs, and sign in at servers (MCP)",
		Args: cobra.NoArgs,
		RunE: console.Alone,
	}
	cmd.AddCommand(serveCommand(c), loginCommand(c), logoutCommand(c))
	return cmd
}

func serveCommand(c *console.Console) *cobra.Command {
	f := &runflags.Flags{Command: "run"}
	var addr string
	cmd := &cobra.Command{
		Use: "serve [DIR]", Short: "be an MCP server: the project's exported workers are its tools", Args: console.Words(0, 1),
		Long: `Offers the workers of exports: in the manifest, or without exports the entry, as
tools of an MCP server. A client, such as an editor or another agent, starts golem
and speaks with it on standard input and output; with --http it connects to an
address of this machine instead, and sends the token that golem shows.

Each call is a run with a trace. What asks for approval is asked in the client, if
it can ask its user, and is denied otherwise. What the project's files allow beyond
its sandbox has to be trusted before: golem trust DIR.`,
		Example: `  golem mcp serve .
  golem mcp serve . --http 127.0.0.1:8421`,
		RunE: func(_ *cobra.Command, words []string) error { return runServe(c, f, words, addr) },
	}
	f.Add(cmd.Flags(), "serve")
	cmd.Flags().StringVar(&addr, "http", "", "serve over HTTP on this loopback address with a port, 0 for a free one")
	runflags.Complete(c, cmd, f)
	return cmd
}

// runServe serves until the client goes away or the person presses Ctrl+C.
func runServe(c *console.Console, f *runflags.Flags, words []string, addr string) error {
	if err := f.Refuse(); err != nil {
		return err
	}
	if f.Given("http") && addr == "" {
		return console.Usage("--http is empty").Hinting("for example 127.0.0.1:8421, or 127.0.0.1:0 for a free port")
	}
	p, _, err := target.Find(c, f.Wanted(), target.OrHere(c, f.Project, words))
	if err != nil {
		return err
	}
	out := c.Out
	c.Out = c.Err // standard output carries the protocol and nothing else
	t := toolhost.New(c, false)
	defer t.Close()
	// If the client went away, a write returns an error and SIGPIPE does not end the
	// process.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	offers, err := offering.New(c, f, p)
	if err != nil {
		return err
	}
	defer offers.Close()
	serving := &serving{offers}
	tools, err := serving.tools(ctx, t)
	if errors.Is(err, fault.Trust) {
		c.Report(err)
		return console.ExitCode(console.ExitNobody)
	}
	if err != nil {
		return err
	}
	server, err := mcpserve.New(c.Build.Version, "", tools)
	if err != nil {
		return err
	}
	questions, done := questionStore(c, p)
	defer done()
	if questions.Kept() {
		server.KeepQuestions(questions)
	}
	names := make([]string, len(tools))
	for i, one := range tools {
		names[i] = one.Name
	}
	if !f.Given("http") {
		serving.Note("MCP server on standard input and output, for a client that starts it; %s: %s", fault.Count(len(names), "tool"), strings.Join(names, ", "))
		return server.Pipe(ctx, c.In, out)
	}
	token, err := token(c)
	if err != nil {
		return err
	}
	listener, err := fetch.Listen("--http", addr, "for example 127.0.0.1:8421; other machines cannot be served")
	if err != nil {
		return err
	}
	c.Say("MCP server at http://%s%s", listener.Addr(), mcpserve.Path)
	if c.Env[mcphost.TokenVariable] == "" {
		c.Say("clients send the header Authorization: Bearer %s", token)
	}
	serving.Note("%s: %s", fault.Count(len(names), "tool"), strings.Join(names, ", "))
	return server.Serve(ctx, listener, token)
}

// token returns the token that the person chose, or a new one.
func token(c *console.Console) (string, error) {
	own := c.Env[mcphost.TokenVariable]
	if own == "" {
		return httpguard.NewToken(), nil
	}
	return own, httpguard.CheckToken(mcphost.TokenVariable, own)
}
