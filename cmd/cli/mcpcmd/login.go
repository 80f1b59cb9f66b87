package mcpcmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/mcp"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/mcphost"
	"golem/cmd/cli/personcmd"
	"golem/cmd/cli/secretstore"
)

func loginCommand(c *console.Console) *cobra.Command {
	var clientID, secretVar, scope, store string
	var noBrowser bool
	cmd := &cobra.Command{
		Use: "login URL", Short: "sign in at an MCP server, in the browser", Args: console.Words(1, 1),
		Long: `Signs in at a server that a worker names with url: under toolsets.mcp. golem opens the
server's sign-in page in your browser, and waits for its answer on an address of this
machine. It keeps the tokens with your secrets, sends them to this address alone, and
renews them. No worker and no project sees them.`,
		Example: `  golem mcp login https://wiki.example.com/mcp
  golem mcp logout https://wiki.example.com/mcp`,
		RunE: func(_ *cobra.Command, words []string) error {
			kept, err := personcmd.PersonSecrets(c)
			if err != nil {
				return err
			}
			in := mcphost.Login{Server: words[0], ClientID: clientID, Scopes: strings.Fields(scope)}
			if secretVar != "" {
				if in.Secret = c.Env[secretVar]; in.Secret == "" || clientID == "" {
					return console.Usage("--client-secret-env %s needs --client-id, and a value of that variable", fault.Quoted(secretVar)).Hinting("%s=… golem mcp login URL --client-id ID --client-secret-env %[1]s", "CLIENT_SECRET")
				}
			}
			in.Show = showLogin(c, !noBrowser)
			return runLogin(c, in, kept, store)
		},
	}
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "print the address, and open no browser")
	cmd.Flags().StringVar(&scope, "scope", "", "ask for these rights too, with spaces between them")
	cmd.Flags().StringVar(&clientID, "client-id", "", "the ID of a client that you registered; without it golem registers itself")
	cmd.Flags().StringVar(&secretVar, "client-secret-env", "", "the environment variable with the secret of that client, if it has one")
	cmd.Flags().StringVar(&store, "store", "", "where to keep the tokens: keyring or file; without it the keyring, or the file where no keyring answers")
	return cmd
}

func logoutCommand(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use: "logout URL", Short: "forget a sign-in at an MCP server", Args: console.Words(1, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			kept, err := personcmd.PersonSecrets(c)
			if err != nil {
				return err
			}
			ctx, stop := c.Interruptible(context.Background())
			defer stop()
			done, err := kept.LockSignIn(ctx, words[0])
			if err != nil {
				return err
			}
			defer done()
			had, err := kept.Remove(secretstore.SignInName(words[0]))
			if err != nil {
				return err
			}
			if !had {
				return fault.New(fault.NotFound, "you are not signed in at %s", mcp.Plain(words[0], 200)).Hinting("golem secret list shows where you are")
			}
			return c.Print("signed out: golem has forgotten the tokens; to end them at the server too, use its own pages\n")
		},
	}
}

// showLogin returns the function that prints the address of the sign-in page and, if
// open is true, opens it in the browser.
func showLogin(c *console.Console, open bool) func(address, host string) {
	return func(address, host string) {
		c.Say("sign in at %s, within %v; Ctrl+C ends the waiting:", host, mcphost.LoginWait)
		c.Say("%s", address)
		if open {
			if err := console.Browse(address); err != nil {
				c.Say("no browser could be opened: %s", disk.Cause(err))
			}
		}
	}
}

// runLogin signs in and stores the tokens.
func runLogin(c *console.Console, in mcphost.Login, kept *secretstore.Store, store string) error {
	if store != "" && store != secretstore.InKeyring && store != secretstore.InFile {
		return console.Usage("--store %q is neither keyring nor file", store)
	}
	if err := mcp.CheckURL(in.Server); err != nil {
		return err
	}
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	got, err := in.Run(ctx)
	if err != nil {
		return err
	}
	if got == nil {
		return c.Print("the server asks for no sign-in\n")
	}
	done, err := kept.LockSignIn(ctx, in.Server)
	if err != nil {
		return err
	}
	defer done()
	used, err := kept.KeepSignIn(got, store)
	if err != nil {
		return err
	}
	if used == secretstore.InFile {
		c.Say("secrets.json in GOLEM_HOME can be read only by you, and is not encrypted")
	}
	return c.Print("signed in: the tokens are kept with your secrets\n")
}
