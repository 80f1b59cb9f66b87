package model

import (
	"errors"
	"io/fs"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/tool"
)

// Config is everything that models can use. With the zero value no model can be
// opened, and the error says why. All models of a run share it.
type Config struct {
	HTTP HTTPDoer // nil: no provider can be reached
	// Lent has a client for each model page:NAME and device:, by the whole name. It gets
	// a request of chat completions and returns the answer as a stream of events. nil:
	// the platform lends no models.
	Lent map[string]HTTPDoer
	// Env returns environment variables: the providers' keys and
	// <PROVIDER>_BASE_URL. A base URL decides where keys are sent, so for these
	// variables it must not use the project's .env.
	Env func(key string) string
	// Providers are the providers that a manifest adds or changes.
	Providers map[string]Provider
	// ReadFile reads the file of script:FILE and replay:FILE. Messages do not
	// contain the paths of its errors. nil means that there are no files.
	ReadFile func(name string) ([]byte, error)
	// Embedded has the scripts of script:NAME as NAME.yaml; it may be nil.
	Embedded fs.FS
	Scripts  *Scripts // remembers what scripts say; nil: each is parsed when it is opened
	// Redact removes known secrets from texts of providers and, as when
	// recording, from the requests whose keys a replay compares. With nil, only
	// the provider's own key is removed.
	Redact tool.Redactor
	Idle   time.Duration // how long a provider may send nothing, see also Request.Timeout; 0 means 2 minutes
	// MaxBytes is the largest answer, in bytes as received; 0 means 32 MiB.
	MaxBytes int64
	Now      func() time.Time // for Retry-After dates; nil: time.Now
	// Pace delays requests of all models if a provider reports too many
	// requests; nil: requests do not wait for each other.
	Pace *Pace
}

// maxScript and maxRecording are the largest script and recording, in bytes.
const (
	maxScript    = 4 << 20
	maxRecording = 256 << 20
)

// Open opens the model of a name in SPEC §10: provider:model, script:FILE,
// script:NAME, replay:FILE, page:NAME or device:. A missing key or a malformed file is an error
// here; no request is sent. The model is safe for concurrent use.
func Open(name string, c Config) (Model, error) {
	provider, rest, err := Split(name)
	if err != nil {
		return nil, err
	}
	switch provider {
	case "script":
		return openScript(name, rest, c)
	case "replay":
		return openReplay(name, rest, c)
	case page, device:
		return openLent(name, rest, c)
	}
	row, err := c.row(provider)
	if err != nil {
		return nil, err
	}
	if c.HTTP == nil {
		return nil, fault.New(fault.Model, "%s cannot be reached: this platform has no network", name).
			Hinting("use a script: or replay: model")
	}
	end, err := c.endpoint(row, rest)
	if err != nil {
		return nil, err
	}
	return newRemote(name, rest, end, c), nil
}

// Split splits a model name at its first colon. Neither part is empty.
func Split(name string) (provider, model string, err error) {
	provider, model, found := strings.Cut(name, ":")
	switch {
	case name == "":
		return "", "", fault.New(fault.Model, "no model").
			Hinting("name one as provider:model, e.g. --model openai:gpt-5-mini").InPage("", "choose one, for example openai:gpt-5-mini")
	case len(name) > 512 || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", "", fault.New(fault.Model, "a model name must be one short line of text").
			Hinting("write provider:model, e.g. openai:gpt-5-mini")
	case !found || provider == "" || strings.TrimSpace(model) == "" && provider != device:
		return "", "", fault.New(fault.Model, "the model %q is not of the form provider:name", name).
			Hinting("write the provider first, e.g. openai:gpt-5-mini, ollama:qwen3 or script:demo.yaml")
	}
	return provider, model, nil
}

// Forget removes what a model stores about a conversation that has ended: a
// script's position in its sequences, a provider's encoded messages. It can be
// called for any model.
func Forget(m Model, conversation string) {
	for _, one := range modelsOf(m) {
		switch one := undecorated(one).(type) {
		case *script:
			one.forget(conversation)
		case *remote:
			one.past.forget(conversation)
		}
	}
}

// Advance moves a model past a request that another process has already sent to it,
// without a request: it advances a script's position in its sequences and uses up the
// answers of a recording. t has the model's name and how many attempts it took.
func Advance(m Model, r Request, t Turn) {
	for _, one := range modelsOf(m) {
		if one.Name() != t.Model {
			continue
		}
		for range max(t.Attempts, 1) {
			switch one := undecorated(one).(type) {
			case *script:
				_, _, _ = one.choose(r) // without a rule the other process got no answer either
			case *replay:
				if q, err := digest(r, one.redact, one.names); err == nil {
					one.nextRecorded(q.key, r.ID)
				}
			}
		}
	}
}

// undecorated returns m without this package's decorators.
func undecorated(m Model) Model {
	for {
		w, ok := m.(interface{ unwrap() Model })
		if !ok {
			return m
		}
		m = w.unwrap()
	}
}

// readFile reads a script or a recording of at most limit bytes. No host path
// gets into the error (SECURITY 16).
func (c Config) readFile(model, name string, limit int) ([]byte, error) {
	if c.ReadFile == nil {
		return nil, fault.New(fault.Model, "%s cannot be read: this platform has no files", model)
	}
	data, err := c.ReadFile(name)
	if err != nil {
		return nil, cannotRead(model, err)
	}
	if len(data) > limit {
		return nil, fault.New(fault.Model, "%s has %d bytes; at most %d are read", model, len(data), limit)
	}
	return data, nil
}

func cannotRead(model string, err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Model, "%s: there is no such file", model).
			Hinting("a path is relative to the current directory; from a manifest or worker, to the project root")
	}
	return fault.New(fault.Model, "%s cannot be read: %w", model, pathless(err))
}

// pathless returns err without the path that an operating system put into it.
func pathless(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
