package model

import (
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
)

// What a provider offers for a declared output (Provider.JSON).
const (
	JSONSchema = "schema" // takes a JSON Schema
	JSONObject = "object" // promises an object, of whatever shape
	JSONNone   = "none"   // is asked in words
)

// Provider is one row of the provider table (SPEC §10). A row that a manifest
// adds says the same things.
type Provider struct {
	Name    string
	BaseURL string // without /chat/completions; <NAME>_BASE_URL overrides it
	KeyVar  string // the variable that holds the key; "" = the provider takes none
	NoKey   bool   // works without a key; one that is set is sent all the same
	Image   bool   // takes images
	PDF     bool   // takes PDF files, as the protocol's file part
	JSON    string // JSONSchema, JSONObject or JSONNone; "" = JSONNone
	Headers map[string]string
	Quirks  Quirks
	// Trusted says that a person chose or trusted the address: the key may go
	// there without asking.
	Trusted bool

	altKeyVar   string // a second name people use for the key
	unreachable string // what to try when nothing answers
}

// Quirks are where a provider departs from the protocol.
type Quirks struct {
	NoUsage   bool // refuses stream_options; reports usage unasked
	JSONAlone bool // refuses a response format beside tools
	// Settings are settings that the provider calls otherwise than the protocol,
	// "reasoning.effort" for a member of a member; "": it has no such setting.
	Settings map[string]string
	// Carry are members of an answer's message and of its calls that the
	// provider wants back unchanged with the history.
	Carry []string
}

// rows is the built-in table. It is read only.
var rows = []Provider{
	{Name: "openai", BaseURL: "https://api.openai.com/v1", KeyVar: "OPENAI_API_KEY", Image: true, PDF: true, JSON: JSONSchema,
		Quirks: Quirks{Settings: map[string]string{"max_output_tokens": "max_completion_tokens"}}},
	// Anthropic's endpoint ignores response_format and takes no PDF; the header lets a page call it.
	{Name: "anthropic", BaseURL: "https://api.anthropic.com/v1", KeyVar: "ANTHROPIC_API_KEY", Image: true, JSON: JSONNone,
		Headers: map[string]string{"anthropic-dangerous-direct-browser-access": "true"}},
	{Name: "google", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyVar: "GEMINI_API_KEY",
		altKeyVar: "GOOGLE_API_KEY", Image: true, JSON: JSONSchema, Quirks: Quirks{Carry: []string{"extra_content"}, Settings: lacks("service_tier verbosity")}},
	{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", KeyVar: "OPENROUTER_API_KEY", Image: true, PDF: true, JSON: JSONSchema,
		Quirks: Quirks{Carry: []string{"reasoning_details"}, Settings: map[string]string{"reasoning_effort": "reasoning.effort"}}},
	{Name: "groq", BaseURL: "https://api.groq.com/openai/v1", KeyVar: "GROQ_API_KEY", Image: true, JSON: JSONObject,
		Quirks: Quirks{JSONAlone: true, Settings: with(lacks("verbosity"), "max_output_tokens", "max_completion_tokens")}},
	{Name: "mistral", BaseURL: "https://api.mistral.ai/v1", KeyVar: "MISTRAL_API_KEY", Image: true, JSON: JSONSchema,
		Quirks: Quirks{NoUsage: true, Settings: with(lacks("service_tier verbosity"), "seed", "random_seed")}},
	{Name: "deepseek", BaseURL: "https://api.deepseek.com/v1", KeyVar: "DEEPSEEK_API_KEY", JSON: JSONObject,
		Quirks: Quirks{Carry: []string{"reasoning_content"}, Settings: lacks("seed parallel_tool_calls service_tier verbosity")}},
	{Name: "together", BaseURL: "https://api.together.xyz/v1", KeyVar: "TOGETHER_API_KEY", Image: true, JSON: JSONObject,
		Quirks: Quirks{Settings: lacks("service_tier verbosity")}},
	{Name: "xai", BaseURL: "https://api.x.ai/v1", KeyVar: "XAI_API_KEY", Image: true, JSON: JSONSchema,
		Quirks: Quirks{Settings: lacks("service_tier verbosity")}},
	{Name: "ollama", BaseURL: "http://localhost:11434/v1", KeyVar: "OLLAMA_API_KEY", NoKey: true, Image: true, JSON: JSONSchema,
		Quirks: Quirks{Settings: lacks("parallel_tool_calls service_tier verbosity")}, unreachable: "is it running? start it with `ollama serve`"},
	{Name: "lmstudio", BaseURL: "http://localhost:1234/v1", KeyVar: "LMSTUDIO_API_KEY", NoKey: true, Image: true, JSON: JSONSchema,
		Quirks: Quirks{Settings: lacks("parallel_tool_calls service_tier verbosity")}, unreachable: "is it running? start its local server"},
}

