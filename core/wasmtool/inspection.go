package wasmtool

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golem/core/wasmtool/guard"
)

// Inspection is what golem tool inspect shows of a module, without running it.
type Inspection struct {
	Path    string         `json:"path"`
	Size    int            `json:"size"` // bytes
	SHA256  string         `json:"sha256"`
	Form    string         `json:"form"`
	Tools   []Description  `json:"tools,omitempty"`
	Source  string         `json:"described,omitempty"` // section, sidecar; "": only by running it
	Imports []guard.Import `json:"imports,omitempty"`
	Exports []string       `json:"exports,omitempty"`
	Memory  *guard.Memory  `json:"memory,omitempty"` // pages of 64 KiB
	Needs   []string       `json:"needs,omitempty"`
	Refused string         `json:"refused,omitempty"` // the guard's reason
}

// Inspect reads a module and tells what it is and what it would need.
func (m *Module) Inspect(ctx context.Context) (Inspection, error) {
	digest, err := m.Digest(ctx)
	if err != nil {
		return Inspection{}, err
	}
	out := Inspection{Path: m.source.Path, Size: m.info.Size, SHA256: digest, Imports: m.info.Imports, Memory: m.info.Memory}
	if m.info.Component {
		out.Form, out.Refused = "component", m.component().Error()
		return out, nil
	}
	s, err := m.shape(ctx)
	if err != nil {
		return out, err
	}
	out.Form = string(s)
	for _, e := range m.info.Exports {
		if e.Kind == "func" {
			out.Exports = append(out.Exports, e.Name)
		}
	}
	slices.Sort(out.Exports)
	out.Needs = needs(m.info.Imports)
	if _, err := guard.Weave(m.data); err != nil {
		out.Refused = err.Error()
	}
	section, err := guard.Custom(m.data, Section)
	if err != nil {
		return out, err
	}
	out.Tools, err = m.Describe(ctx, false)
	switch {
	case errors.Is(err, ErrUndescribed):
		return out, nil
	case err != nil && s == plain && section == nil: // no form, no description
		out.Refused = err.Error()
		return out, nil
	case err != nil:
		return out, err
	}
	out.Source = "sidecar"
	if section != nil {
		out.Source = "section"
	}
	return out, nil
}

// needs tells in words what the imports mean.
func needs(imports []guard.Import) []string {
	words := map[string]string{
		"http_request": "network: it can make HTTP requests to allowed_hosts",
		"config_get":   "config: it reads values of config",
		"golem_call":   "callbacks: it can call tools and workers that its caller may call",
	}
	seen := map[string]bool{}
	add := func(s string) { seen[s] = s != "" }
	for _, im := range imports {
		switch im.Module {
		case extismEnv, extismUser:
			if w := words[im.Name]; w != "" {
				add(w)
			} else if _, known := hostFuncs(im.Module)[im.Name]; !known {
				add(unknown(im))
			}
		case wasiModule:
			switch im.Name {
			case "path_open", "path_rename", "path_unlink_file", "path_create_directory", "path_remove_directory", "fd_readdir":
				add("files: it can open files, if fs: true lets it")
			}
		default:
			add(unknown(im))
		}
	}
	out := make([]string, 0, len(seen))
	for s := range seen {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

func unknown(im guard.Import) string {
	return fmt.Sprintf("unknown: it imports %s of %s, and ends with E_TOOL_IMPORT if it calls it",
		escaped([]byte(im.Name), 60), escaped([]byte(im.Module), 60))
}
