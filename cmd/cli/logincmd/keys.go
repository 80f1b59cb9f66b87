package logincmd

import (
	"golem/core/config"
	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/secretstore"
)

// known is a provider whose key golem knows.
type known struct {
	Provider string `json:"provider"`
	Variable string `json:"variable"`
	From     string `json:"from"` // environment, keyring, file
}

// listKeys lists the providers whose key is set, and the default model.
func listKeys(c *console.Console, asJSON bool) error {
	inst, err := reach(c, "", "")
	if err != nil {
		return err
	}
	kept := map[string]string{}
	if s := secretstore.Open(c); s != nil {
		index, err := s.Index()
		if err != nil {
			return err
		}
		for name, one := range index.Secrets {
			kept[name] = one.Store
		}
	}
	all, rows := []known{}, [][]string{{"PROVIDER", "KEY", "FROM"}}
	for _, name := range inst.Models().Names() {
		variables, err := inst.Models().KeyVariables(name)
		if err != nil {
			return err
		}
		for _, variable := range variables {
			from := kept[variable]
			if c.Env[variable] != "" {
				from = "environment"
			}
			if from != "" {
				all = append(all, known{name, variable, from})
				rows = append(rows, []string{ui.OneLine(name), variable, from})
			}
		}
	}
	model := ""
	if data, err := c.Home.Config(); err == nil {
		if person, err := config.ReadPerson("$GOLEM_HOME/config.yaml", data, "", ""); err == nil {
			model = person.DefaultModel()
		}
	}
	if asJSON {
		return c.PrintJSON(struct {
			Golem string  `json:"golem"`
			V     int     `json:"v"`
			Model string  `json:"model,omitempty"`
			Keys  []known `json:"keys"`
		}{"keys", 1, model, all})
	}
	text := "golem knows no key of a provider; golem login asks for one\n"
	if len(all) > 0 {
		text = ui.Table(rows)
	}
	if model != "" {
		text += "default model: " + ui.OneLine(model) + "\n"
	}
	return c.Print(text)
}

// removeKey forgets the kept key of a provider.
func removeKey(c *console.Console, provider string) error {
	inst, err := reach(c, "", "")
	if err != nil {
		return err
	}
	variables, err := inst.Models().KeyVariables(provider)
	if err != nil {
		return err
	}
	kept := secretstore.Open(c)
	if kept == nil {
		return c.Home.Missing("no keys are kept")
	}
	removed := false
	for _, variable := range variables {
		had, err := kept.Remove(variable)
		if err != nil {
			return err
		}
		removed = removed || had
		if c.Env[variable] != "" {
			c.Say("%s is still set in the environment", variable)
		}
	}
	if !removed {
		return fault.New(fault.NotFound, "golem keeps no key of %s", provider).Hinting("golem login --list shows what it knows")
	}
	return c.Print("removed: the key of " + provider + "\n")
}
