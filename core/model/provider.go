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
	API     string // Chat, Responses or Anthropic; "" = Chat, and for openai what its address speaks
	Headers map[string]string
	Query   map[string]string // added to each address
	Quirks  Quirks
	// Models are context sizes and prices by model, or "*", as a person gives
	// them; Suggested, as a project does.
	Models, Suggested map[string]Known
	// Trusted says that a person chose or trusted the address: the key may go
	// there without asking.
	Trusted bool

	altKeyVar   string // a second name people use for the key
	unreachable string // what to try when nothing answers
	unlisted    string // why it cannot be asked for its models; "": it can
	local       bool   // a server for a person's own machine
}

// Quirks are where a provider departs from the protocol.
type Quirks struct {
	NoUsage   bool   // refuses stream_options; reports usage unasked
	JSONAlone bool   // refuses a response format beside tools
	KeyHeader string // the header that holds the key as it is; "" = Authorization, after Bearer
	// Carry are members of an answer's message and of its calls that the
	// provider wants back unchanged with the history.
	Carry []string
	// Settings are settings that the provider calls otherwise than the protocol,
	// "reasoning.effort" for a member of a member; "": it has no such setting.
	Settings map[string]string
	// NoUserAfterTool: it refuses a user's message right after a tool's result.
	NoUserAfterTool bool
	// Fill are members that it wants on each answer with calls, and the text that
	// stands there if the answer came without: of another provider. "a.b" is a
	// member of a member, what begins with "tool_calls." one of the first call.
	Fill map[string]string
}

// Rows is the built-in provider table in its own order: a copy.
func Rows() []Provider {
	out := slices.Clone(rows)
	for i := range out {
		out[i].Headers, out[i].Quirks.Carry = maps.Clone(out[i].Headers), slices.Clone(out[i].Quirks.Carry)
		out[i].Query, out[i].Quirks.Settings = maps.Clone(out[i].Query), maps.Clone(out[i].Quirks.Settings)
		out[i].Quirks.Fill = maps.Clone(out[i].Quirks.Fill)
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
	if m.API != "" {
		p.API = m.API
	}
	p.Image, p.PDF, p.NoKey = p.Image || m.Image, p.PDF || m.PDF, p.NoKey || m.NoKey
	p.Headers, p.Query = laid(p.Headers, m.Headers), laid(p.Query, m.Query)
	p.Quirks = p.Quirks.under(m.Quirks)
	p.Models, p.Suggested = laid(p.Models, m.Models), laid(p.Suggested, m.Suggested)
	return p
}

func (q Quirks) under(m Quirks) Quirks {
	if m.KeyHeader != "" {
		q.KeyHeader = m.KeyHeader
	}
	if m.Carry != nil {
		q.Carry = m.Carry
	}
	q.NoUsage, q.JSONAlone = q.NoUsage || m.NoUsage, q.JSONAlone || m.JSONAlone
	q.NoUserAfterTool = q.NoUserAfterTool || m.NoUserAfterTool
	q.Settings, q.Fill = laid(q.Settings, m.Settings), laid(q.Fill, m.Fill)
	return q
}

// laid is a map with another's members laid over its own; nil if both are empty.
func laid[V any](under, over map[string]V) map[string]V {
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
