package model

import (
	"errors"
	"io/fs"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golem/core/fault"
)

// Config is what a model may reach. The zero value opens nothing but tells
// why. It is shared by all models of a run.
type Config struct {
	HTTP HTTPDoer // nil: no provider can be reached
	// Env reads provider keys and <PROVIDER>_BASE_URL. The latter redirect keys
	// without asking, so what stands in a project's .env must not answer for
	// them: only for keys.
	Env func(key string) string
	// Providers are the rows a manifest adds, or lays over a built-in row.
	Providers map[string]Provider
	// ReadFile reads FILE of script:FILE and replay:FILE; its errors are told
	// without their paths. nil: there are no files.
	ReadFile func(name string) ([]byte, error)
	// Embedded holds the scripts of script:NAME as NAME.yaml. nil: none.
	Embedded fs.FS
	// Redact removes known secrets: from what providers say, and from what a
	// replay's keys are made of, as the recording did. nil: only the key itself.
	Redact func(string) string
	Idle   time.Duration // how long a provider may be silent; 0 = 2 min
	// MaxBytes bounds one answer as received; 0 = 32 MiB.
	MaxBytes int64
	Now      func() time.Time // for Retry-After dates; nil: time.Now
	// Pace holds requests back where a provider asks to; nil: each runs on its own.
	Pace *Pace
}

// maxScript bounds a script file, maxRecording a recording, in bytes.
const (
	maxScript    = 4 << 20
	maxRecording = 256 << 20
)

// Open resolves any model name of SPEC §10: provider:model, script:FILE,
// script:NAME or replay:FILE. A missing key and a malformed file are found
// here; nothing is sent. The model may be used concurrently.
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

// Split cuts a model name at its first colon; both halves are non-empty.
func Split(name string) (provider, model string, err error) {
	provider, model, found := strings.Cut(name, ":")
	switch {
	case name == "":
		return "", "", fault.New(fault.Model, "no model").
			Hinting("name one as provider:model, e.g. --model openai:gpt-5-mini")
	case len(name) > 512 || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", "", fault.New(fault.Model, "a model name must be one short line of text").
			Hinting("write provider:model, e.g. openai:gpt-5-mini")
	case !found || provider == "" || strings.TrimSpace(model) == "":
		return "", "", fault.New(fault.Model, "the model %q is not of the form provider:name", name).
			Hinting("write the provider first, e.g. openai:gpt-5-mini, ollama:qwen3 or script:demo.yaml")
	}
	return provider, model, nil
}

// Notice is what people should be told about a model that is none: a script or
// a replay. "" for a provider's.
func Notice(m Model) string {
	switch m := bare(m).(type) {
	case *script:
		return m.name + " is a script, not a language model: it answers what its rules say"
	case *replay:
		return m.name + " is a recording, not a language model: it answers what was recorded"
	}
	return ""
}

// Forget lets a model drop what it keeps about a conversation that is over: a
// script's place in its sequences, a provider's encoded messages. It is safe to
// call for any model.
func Forget(m Model, conversation string) {
	for _, one := range each(m) {
		switch one := bare(one).(type) {
		case *script:
			one.forget(conversation)
		case *remote:
			one.past.forget(conversation)
		}
	}
}

// bare takes this package's decorators off.
func bare(m Model) Model {
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

// pathless is err without the path an operating system put into it.
func pathless(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
