// Package logincmd is golem login: it asks for a provider and its key, tests them, keeps the
// key among the person's secrets and sets the default model.
package logincmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/secretstore"
)

// Command returns golem login.
func Command(c *console.Console) *cobra.Command {
	var l login
	var list, asJSON bool
	var remove string
	cmd := &cobra.Command{
		Use:   "login [PROVIDER]",
		Short: "keep the key of a model provider, and choose your default model",
		Long: `Asks for a provider and its key, which is not shown, asks the provider for its
models, and sends one short request to the model that you choose. If that works,
golem keeps the key among your secrets, under the name of the provider's
variable, and makes the model your default in $GOLEM_HOME/config.yaml. A key in
the environment comes before a kept one.

Without a terminal PROVIDER must be given; the key is read from standard input.`,
		Example: `  golem login
  golem login anthropic
  golem login ollama --model ollama:qwen3
  golem login openai --model gpt-5-mini < key.txt
  golem login --list`,
		Args: console.Words(0, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			l.provider = strings.Join(words, "")
			switch {
			case list && (remove != "" || l.provider != "" || l.model != ""), remove != "" && (l.provider != "" || l.model != ""):
				return console.Usage("--list and --remove go alone").Hinting("golem login --help shows examples")
			case asJSON && !list:
				return console.Usage("--json is for --list")
			case list:
				return listKeys(c, asJSON)
			case remove != "":
				return removeKey(c, remove)
			}
			_, err := l.run(c)
			return err
		},
	}
	cmd.Flags().StringVarP(&l.model, "model", "m", "", "make this model your default; without it golem asks")
	cmd.Flags().StringVar(&l.store, "store", "", "where to keep the key: keyring or file; without it the keyring, or the file where no keyring answers")
	cmd.Flags().BoolVar(&list, "list", false, "list the providers whose key golem knows, and your default model")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with --list: print one JSON object")
	cmd.Flags().StringVar(&remove, "remove", "", "forget the kept key of this provider")
	return cmd
}

// Offer asks a person who has no model whether to log in now, and does it. done reports
// whether there is a default model now.
func Offer(c *console.Console) (done bool, err error) {
	if c.Person() == nil || !console.IsTerminal(c.In) {
		return false, nil
	}
	yes, err := c.Confirm(false, "Before your first message: you have no default model yet. Choose a provider and give golem its key now?", "")
	if err != nil || !yes {
		return false, err
	}
	return (&login{}).run(c)
}

// login is one run of golem login.
type login struct{ provider, model, store string }

// tries is how often a key is asked for.
const tries = 3

func (l *login) run(c *console.Console) (done bool, err error) {
	if l.store != "" && l.store != secretstore.InKeyring && l.store != secretstore.InFile {
		return false, console.Usage("--store %q is neither keyring nor file", l.store)
	}
	kept := secretstore.Open(c)
	if kept == nil {
		return false, c.Home.Missing("there is nowhere to keep a key")
	}
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	a := asker{c}
	if l.provider, err = l.chosen(ctx, a); ctx.Err() != nil {
		return false, console.ExitCode(console.ExitInterrupted)
	}
	if err != nil {
		return false, err
	}
	if l.model != "" && !strings.HasPrefix(l.model, l.provider+":") {
		l.model = l.provider + ":" + l.model
	}
	for n := 1; ; n++ {
		err = l.attempt(ctx, a, kept)
		if err == nil || ctx.Err() != nil || n == tries || !a.canAsk() || !errors.As(err, new(notKey)) {
			break
		}
		say(c, err)
	}
	if ctx.Err() != nil {
		return false, console.ExitCode(console.ExitInterrupted)
	}
	return err == nil, err
}

// chosen returns the provider that the person named or chooses.
func (l *login) chosen(ctx context.Context, a asker) (string, error) {
	inst, err := reach(a.c, "", "")
	if err != nil {
		return "", err
	}
	if l.provider == "" && l.model != "" {
		l.provider, _, _ = strings.Cut(l.model, ":")
	}
	if l.provider != "" {
		name := strings.ToLower(l.provider)
		_, err := inst.Models().KeyVariables(name)
		return name, err
	}
	if !a.canAsk() {
		return "", console.Usage("PROVIDER is missing, and there is no terminal to ask at").Hinting("golem login openai < FILE, where FILE has the key; golem login --help lists more")
	}
	names := inst.Models().Names()
	var b strings.Builder
	for i, name := range names {
		free := ""
		if keys, _ := inst.Models().KeyVariables(name); len(keys) == 0 {
			free = "  (runs on your machine, needs no key)"
		}
		fmt.Fprintf(&b, "%3d  %s%s\n", i+1, name, free)
	}
	return a.choose(ctx, "Providers of models:\n"+b.String(), "Provider", names, "")
}

// answering returns a model that the person chooses and that answers with the key. If it does
// not answer, the person chooses again.
func (l *login) answering(ctx context.Context, a asker, variable, key string) (string, error) {
	inst, err := reach(a.c, variable, key)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		model, err := l.pick(ctx, a, inst)
		if err != nil {
			return "", err
		}
		err = try(ctx, a.c, variable, key, model)
		if err == nil || l.model != "" || !a.canAsk() || n == tries || ctx.Err() != nil || refused(err, variable) != nil {
			return model, err
		}
		say(a.c, err)
	}
}

// say tells an error after which golem asks again.
func say(c *console.Console, err error) { c.Say("%s", ui.OneLine(fault.Of(err, fault.Model).Error())) }

// attempt asks for the key, tests it and the model, and keeps both.
func (l *login) attempt(ctx context.Context, a asker, kept *secretstore.Store) error {
	c := a.c
	inst, err := reach(c, "", "")
	if err != nil {
		return err
	}
	variables, err := inst.Models().KeyVariables(l.provider)
	if err != nil {
		return err
	}
	variable, key := strings.Join(variables[:min(len(variables), 1)], ""), ""
	if variable != "" {
		if key, err = a.key(l.provider, variable); err != nil {
			return err
		}
	}
	model, err := l.answering(ctx, a, variable, cmp.Or(key, c.Env[variable]))
	if wrong := refused(err, variable); err != nil && key != "" && wrong != nil {
		return wrong
	}
	if err != nil {
		return err
	}
	c.Say("%s answers", model)
	if key != "" {
		used, why, err := kept.Set(variable, key, l.store)
		if err != nil {
			return err
		}
		where := "the keyring of this machine"
		if used != secretstore.InKeyring {
			where = "$GOLEM_HOME/secrets.json, which can be read only by you, and is not encrypted"
			if why != nil {
				c.Say("no keyring answers here: %s", disk.Cause(why))
			}
		}
		c.Say("the key is kept as the secret %s in %s", variable, where)
		if c.Env[variable] != "" {
			c.Say("warning: %s is also set in the environment, and comes before the kept key", variable)
		}
	}
	if err := setDefault(c, model); err != nil {
		return err
	}
	if other := c.Env.Setting("MODEL"); other != "" && other != model {
		c.Say("warning: GOLEM_MODEL is %s, and comes before your default", ui.OneLine(other))
	}
	return c.Print("your default model is " + model + " now; golem chat talks with it\n")
}