// lacks says that a provider has none of these settings.
func lacks(settings string) map[string]string {
	out := map[string]string{}
	for _, name := range strings.Fields(settings) {
		out[name] = ""
	}
	return out
}

// with says what a provider calls a setting.
func with(m map[string]string, setting, name string) map[string]string {
	m[setting] = name
	return m
}

// Rows is the built-in provider table in its own order: a copy.
func Rows() []Provider {
	out := slices.Clone(rows)
	for i := range out {
		out[i].Headers, out[i].Quirks.Carry = maps.Clone(out[i].Headers), slices.Clone(out[i].Quirks.Carry)
		out[i].Quirks.Settings = maps.Clone(out[i].Quirks.Settings)
	}
	return out
}

// Builtin reports the row of the built-in table that has a name.
func Builtin(name string) (Provider, bool) { return builtin(name) }

// Keys are the variables in which a row's key may lie, first the usual one.
func (p Provider) Keys() []string {
	return slices.DeleteFunc([]string{p.KeyVar, p.altKeyVar}, func(s string) bool { return s == "" })
}

// BaseURLVar is the variable with which a person moves a provider's address.
func BaseURLVar(provider string) string { return envName(provider) + "_BASE_URL" }

// builtin finds a row of the built-in table.
func builtin(name string) (Provider, bool) {
	for _, p := range rows {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}

// row finds the effective row: the built-in one, what the manifest says of it
// laid over it, or the manifest's own.
func (c Config) row(name string) (Provider, error) {
	base, known := builtin(name)
	added, extra := c.Providers[name]
	switch {
	case !known && !extra:
		return Provider{}, fault.New(fault.Model, "unknown model provider %q", name).
			Hinting("%s; a manifest's providers: adds more", fault.DidYouMean(name, c.known()))
	case !extra:
		return base, nil
	}
	added.Name = name
	if !known {
		added.NoKey = added.NoKey || added.KeyVar == ""
		return added, nil
	}
	return base.Under(added), nil
}

// Under lays what a manifest or a person's config says about a provider over
// its row.
func (p Provider) Under(m Provider) Provider {
	if m.BaseURL != "" {
		p.BaseURL = m.BaseURL
	}
	p.Trusted = m.Trusted || p.Trusted && m.BaseURL == ""
	if m.KeyVar != "" {
		p.KeyVar, p.altKeyVar = m.KeyVar, ""
	}
	if m.JSON != "" {
		p.JSON = m.JSON
	}
	p.Image, p.PDF, p.NoKey = p.Image || m.Image, p.PDF || m.PDF, p.NoKey || m.NoKey
	p.Headers = maps.Clone(p.Headers)
	for k, v := range m.Headers {
		if p.Headers == nil {
			p.Headers = map[string]string{}
		}
		p.Headers[k] = v
	}
	return p
}

// known lists every provider name, the two that are no providers included.
func (c Config) known() []string {
	names := []string{"script", "replay"}
	for _, p := range rows {
		names = append(names, p.Name)
	}
	for name := range c.Providers {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// able names the providers whose column says yes, for E_ATTACHMENT.
func (c Config) able(column func(Provider) bool) string {
	var names []string
	for _, name := range c.known() {
		if p, err := c.row(name); err == nil && column(p) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// envName is the provider's name as part of a variable: "my-host" → MY_HOST.
func envName(provider string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, provider)
}
