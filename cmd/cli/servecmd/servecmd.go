// Package servecmd is golem serve: workers as models of an endpoint with OpenAI's protocol.
package servecmd

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/fetch"
	"golem/cmd/cli/httpguard"
	"golem/cmd/cli/offering"
	"golem/cmd/cli/openaiserve"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// TokenVariable is the environment variable for a token that the person chose.
const TokenVariable = "GOLEM_SERVE_TOKEN"

// flags are the flags of golem serve.
type flags struct {
	runflags.Flags
	addr, token, tokenFile string
}

// Command returns golem serve.
func Command(c *console.Console) *cobra.Command {
	f := &flags{Flags: runflags.Flags{Command: "run"}}
	cmd := &cobra.Command{
		Use: "serve [DIR]", Short: "offer workers as models to programs that speak OpenAI's protocol", Args: console.Words(0, 1),
		Long: `Offers the workers of exports: in the manifest, or without exports the entry, as
models of an endpoint with OpenAI's protocol: chat completions, responses and the
list of models, with streaming. Clients use the address that golem shows as their
base URL, and the token that it shows as their key.

Each request is a run with a trace. Nobody can be asked: what asks for approval is
denied, and the answer says so. What the project's files allow beyond its sandbox
has to be trusted before: golem trust DIR.`,
		Example: `  golem serve .
  golem serve . --addr 127.0.0.1:8421 --token-file token.txt`,
		RunE: func(_ *cobra.Command, words []string) error { return serve(c, f, words) },
	}
	f.Add(cmd.Flags(), "serve")
	s := cmd.Flags()
	s.StringVar(&f.addr, "addr", "127.0.0.1:0", "listen on this address with a port, 0 for a free one")
	s.StringVar(&f.tokenFile, "token-file", "", "the `FILE` with the token that clients send as their key")
	s.StringVar(&f.token, "token", "", "the token itself, which other users of this machine can read")
	runflags.Complete(c, cmd, &f.Flags)
	return cmd
}

// serve serves until the person presses Ctrl+C.
func serve(c *console.Console, f *flags, words []string) error {
	if err := errors.Join(f.Refuse(), f.NotEmpty("addr", "token", "token-file")); err != nil {
		return err
	}
	token, chosen, err := f.secret(c)
	if err != nil {
		return err
	}
	p, _, err := target.Find(c, f.Wanted(), target.OrHere(c, f.Project, words))
	if err != nil {
		return err
	}
	t := toolhost.New(c, false)
	defer t.Close()
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	offers, err := offering.New(c, &f.Flags, p)
	if err != nil {
		return err
	}
	defer offers.Close()
	found, err := offers.Workers(ctx, t)
	if errors.Is(err, fault.Trust) {
		c.Report(err)
		return console.ExitCode(console.ExitNobody)
	}
	if err != nil {
		return err
	}
	var workers []openaiserve.Worker
	var names []string
	for _, one := range found {
		w, err := worker(ctx, offers, one)
		if err != nil {
			return err
		}
		workers, names = append(workers, w), append(names, w.ID)
	}
	listener, anywhere, err := f.listen(c, chosen)
	if err != nil {
		return err
	}
	guard := httpguard.New("golem serve", token)
	guard.Anywhere = anywhere
	server, err := openaiserve.New(workers, guard, func() string { return core.NewRunID(time.Now()) })
	if err != nil {
		listener.Close()
		return err
	}
	c.Say("OpenAI-compatible endpoint; base URL: http://%s%s", listener.Addr(), openaiserve.Base)
	if !chosen {
		c.Say("key: %s", token)
	}
	offers.Note("%s: %s; Ctrl+C ends golem serve", fault.Count(len(names), "model"), ui.OneLine(strings.Join(names, ", ")))
	return server.Serve(ctx, listener)
}

// maxToken is the most bytes of a file with a token.
const maxToken = 4 << 10

// secret returns the token that the person chose, or a new one. The command line comes
// before the environment.
func (f *flags) secret(c *console.Console) (token string, chosen bool, err error) {
	switch {
	case f.token != "" && f.tokenFile != "":
		return "", false, console.Usage("--token and --token-file exclude each other").Hinting("use --token-file")
	case f.token != "":
		c.Say("warning: other users of this machine can read --token in the list of processes; %s and --token-file keep it from them", TokenVariable)
		return f.token, true, httpguard.CheckToken("--token", f.token)
	case f.tokenFile != "":
		data, err := readToken(f.tokenFile)
		if err != nil {
			return "", false, err
		}
		return data, true, httpguard.CheckToken("--token-file "+f.tokenFile, data)
	case c.Env[TokenVariable] != "":
		return c.Env[TokenVariable], true, httpguard.CheckToken(TokenVariable, c.Env[TokenVariable])
	}
	return httpguard.NewToken(), false, nil
}

func readToken(name string) (string, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err == nil && info.Size() > maxToken {
		err = errors.New("it has more than 4 KiB")
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return "", console.Usage("--token-file %s cannot be read: %s", name, fault.Of(err, fault.Usage).Message).
			Hinting("name a file with the token, 24 characters or more, and nothing else")
	}
	return strings.TrimSpace(string(data)), nil
}

// listen listens on the address. One that other machines reach needs a token that the
// person chose, so that nobody opens golem to them by a mistyped address.
func (f *flags) listen(c *console.Console, chosen bool) (l net.Listener, anywhere bool, err error) {
	l, anywhere, err = fetch.ListenAnywhere("--addr", f.addr)
	if err != nil || !anywhere {
		return l, anywhere, err
	}
	if !chosen {
		l.Close()
		return nil, false, console.Usage("--addr %s can be reached from other machines, and no token was chosen", f.addr).
			Hinting("choose one with --token-file FILE or %s, or listen on 127.0.0.1", TokenVariable)
	}
	c.Say("warning: other machines can reach golem serve, and token and texts travel unencrypted: put a proxy with TLS before it, or use a network that you trust")
	return l, true, nil
}

// worker returns a worker, or the tool that is the entry, as a model.
func worker(ctx context.Context, o *offering.Offering, from offering.Worker) (openaiserve.Worker, error) {
	entry := from.Entry
	out := openaiserve.Worker{ID: entry.ID, Description: entry.Description, Chat: entry.Mode == "chat", Output: entry.Output}
	in := entry.Input
	if entry.Tool != "" {
		spec, err := from.Instance.EntryTool(ctx)
		if err != nil {
			return out, err
		}
		out.ID, out.Description, in, out.Output = spec.Name, spec.Description, spec.Input, spec.Output
	}
	out.Object = offering.ObjectSchema(in) != nil
	out.Run = func(ctx context.Context, id string, input run.Input, front ui.UI) run.Result {
		how := o.NewRun()
		how.ID = id
		return o.Run(ctx, from, input, front, how)
	}
	return out, nil
}
