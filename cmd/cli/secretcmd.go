package main

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
)

func (h *host) secretCommand() *cobra.Command {
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
		RunE: h.alone,
	}
	var store string
	var asJSON bool
	set := &cobra.Command{
		Use: "set NAME", Short: "keep a value under a name",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("the value of a secret is never an argument, because other programs and the history of the shell would see it").
					Hinting("golem secret set NAME asks for it, or reads it from standard input")
			}
			return words(1, 1)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return h.setSecret(args[0], store) },
	}
	set.Flags().StringVar(&store, "store", "", "where to keep it: keyring or file; without it the keyring, or the file where no keyring answers")
	list := &cobra.Command{
		Use: "list", Short: "list the names of your secrets", Args: words(0, 0),
		RunE: func(*cobra.Command, []string) error { return h.listSecrets(asJSON) },
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	remove := &cobra.Command{
		Use: "remove NAME", Short: "forget a secret", Args: words(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return h.removeSecret(args[0]) },
	}
	cmd.AddCommand(set, list, remove)
	return cmd
}

// personSecrets returns the person's store, or an error that says why there is none.
func (h *host) personSecrets() (*secretStore, error) {
	if s := h.secretStore(); s != nil {
		return s, nil
	}
	return nil, h.homeless("there is nowhere to keep secrets")
}

func (h *host) setSecret(name, store string) error {
	if !slices.Contains([]string{"", inKeyring, inFile}, store) {
		return usage("--store %q is neither keyring nor file", store)
	}
	if !tool.ValidSecret(name) {
		return usage("%q cannot be the name of a secret", name).Hinting("begin with a letter, and use letters, digits, _ . and -, at most 64")
	}
	kept, err := h.personSecrets()
	if err != nil {
		return err
	}
	value, err := h.readSecret(name)
	if err != nil {
		return err
	}
	used, why, err := kept.set(name, value, store)
	if err != nil {
		return err
	}
	if used == inKeyring {
		return h.print("the secret " + name + " is in the keyring of this machine\n")
	}
	if why != nil {
		h.say("no keyring answers here: %s", cause(why))
	}
	h.say("secrets.json in GOLEM_HOME can be read only by you, and is not encrypted")
	return h.print("the secret " + name + " is in $GOLEM_HOME/secrets.json\n")
}

// mostSecret is the largest value in bytes. A value shorter than trace.MinSecret is
// refused, too: it could not be told from ordinary text, so golem could not remove it
// from a trace.
const mostSecret = 8 << 10

// readSecret reads the value from the terminal, without showing it, or from standard
// input to its end. A line break at the end does not belong to the value.
func (h *host) readSecret(name string) (string, error) {
	value, err := "", error(nil)
	if isTerminal(h.in) {
		value, err = hidden(h.in, h.err, "Value of "+name+" (not shown): ")
	} else {
		var data []byte
		data, err = io.ReadAll(io.LimitReader(h.in, mostSecret+3))
		value = string(data)
	}
	if err != nil {
		return "", fault.New(fault.Usage, "the value could not be read: %s", cause(err))
	}
	value = strings.TrimSuffix(strings.TrimSuffix(value, "\n"), "\r")
	switch size := len(strings.TrimSpace(value)); {
	case size == 0:
		return "", usage("the value is empty").Hinting("type it, or give it on standard input; golem secret remove %s forgets the secret", name)
	case size < trace.MinSecret:
		return "", usage("the value has %d bytes; a secret needs at least %d, because golem could not remove a shorter one from outputs and traces without damage to other texts", size, trace.MinSecret).Hinting("use a longer one")
	case len(value) > mostSecret:
		return "", usage("the value has more than %d bytes", mostSecret).Hinting("a secret is a token, a password or a key")
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return "", usage("the value is not text in UTF-8").Hinting("encode it, for example in base64")
	}
	return value, nil
}

func (h *host) listSecrets(asJSON bool) error {
	kept, err := h.personSecrets()
	if err != nil {
		return err
	}
	index, err := kept.index()
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
		rows = append(rows, []string{oneLine(name), s.Store, when(s.Set)})
	}
	switch {
	case asJSON:
		line, err := jsonLine(struct {
			Golem   string   `json:"golem"`
			V       int      `json:"v"`
			Secrets []listed `json:"secrets"`
		}{"secrets", 1, all})
		if err != nil {
			return err
		}
		return h.print(line)
	case len(all) == 0:
		return h.print("you keep no secrets; golem secret set NAME keeps one\n")
	}
	return h.print(ui.Table(rows))
}

func (h *host) removeSecret(name string) error {
	kept, err := h.personSecrets()
	if err != nil {
		return err
	}
	had, err := kept.remove(name)
	if err != nil {
		return err
	}
	if !had {
		index, err := kept.index()
		if err != nil {
			return err
		}
		return fault.New(fault.NotFound, "you have no secret named %s", fault.Quoted(name)).
			Hinting("%s", fault.DidYouMean(name, slices.Sorted(maps.Keys(index.Secrets))))
	}
	return h.print("removed: " + name + "\n")
}
