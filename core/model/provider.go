package model

import (
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
)

// How a provider supports a declared output schema (Provider.JSON).
const (
	JSONSchema = "schema" // takes a JSON Schema
	JSONObject = "object" // promises an object, of any shape
	JSONNone   = "none"   // supports neither: golem asks for the output in the system message
)

// Provider is one row of the table of providers (SPEC §10). A manifest can add
// rows with the same fields.
type Provider struct {
	Name    string
	BaseURL string // without /chat/completions; <NAME>_BASE_URL replaces it
	KeyVar  string // environment variable with the key; "": the provider has no key
	NoKey   bool   // works without a key; a key that is set is sent nevertheless
	Image   bool   // accepts images
	PDF     bool   // accepts PDF files, as the file part of the protocol
	JSON    string // JSONSchema, JSONObject or JSONNone; "" = JSONNone
	// ServerTools are the tools that the provider can run, if its protocol has them.
	ServerTools []string
	API         string // Chat, Responses or Anthropic; "" means Chat, and for openai it depends on the address
	Headers     map[string]string
	Query       map[string]string // added to each URL
	Quirks      Quirks
	// Models has context sizes and prices by model, or "*", as a person gave
	// them; Suggested has those that a project gave.
	Models, Suggested map[string]Known
	// Trusted means that a person chose or trusted the address, so the key can
	// be sent there without asking.
	Trusted bool

	altKeyVar   string // a second name people use for the key
	unreachable string // what to try when nothing answers
	unlisted    string // why it cannot be asked for its models; "": it can
	local       bool   // a server for a person's own machine
	// plainSchemas means that the provider reads only a part of JSON Schema.
	plainSchemas bool
}

// Quirks are the differences between a provider and its protocol.
type Quirks struct {
	NoUsage   bool   // rejects stream_options, and reports usage without it
	NoStream  bool   // cannot stream an answer: it is asked for the whole one at once
	JSONAlone bool   // rejects a response format together with tools, or calls none then
	KeyHeader string // the header that contains only the key; "" means Authorization with Bearer
	// Carry names the fields of an answer's message, and of its calls, that the
	// provider needs back unchanged in later requests.
	Carry []string
	// Settings maps settings to the provider's names for them
	// ("reasoning.effort" for a field in an object); "" means that the provider
	// does not have the setting.
	Settings map[string]string
	// NoUserAfterTool means that the provider rejects a user's message directly
	// after a tool's result.
	NoUserAfterTool bool
	// Fill has fields that the provider requires in each answer with calls, and
	// the text to put there if the answer came from another provider without
	// them. "a.b" is a field in an object; a name that begins with
	// "tool_calls." is a field of the first call.
	Fill map[string]string
}

// Rows returns a copy of the built-in table of providers, in its order.
func Rows() []Provider {
	out := slices.Clone(rows)
	for i := range out {
		out[i].Headers, out[i].Quirks.Carry = maps.Clone(out[i].Headers), slices.Clone(out[i].Quirks.Carry)
		out[i].Query, out[i].Quirks.Settings = maps.Clone(out[i].Query), maps.Clone(out[i].Quirks.Settings)
		out[i].ServerTools = slices.Clone(rows[i].ServerTools)
		out[i].Quirks.Fill = maps.Clone(out[i].Quirks.Fill)
	}
	return out
}

// Builtin returns the built-in row with this name.
func Builtin(name string) (Provider, bool) { return builtin(name) }

// Keys returns the environment variables that can contain the row's key, the
// usual one first.
func (p Provider) Keys() []string {
	return slices.DeleteFunc([]string{p.KeyVar, p.altKeyVar}, func(s string) bool { return s == "" })
}

// BaseURLVar returns the environment variable with which a person changes a
// provider's address.
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

// row returns the effective row: the built-in one with the manifest's values laid over
// it, or the manifest's own. The built-in names of settings count only in the protocol
// of the built-in row.
func (c Config) row(name string) (Provider, error) {
	base, known := builtin(name)
	added, extra := c.Providers[name]
	switch {
	case !known && !extra:
		return Provider{}, fault.New(fault.Model, "unknown model provider %q", name).
			Hinting("%s; a manifest's providers: adds more", fault.DidYouMean(name, c.known()))
	case !known:
		added.Name, added.NoKey = name, added.NoKey || added.KeyVar == ""
		return added, nil
	}
	row := base.Under(added)
	if row.apiAt(c.parsed(row)) != base.apiAt(nil) {
		row.Quirks.Settings = added.Quirks.Settings
	}
	return row, nil
}

// Under returns the row with the values that a manifest or a person's config
// sets for the provider.
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
	if m.API != "" {
		p.API = m.API
	}
	p.Image, p.PDF, p.NoKey = p.Image || m.Image, p.PDF || m.PDF, p.NoKey || m.NoKey
	p.Headers, p.Query = merged(p.Headers, m.Headers), merged(p.Query, m.Query)
	p.Quirks = p.Quirks.overriddenBy(m.Quirks)
	p.Models, p.Suggested = merged(p.Models, m.Models), merged(p.Suggested, m.Suggested)
	return p
}

func (q Quirks) overriddenBy(m Quirks) Quirks {
	if m.KeyHeader != "" {
		q.KeyHeader = m.KeyHeader
	}
	if m.Carry != nil {
		q.Carry = m.Carry
	}
	q.NoUsage, q.JSONAlone = q.NoUsage || m.NoUsage, q.JSONAlone || m.JSONAlone
	q.NoStream = q.NoStream || m.NoStream
	q.NoUserAfterTool = q.NoUserAfterTool || m.NoUserAfterTool
	q.Settings, q.Fill = merged(q.Settings, m.Settings), merged(q.Fill, m.Fill)
	return q
}

// merged returns a copy of under with the members of over, which replace those of under.
func merged[V any](under, over map[string]V) map[string]V {
	if len(over) == 0 {
		return maps.Clone(under)
	}
	out := maps.Clone(under)
	if out == nil {
		out = map[string]V{}
	}
	maps.Copy(out, over)
	return out
}

// known returns every provider name, and script and replay, which are not providers.
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

// providersWith returns the names of the providers for which column is true, for E_ATTACHMENT.
func (c Config) providersWith(column func(Provider) bool) string {
	var names []string
	for _, name := range c.known() {
		if p, err := c.row(name); err == nil && column(p) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// envName returns the provider's name as part of a variable: MY_HOST for "my-host".
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
