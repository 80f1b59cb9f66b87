// Package providers knows which models a project can use: the rows that the
// person and the project's files add to the table of providers, with their keys,
// addresses and prices.
package providers

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/trace"
)

// Source has what the models of a project need. Set the fields and call New.
type Source struct {
	Project *project.Project
	Config  *config.Person    // the person's; may be nil
	Env     map[string]string // the person's environment variables
	DotEnv  map[string]string // the keys in the project's .env
	// Keys has the secrets of the person by name. One that is named as the variable of a
	// provider's key is that provider's key; nil: there are none.
	Keys  Keys
	Files fs.FS          // the project root
	HTTP  model.HTTPDoer // nil: no provider can be reached
	// Lent has the models that the platform lends, see model.Config; Platform is the
	// platform's name.
	Lent     map[string]model.HTTPDoer
	Platform string
	Scripts  fs.FS // for script:NAME
	// ReadScript reads the script or recording that a person named; with nil, only
	// files of the project can be read.
	ReadScript func(name string) ([]byte, error)
	Trust      Trust
	Redact     tool.Redactor    // removes secrets from what a provider says
	Now        func() time.Time // nil: time.Now
}

// Trust knows what a person trusted.
type Trust interface {
	// Provider fails with E_TRUST if the project's files say something about a provider
	// that nobody trusted.
	Provider(name string) error
}

// Keys are a person's secrets, for keys of providers.
type Keys interface {
	// Key returns a secret, and removes it from everything that leaves golem from then on;
	// "" if there is none.
	Key(name string) string
}

// Table is the providers of one project. It is safe for concurrent use.
type Table struct {
	source  Source
	models  model.Config
	secrets []string
	keys    map[string]bool // the variables of the providers' keys
}

// New returns the table of a project: golem's rows, those of the person and those
// of the manifest.
func New(s Source) *Table {
	t := &Table{source: s, keys: map[string]bool{}}
	for _, row := range model.Rows() {
		for _, name := range row.Keys() {
			t.keys[name] = true
		}
	}
	rows := map[string]model.Provider{}
	add := func(name string, p config.Provider, trusted bool) {
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
		if p.APIKeyEnv != "" {
			t.keys[p.APIKeyEnv] = true
		}
		if key := s.Env[p.APIKeyEnv]; !trace.Ordinary(key) {
			t.secrets = append(t.secrets, key)
		}
		for name, v := range p.Headers {
			t.secrets = append(t.secrets, trace.HeaderSecrets(name, v)...)
		}
		for name, v := range p.Query {
			lower := strings.ToLower(name)
			named := strings.Contains(lower, "key") || strings.Contains(lower, "token") || strings.Contains(lower, "sig")
			if named && !trace.Ordinary(v) || trace.SecretValue(name, v) {
				t.secrets = append(t.secrets, v)
			}
		}
	}
	for name, p := range s.Config.Providers() {
		add(name, p, true)
	}
	for name, p := range s.Project.Manifest.Providers {
		add(name, p, false)
	}
	t.models = model.Config{
		HTTP: s.HTTP, Lent: s.Lent, Env: t.env, Providers: rows,
		Embedded: s.Scripts, Pace: &model.Pace{}, Redact: s.Redact, Now: s.Now,
	}
	return t
}

// SharePace shares with other processes what providers say about their limits. It is called
// before the first request.
func (t *Table) SharePace(with model.SharedPace) { t.models.Pace.Share(with) }

// Secrets returns the keys, headers and queries of the rows that are secret by name or by
// looks, and must not leave golem.
func (t *Table) Secrets() []string { return t.secrets }

// env reads a variable for models: the environment, then, for a key, the person's secrets,
// then a key of the project's .env, which a person must have trusted before a model is opened.
func (t *Table) env(name string) string {
	if v := t.source.Env[name]; v != "" {
		return v
	}
	if t.keys[name] && t.source.Keys != nil {
		if v := t.source.Keys.Key(name); v != "" {
			return v
		}
	}
	return t.source.DotEnv[name]
}

