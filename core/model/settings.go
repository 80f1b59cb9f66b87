package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
)

// Settings are a worker's model settings (SPEC §10): the fields of
// model_settings, as JSON. nil means that the provider decides.
type Settings map[string]json.RawMessage

// ReadSettings parses the object in a worker's configuration. Its fields were
// checked when the configuration was read.
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

// extra returns the members that go into the body unchanged.
func (s Settings) extra() fields {
	var extra fields
	if json.Unmarshal(s["extra"], &extra) != nil {
		return nil
	}
	return extra
}

// nameOf returns the member of a request that a setting becomes, "reasoning.effort" for
// a member of a member; "" if the provider has none. A row's Quirks.Settings says where
// it differs from the protocol.
func (p Provider) nameOf(setting string, protocol api) string {
	if name, said := p.Quirks.Settings[setting]; said {
		return name
	}
	return protocol.names()[setting]
}

// Lacking returns the settings that the provider of the named model does not
// support, in order. They are not sent. A script or replay uses no settings, so
// it lacks none.
func (c Config) Lacking(name string, s Settings) []string {
	provider, _, err := Split(name)
	if err != nil || provider == "script" || provider == "replay" {
		return nil
	}
	row, err := c.row(provider)
	if err != nil {
		return nil
	}
	return row.lacking(s, row.protocol(c.parsed(row)))
}

// Lacking returns the same as Config.Lacking, for an open model.
func Lacking(m Model, s Settings) []string {
	r, ok := undecorated(m).(*remote)
	if !ok {
		return nil
	}
	return r.end.row.lacking(s, r.api)
}

// LackingText returns the warning about a setting that the provider of the named model lacks.
func LackingText(model, setting string) string {
	provider, _, _ := strings.Cut(model, ":")
	return fmt.Sprintf("%s does not support the setting %s, so it is not sent", provider, setting)
}

func (p Provider) lacking(s Settings, protocol api) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if name != "extra" && p.nameOf(name, protocol) == "" {
			out = append(out, name)
		}
	}
	return out
}

// set sets a member, or with a name like "a.b" a member of a member.
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
