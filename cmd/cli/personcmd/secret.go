// Package personcmd has the commands about what golem keeps of a person: secrets and
// approval rules.
package personcmd

import (
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/trace"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/secretstore"
)

// SecretCommand returns golem secret.
func SecretCommand(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "secret",
		Short: "keep secrets, such as tokens, that tools may be given",
		Long: `A worker's file names a secret, and never has its value:

  toolsets: {custom: {modules: {issues: {config: {TOKEN: {secret: ISSUES}}}}}}

golem keeps the value in the keyring of this machine. Where no keyring answers, golem
keeps it in $GOLEM_HOME/secrets.json, which only you can read and which is not encrypted.
A tool gets the value when you trust the project (golem trust), and golem takes the
value out of whatever the tool returns.

  golem secret set NAME            ask for the value; it is not shown
  golem secret set NAME < FILE     take it from a file or a pipe
  golem secret list                the names, and where each value is
  golem secret remove NAME`,
		Args: cobra.NoArgs,
		RunE: console.Alone,
	}
	var store string
	var asJSON bool
	set := &cobra.Command{
		Use: "set NAME", Short: "keep a value under a name",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return console.Usage("the value of a secret is never an argument, because other programs and the history of the shell would see it").
					Hinting("golem secret set NAME asks for it, or reads it from standard input")
			}
			return console.Words(1, 1)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return setSecret(c, args[0], store) },
	}
	set.Flags().StringVar(&store, "store", "", "where to keep it: keyring or file; without it the keyring, or the file where no keyring answers")
	list := &cobra.Command{
		Use: "list", Short: "list the names of your secrets", Args: console.Words(0, 0),
		RunE: func(*cobra.Command, []string) error { return listSecrets(c, asJSON) },
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	remove := &cobra.Command{
		Use: "remove NAME", Short: "forget a secret", Args: console.Words(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return removeSecret(c, args[0]) },
	}
	cmd.AddCommand(set, list, remove)
	return cmd
}

// PersonSecrets returns the person's store, or an error that says why there is none.
func PersonSecrets(c *console.Console) (*secretstore.Store, error) {
	if s := secretstore.Open(c); s != nil {
		return s, nil
	}
	return nil, c.Home.Missing("there is nowhere to keep secrets")
}

func setSecret(c *console.Console, name, store string) error {
	if !slices.Contains([]string{"", secretstore.InKeyring, secretstore.InFile}, store) {
		return console.Usage("--store %q is neither keyring nor file", store)
	}
	if !tool.ValidSecret(name) {
		return console.Usage("%q cannot be the name of a secret", name).Hinting("begin with a letter, and use letters, digits, _ . and -, at most 64")
	}
	kept, err := PersonSecrets(c)
	if err != nil {
		return err
	}
	value, err := readSecret(c, name)
	if err != nil {
		return err
	}
	used, why, err := kept.Set(name, value, store)
	if err != nil {
		return err
	}
	if used == secretstore.InKeyring {
		return c.Print("the secret " + name + " is in the keyring of this machine\n")
	}
	if why != nil {
		c.Say("no keyring answers here: %s", disk.Cause(why))
	}
	c.Say("secrets.json in GOLEM_HOME can be read only by you, and is not encrypted")
	return c.Print("the secret " + name + " is in $GOLEM_HOME/secrets.json\n")
}

// readSecret reads the value from the terminal, without showing it, or from standard
// input to its end. A line break at the end does not belong to the value.
func readSecret(c *console.Console, name string) (string, error) {
	value, err := "", error(nil)
	if console.IsTerminal(c.In) {
		value, err = console.ReadHidden(c.In, c.Err, "Value of "+name+" (not shown): ")
	} else {
		var data []byte
		data, err = io.ReadAll(io.LimitReader(c.In, secretstore.MaxSecret+3))
		value = string(data)
	}
	if err != nil {
		return "", fault.New(fault.Usage, "the value could not be read: %s", disk.Cause(err))
	}
	value = strings.TrimSuffix(strings.TrimSuffix(value, "\n"), "\r")
	switch size := len(strings.TrimSpace(value)); {
	case size == 0:
		return "", console.Usage("the value is empty").Hinting("type it, or give it on standard input; golem secret remove %s forgets the secret", name)
	case size < trace.MinSecret:
		return "", console.Usage("the value has %d bytes; a secret needs at least %d, because golem could not remove a shorter one from outputs and traces without damage to other texts", size, trace.MinSecret).Hinting("use a longer one")
	case len(value) > secretstore.MaxSecret:
		return "", console.Usage("the value has more than %d bytes", secretstore.MaxSecret).Hinting("a secret is a token, a password or a key")
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return "", console.Usage("the value is not text in UTF-8").Hinting("encode it, for example in base64")
	}
	return value, nil
}

func listSecrets(c *console.Console, asJSON bool) error {
	kept, err := PersonSecrets(c)
	if err != nil {
		return err
	}
	index, err := kept.Index()
	if err != nil {
		return err
	}
	type listed struct {
		Name  string    `json:"name"`
		Store string    `json:"store"`
		Set   time.Time `json:"set"`
	}
	all, rows := []listed{}, [][]string{{"NAME", "STORE", "SET"}}
	for _, name := range slices.Sorted(maps.Keys(index.Secrets)) {
		s := index.Secrets[name]
		all = append(all, listed{name, s.Store, s.Set})
		rows = append(rows, []string{ui.OneLine(name), s.Store, console.When(s.Set)})
	}
	switch {
	case asJSON:
		return c.PrintJSON(struct {
			Golem   string   `json:"golem"`
			V       int      `json:"v"`
			Secrets []listed `json:"secrets"`
		}{"secrets", 1, all})
	case len(all) == 0:
		return c.Print("you keep no secrets; golem secret set NAME keeps one\n")
	}
	return c.Print(ui.Table(rows))
}

func removeSecret(c *console.Console, name string) error {
	kept, err := PersonSecrets(c)
	if err != nil {
		return err
	}
	had, err := kept.Remove(name)
	if err != nil {
		return err
	}
	if !had {
		index, err := kept.Index()
		if err != nil {
			return err
		}
		return fault.New(fault.NotFound, "you have no secret named %s", fault.Quoted(name)).
			Hinting("%s", fault.DidYouMean(name, slices.Sorted(maps.Keys(index.Secrets))))
	}
	return c.Print("removed: " + name + "\n")
}
