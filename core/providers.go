package core

import (
	"context"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/trace"
)

// modelConfig is what every model of the project may reach: the rows of the
// person and of the manifest, and the keys.
func (i *Instance) modelConfig() model.Config {
	rows := map[string]model.Provider{}
	secrets := i.secrets()
	add := func(name string, p project.Provider, trusted bool) {
		row := model.Provider{
			Name: name, BaseURL: p.BaseURL, KeyVar: p.APIKeyEnv, Headers: p.Headers, Image: p.Image, PDF: p.PDF, JSON: p.JSON, Trusted: trusted,
			API: p.API, Query: p.Query, Quirks: model.Quirks(p.Quirks),
		}
		if trusted {
			row.Models = known(p.Models)
		} else {
			row.Suggested = known(p.Models)
		}
		if base, there := rows[name]; there {
			row = base.Under(row)
		}
		rows[name] = row
		secrets = append(secrets, i.platform.Env[p.APIKeyEnv])
		for _, v := range p.Headers {
			secrets = append(secrets, v)
		}
		for name, v := range p.Query {
			if lower := strings.ToLower(name); strings.Contains(lower, "key") || strings.Contains(lower, "token") || strings.Contains(lower, "sig") {
				secrets = append(secrets, v)
			}
		}
	}
	for name, p := range i.config.Providers() {
		add(name, p, true)
	}
	for name, p := range i.project.Manifest().Providers {
		add(name, p, false)
	}
	i.hidden = secrets
	i.redactor.Store(trace.NewRedactor(secrets))
	return model.Config{
		HTTP: i.platform.HTTP, Env: i.env, Providers: rows,
		Embedded: i.platform.Scripts, Pace: &model.Pace{}, Redact: func(s string) string { return i.redactor.Load().String(s) }, Now: i.platform.Now,
	}
}

// env reads a variable for models: the environment, then a key of the
// project's .env, which a person must have trusted before a model is opened.
func (i *Instance) env(name string) string {
	if v := i.platform.Env[name]; v != "" {
		return v
	}
	return i.platform.DotEnv[name]
}

// checkModel tells whether a model name could be opened, without reaching it.
// A script or recording is read.
func (i *Instance) checkModel(name, origin string) error {
	provider, _, err := model.Split(name)
	if err != nil {
		return err
	}
	if provider == "script" || provider == "replay" {
		_, err := model.Open(name, i.reading(origin))
		return err
	}
	if !slices.Contains(i.Providers(), provider) {
		return i.unknownProvider(provider, "script", "replay")
	}
	return nil
}

// open makes a worker's model. A script or recording that a person named is
// read from where they stand, one that the project names from its root.
func (i *Instance) open(_ context.Context, w *project.Worker) (model.Model, error) {
	if err := w.NeedModel(); err != nil {
		return nil, err
	}
	c, err := i.reaching(providerOf(w.Model), i.reading(w.Origins["model"]))
	if err != nil {
		return nil, err
	}
	return model.Open(w.Model, c)
}

// reading is what models may reach where a name was given.
func (i *Instance) reading(origin string) model.Config {
	c := i.models
	c.ReadFile = i.readProject
	if i.platform.ReadScript != nil && (origin == "command line" || strings.HasPrefix(origin, "environment")) {
		c.ReadFile = i.platform.ReadScript
	}
	return c
}

func (i *Instance) readProject(name string) ([]byte, error) {
	clean, err := sandbox.Clean(name)
	if err != nil {
		return nil, err
	}
	return sandbox.ReadFile(i.options.Files, clean, 256<<20)
}

// lacking warns of settings that the provider of a worker's model does not have.
func (i *Instance) lacking(workers []*project.Worker) fault.List {
	var out fault.List
	for _, w := range workers {
		settings, err := model.ReadSettings(w.ModelSettings)
		if err != nil || w.Model == "" {
			continue
		}
		for _, one := range w.Models() {
			for _, name := range i.models.Lacking(one.Model, settings) {
				file, line := w.SettingAt(name)
				out = append(out, fault.Warn(fault.Model, "%s", model.LackingText(one.Model, name)).At(file, line, 0))
			}
		}
	}
	return out
}
