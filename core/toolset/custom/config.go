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
	g.Redact = c.env.Redact
	if g.Redact == nil {
		g.Redact = func(text string) string { return text }
	}
	g.Kept = func() (map[string]string, error) {
		out := map[string]string{}
		for _, key := range slices.Sorted(maps.Keys(kept)) {
			if c.env.Value == nil {
				return nil, fault.New(fault.Platform, "%s needs %s, and this platform keeps no secrets", path, kept[key])
			}
			value, err := c.env.Value(kept[key])
			if err != nil {
				f := *fault.Of(err, fault.NotFound)
				f.Message = fmt.Sprintf("%s needs %s for %s: %s", path, kept[key], key, f.Message)
				return nil, &f
			}
			out[key] = value
		}
		return out, nil
	}
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
