package logincmd

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golem/core"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/fetch"
	"golem/cmd/cli/home"
)

// reach opens an empty project in memory with the person's configuration, so that all
// providers that the person has can be reached. key is the value of variable, whatever the
// environment says; "": the environment's.
func reach(c *console.Console, variable, key string) (*core.Instance, error) {
	return open(c, variable, key, "")
}

func open(c *console.Console, variable, key, model string) (*core.Instance, error) {
	data, err := c.Home.Config()
	if err != nil {
		return nil, err
	}
	env := maps.Clone(map[string]string(c.Env))
	if key != "" && variable != "" {
		env[variable] = key
	}
	files := sandbox.Memory()
	if err := files.WriteFile("main.worker", []byte("---\nlimits: {turns: 1}\nretry: {attempts: 1}\n---\nAnswer with one word.\n")); err != nil {
		return nil, err
	}
	inst, err := core.Open(core.Platform{
		Name: "native", Version: c.Build.Version, Env: env,
		Person:       core.Person{Config: data},
		Site:         core.Site{Files: core.Tree{FS: sandbox.Memory()}},
		ModelSources: core.ModelSources{HTTP: fetch.NewClient()},
	}, core.Options{Files: files, Name: "login", Opening: options.Opening{Model: model}})
	if inst == nil {
		return nil, err
	}
	return inst, nil
}

// try sends one short request to a model, so that the key and the name are known to work.
func try(ctx context.Context, c *console.Console, variable, key, model string) error {
	inst, err := open(c, variable, key, model)
	if err != nil {
		return err
	}
	res := inst.Run(ctx, run.Input{Text: "Say ok."}, &ui.Script{}, core.RunOptions{})
	if res.Error != nil {
		return res.Error
	}
	return nil
}

// usual are the beginnings of the names of models that suit most people, by provider, the
// best first. They only choose what Enter means.
var usual = map[string][]string{
	"openai": {"gpt-5-mini", "gpt-5"}, "anthropic": {"claude-sonnet", "claude-haiku"}, "google": {"gemini-2.5-flash", "gemini"}, "openrouter": {"openai/gpt-5-mini", "anthropic/claude-sonnet"},
	"groq": {"openai/gpt-oss-120b"}, "mistral": {"mistral-medium-latest", "mistral-medium"}, "deepseek": {"deepseek-chat"}, "xai": {"grok-4-fast", "grok-4"},
}

// usualOf returns what Enter chooses of the models of a provider; "" if nothing.
func usualOf(provider string, names []string) string {
	for _, begin := range usual[provider] {
		if full := provider + ":" + begin; slices.Contains(names, full) {
			return full
		}
		for _, name := range slices.Backward(names) { // the newest of a family often has the greatest name
			if strings.HasPrefix(name, provider+":"+begin) {
				return name
			}
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return ""
}

// pick returns the model that the flag names or the person chooses. It also asks the provider
// for its models, which tests the key.
func (l *login) pick(ctx context.Context, a asker, inst *core.Instance) (string, error) {
	offers, err := inst.Models().Offers(ctx, l.provider)
	var names []string
	for _, o := range offers {
		names = append(names, o.Name)
	}
	switch {
	case l.model != "": // a provider that does not list its models may have it
		return l.model, nil
	case err != nil && len(names) == 0 && !(a.canAsk() && model.Unlisted(err)):
		return "", err
	case err != nil || len(names) == 0:
		if !a.canAsk() {
			return "", console.Usage("%s lists no models", l.provider).Hinting("name one with --model")
		}
		line, err := a.c.Person().Ask(ctx, "Model of "+l.provider+" (as the provider calls it): ")
		if line = strings.TrimSpace(line); err != nil || line == "" {
			return "", console.Usage("no model was named").Hinting("golem login %s --model NAME", l.provider)
		}
		return l.provider + ":" + strings.TrimPrefix(line, l.provider+":"), nil
	}
	enter := usualOf(l.provider, names)
	if !a.canAsk() {
		if enter == "" {
			return "", console.Usage("%s has %s: name one with --model", l.provider, fault.Count(len(names), "model")).Hinting("for example --model %s", names[0])
		}
		return enter, nil
	}
	names, list := listed(names, enter)
	return a.choose(ctx, fault.Count(len(names), "model")+" of "+l.provider+":\n"+list, "Default model", names, enter)
}

// setDefault makes a model the person's default.
func setDefault(c *console.Console, model string) error {
	dir := c.Home.Dir()
	if dir == "" {
		return c.Home.Missing("your default model cannot be kept")
	}
	return home.File{Name: filepath.Join(dir, "config.yaml")}.Change(func(data []byte) ([]byte, error) { return config.SetModel(data, model) })
}