// Check returns the error of opening a model on a platform; nil if it can be opened. It
// sends no request, but reads a script or recording. It does not know which models
// another platform lends. origin says where the name was given. recorded is the model
// that a recording names.
func (t *Table) Check(name, origin, platform string) (recorded string, err error) {
	provider, _, err := model.Split(name)
	if err != nil {
		return "", err
	}
	if model.Lends(provider) {
		if platform == t.source.Platform {
			_, err = model.Open(name, t.models)
		} else if platform != "browser" {
			err = model.NotLent(name)
		}
		return "", err
	}
	if provider == "script" || provider == "replay" {
		m, err := model.Open(name, t.reading(origin))
		if err != nil {
			return "", err
		}
		return model.Recorded(m), nil
	}
	if !slices.Contains(t.Names(), provider) {
		return "", t.unknownProvider(provider, "script", "replay")
	}
	return "", nil
}

// Listing returns what is known about a model: its price, and how much it reads.
func (t *Table) Listing(name string) model.Listing { return t.models.Listing(name) }

// Host returns the host that requests of a model would go to; "" if there is none. It
// sends no request.
func (t *Table) Host(name string) string { return t.models.Host(name) }

// Open opens a worker's model. A script or recording that a person named is read with
// ReadScript, one that the project names from the project's root. It fails with E_TRUST
// if no person trusted the provider.
func (t *Table) Open(_ context.Context, w *project.Worker) (model.Model, error) {
	if err := w.NeedModel(); err != nil {
		return nil, err
	}
	c, err := t.reaching(providerOf(w.Model), t.reading(w.Origins["model"]))
	if err != nil {
		return nil, err
	}
	m, err := model.Open(w.Model, c)
	var bad *fault.Fault
	if errors.As(err, &bad) && bad.Code == fault.Path && bad.Where == nil { // origin is FILE:LINE or words
		origin := w.Origins["model"]
		if i := strings.LastIndexByte(origin, ':'); i > 0 {
			if line, e := strconv.Atoi(origin[i+1:]); e == nil {
				err = bad.At(origin[:i], line, 0)
			}
		}
	}
	return m, err
}

// reading returns the Config for a name that was given at origin: it determines where
// scripts and recordings are read.
func (t *Table) reading(origin string) model.Config {
	c := t.models
	c.ReadFile = t.readProject
	if t.source.ReadScript != nil && (origin == "command line" || strings.HasPrefix(origin, "environment")) {
		c.ReadFile = t.source.ReadScript
	}
	return c
}

// readProject reads a script or recording of the project.
func (t *Table) readProject(name string) ([]byte, error) {
	clean, err := sandbox.Clean(name)
	if err != nil {
		return nil, fault.New(fault.Path, "%s", fault.Of(err, fault.Path).Message).
			Hinting("a script or recording lies in the project: write its path from the project root")
	}
	return sandbox.ReadFile(t.source.Files, clean, 256<<20)
}

// lacking returns warnings of settings that the provider of a worker's model does not have.
func (t *Table) lacking(workers []*project.Worker) fault.List {
	var out fault.List
	for _, w := range workers {
		settings, err := model.ReadSettings(w.ModelSettings)
		if err != nil || w.Model == "" {
			continue
		}
		for _, one := range w.Models() {
			for _, name := range t.models.Lacking(one.Model, settings) {
				file, line := w.SettingAt(name)
				out = append(out, fault.Warn(fault.Model, "%s", model.LackingText(one.Model, name)).At(file, line, 0))
			}
			for _, said := range w.ServerToolsSaid() {
				for _, name := range t.models.LackingTools(one.Model, []string{said.Value}) {
					out = append(out, fault.Warn(fault.Model, "%s", model.LackingToolText(one.Model, name)).At(said.File, said.Line, 0))
				}
			}
		}
	}
	return out
}
