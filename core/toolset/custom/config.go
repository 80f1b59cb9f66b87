package custom

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool"
)

// configure grants a module its configuration. Secrets and environment variables of the
// person are read for each call, so that a worker that never calls the module needs none.
func (c *custom) configure(g *wasmtool.Grants, config map[string]tool.Value, path string) {
	kept := map[string]tool.Value{}
	for key, v := range config {
		switch {
		case v.Kept():
			kept[key] = v
		case g.Config == nil:
			g.Config = map[string]string{key: v.Text}
		default:
			g.Config[key] = v.Text
		}
	}
	if len(kept) == 0 {
		return
	}
	g.Kept = keptValues{c, kept, path}
}

// keptValues are the values of the person in the configuration of a module.
type keptValues struct {
	custom *custom
	byKey  map[string]tool.Value
	path   string // of the module
}

// Redact removes the values that the run has read.
func (k keptValues) Redact(text string) string {
	if k.custom.env.Run == nil {
		return text
	}
	return k.custom.env.Run.Redact(text)
}

// Values reads the values.
func (k keptValues) Values() (map[string]string, error) {
	out := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(k.byKey)) {
		if k.custom.env.Run == nil {
			return nil, fault.New(fault.Platform, "%s needs %s, and this platform keeps no secrets", k.path, k.byKey[key])
		}
		value, err := k.custom.env.Run.Value(k.byKey[key])
		if err != nil {
			f := *fault.Of(err, fault.NotFound)
			f.Message = fmt.Sprintf("%s needs %s for %s: %s", k.path, k.byKey[key], key, f.Message)
			return nil, &f
		}
		out[key] = value
	}
	return out, nil
}

// configGrant returns a module's configuration as it is shown to people: its keys, and
// for a secret or an environment variable its name. Values in the file are not shown,
// because they may be passwords.
func configGrant(config map[string]tool.Value) tool.Grant {
	var shown []string
	var exact strings.Builder
	for _, k := range slices.Sorted(maps.Keys(config)) {
		v := config[k]
		switch {
		case v.Secret != "":
			shown = append(shown, k+" (your secret "+v.Secret+")")
		case v.Env != "":
			shown = append(shown, k+" (your environment variable "+v.Env+")")
		default:
			shown = append(shown, k)
		}
		if v.Kept() {
			fmt.Fprintf(&exact, "%q=%s ", k, v)
		} else {
			fmt.Fprintf(&exact, "%q=%q ", k, v.Text)
		}
	}
	return tool.Grant{Name: "config", Value: strings.Join(shown, ", "), Exact: exact.String()}
}
