package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
)

// Settings are how a worker wants its model to answer (SPEC §10): the members
// of model_settings by their names, as JSON. nil: as the provider likes.
type Settings map[string]json.RawMessage

// ReadSettings reads the object that a worker's configuration holds; its
// members are checked where they are written.
func ReadSettings(raw json.RawMessage) (Settings, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var s Settings
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fault.New(fault.Config, "model_settings: %w", err)
	}
	return s, nil
}

// extra are the members that go into the body as they are.
func (s Settings) extra() fields {
	var extra fields
	if json.Unmarshal(s["extra"], &extra) != nil {
		return nil
	}
	return extra
}

// chatNames is what the chat completions protocol calls a setting. A row's
// Quirks.Settings says where a provider departs from it.
var chatNames = map[string]string{
	"temperature": "temperature", "top_p": "top_p", "max_output_tokens": "max_tokens", "reasoning_effort": "reasoning_effort",
	"seed": "seed", "stop": "stop", "parallel_tool_calls": "parallel_tool_calls", "service_tier": "service_tier", "verbosity": "verbosity",
}

// nameOf is the member of a request that a setting becomes, "reasoning.effort"
// for a member of a member; "" if the provider has none.
func (p Provider) nameOf(setting string) string {
	if name, said := p.Quirks.Settings[setting]; said {
		return name
	}
	return chatNames[setting]
}

// Lacking names the settings that the provider of the model called name does
// not have, in order. They are not sent. A script and a replay have no use for
// any, and want none.
func (c Config) Lacking(name string, s Settings) []string {
	provider, _, err := Split(name)
	if err != nil || provider == "script" || provider == "replay" {
		return nil
	}
	row, err := c.row(provider)
	if err != nil {
		return nil
	}
	return row.lacking(s)
}

// Lacking does the same for an open model.
func Lacking(m Model, s Settings) []string {
	r, ok := bare(m).(*remote)
	if !ok {
		return nil
	}
	return r.end.row.lacking(s)
}

// LackingText is the warning about such a setting.
func LackingText(model, setting string) string {
	provider, _, _ := strings.Cut(model, ":")
	return fmt.Sprintf("%s has no setting %s: it is not sent", provider, setting)
}

func (p Provider) lacking(s Settings) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if name != "extra" && p.nameOf(name) == "" {
			out = append(out, name)
		}
	}
	return out
}

// members are the members of a request's body that settings make, in order of
// their names. What the request has already is not set again: extra may not.
func (p Provider) members(s Settings, request []byte) ([]byte, error) {
	if len(s) == 0 {
		return nil, nil
	}
	var has, body fields
	if err := json.Unmarshal(request, &has); err != nil {
		return nil, err
	}
	body = fields{}
	for name, value := range s {
		if to := p.nameOf(name); name != "extra" && to != "" {
			if err := body.set(to, value); err != nil {
				return nil, err
			}
		}
	}
	for name, value := range s.extra() {
		_, sent := has[name]
		if _, twice := body[name]; sent || twice {
			return nil, fault.New(fault.Config, "model_settings.extra sets %q, which golem sets itself", name).Hinting("remove it")
		}
		body[name] = value
	}
	data, err := json.Marshal(body)
	if err != nil || len(body) == 0 {
		return nil, err
	}
	return bytes.TrimSuffix(bytes.TrimPrefix(data, []byte("{")), []byte("}")), nil
}

// set sets a member, or a member of a member.
func (f fields) set(name string, value json.RawMessage) error {
	outer, inner, nested := strings.Cut(name, ".")
	if !nested {
		f[name] = value
		return nil
	}
	object := fields{}
	if had := f[outer]; len(had) > 0 {
		if err := json.Unmarshal(had, &object); err != nil {
			return fmt.Errorf("%s: %w", outer, err)
		}
	}
	if err := object.set(inner, value); err != nil {
		return err
	}
	data, err := json.Marshal(object)
	f[outer] = data
	return err
}
