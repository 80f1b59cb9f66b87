package wasmtool

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/wasmtool/guard"
)

// Inspection is what golem tool inspect shows of a module. The module was not
// run. Texts from the module are escaped.
type Inspection struct {
	Path    string         `json:"path"`
	Size    int            `json:"size"` // bytes
	SHA256  string         `json:"sha256"`
	Form    string         `json:"form"`
	Built   string         `json:"built,omitempty"` // for what, if not for golem
	Tools   []Description  `json:"tools,omitempty"`
	Source  string         `json:"described,omitempty"` // section, sidecar; "": only by running it
	Imports []guard.Import `json:"imports,omitempty"`
	Exports []string       `json:"exports,omitempty"`
	Memory  *guard.Memory  `json:"memory,omitempty"` // pages of 64 KiB
	// Callable are the exports that become tools if a worker names them.
	Callable []string `json:"callable,omitempty"`
	Needs    []string `json:"needs,omitempty"`
	Refused  string   `json:"refused,omitempty"` // why golem would not run it
}

// Inspect reads a module and describes what it is and what it would need. It
// returns an error if the file cannot be read, is not a module, or is not the
// one in tools.lock. Other reasons why golem would not run it are in Refused.
func (m *Module) Inspect(ctx context.Context) (Inspection, error) {
	if err := ctx.Err(); err != nil {
		return Inspection{}, ended(ctx)
	}
	if err := m.read(); err != nil {
		return Inspection{}, err
	}
	out := Inspection{Path: m.source.Path, SHA256: m.digest}
	if m.bad != nil {
		return out, m.bad
	}
	out.Size, out.Memory = m.info.Size, m.info.Memory
	if m.info.Component {
		out.Form, out.Refused = "component", m.component().Error()
		return out, nil
	}
	m.fillFromImports(&out)
	data, err := m.whole()
	if err != nil {
		return out, err
	}
	_, bad := guard.Weave(data)
	if bad != nil {
		bad = m.located(m.alien.explained(bad))
	}
	out.Tools, out.Source, err = m.written()
	if bad == nil {
		bad = err
	}
	if bad == nil {
		bad = m.useless(out)
	}
	if bad != nil {
		out.Refused = bad.Error()
	}
	return out, nil
}

// useless returns the reason why nothing of a valid module can be called.
func (m *Module) useless(seen Inspection) error {
	s, err := m.shape(context.Background())
	if err != nil || s != plain || seen.Tools != nil {
		return err
	}
	if m.alien != nil || len(seen.Callable) == 0 {
		return m.contract()
	}
	return nil
}

// fillFromImports sets the fields that follow from the module's imports and exports.
func (m *Module) fillFromImports(out *Inspection) {
	out.Form = string(shapeOf(m.info))
	if m.alien != nil {
		out.Built = m.alien.what
	}
	if out.Form == string(plain) {
		for _, name := range callable(m.info) {
			out.Callable = append(out.Callable, Escape([]byte(name), 100))
		}
	}
	for _, im := range m.info.Imports {
		im.Module, im.Name = Escape([]byte(im.Module), 100), Escape([]byte(im.Name), 100)
		out.Imports = append(out.Imports, im)
	}
	for _, e := range m.info.Exports {
		if e.Kind == "func" {
			out.Exports = append(out.Exports, Escape([]byte(e.Name), 100))
		}
	}
	slices.Sort(out.Exports)
	out.Needs = needs(m.info.Imports)
}

// needs returns texts for people that say what the module's imports let it do.
func needs(imports []guard.Import) []string {
	words := map[string]string{
		"http_request": "network: it can make HTTP requests to the hosts that allowed_hosts names",
		"config_get":   "config: it can read the values that config gives it",
		"golem_call":   "callbacks: it can call tools and workers that its caller may call",
	}
	seen := map[string]bool{}
	unknown := map[string][]string{}
	for _, im := range imports {
		switch {
		case !offered(im.Module, im.Name):
			unknown[im.Module] = append(unknown[im.Module], im.Name)
		case im.Module == ExtismEnv || im.Module == ExtismUser:
			if w := words[im.Name]; w != "" {
				seen[w] = true
			}
		case slices.Contains(fileFunctions, im.Name):
			seen["files: it can open files, if fs grants it all of the worker's, or directories such as fs: {data: ro}"] = true
		}
	}
	out := slices.Sorted(maps.Keys(seen))
	for i, module := range slices.Sorted(maps.Keys(unknown)) {
		if i == mostUnknown {
			return append(out, fmt.Sprintf("unknown: it imports from %d more modules that golem does not provide", len(unknown)-mostUnknown))
		}
		out = append(out, notOffered(module, unknown[module]))
	}
	return out
}

// mostUnknown limits how many functions that golem does not provide are named.
const mostUnknown = 4 // the number of modules, and of functions of each

func notOffered(module string, names []string) string {
	module = Escape([]byte(module), 60)
	if len(names) == 1 {
		return fmt.Sprintf("unknown: it imports %s of %s, and ends with E_TOOL_IMPORT if it calls it", Escape([]byte(names[0]), 60), module)
	}
	return fmt.Sprintf("unknown: it imports %d functions of %s that golem does not provide (%s), and ends with E_TOOL_IMPORT if it calls one",
		len(names), module, firstNames(names, mostUnknown))
}

// firstNames returns the first names of a list, escaped.
func firstNames(names []string, most int) string {
	var out []string
	for _, n := range names[:min(most, len(names))] {
		out = append(out, Escape([]byte(n), 60))
	}
	if more := len(names) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// fileFunctions are imported by WASI modules that want to use files.
var fileFunctions = []string{
	"path_open", "path_rename", "path_unlink_file", "path_create_directory", "path_remove_directory", "path_filestat_get",
	"path_filestat_set_times", "path_link", "path_symlink", "path_readlink", "fd_readdir",
}

// wasiFunctions are the functions of WASI preview 1.
var wasiFunctions = append([]string{
	"args_get", "args_sizes_get", "environ_get", "environ_sizes_get", "clock_res_get", "clock_time_get",
	"fd_advise", "fd_allocate", "fd_close", "fd_datasync", "fd_fdstat_get", "fd_fdstat_set_flags", "fd_fdstat_set_rights",
	"fd_filestat_get", "fd_filestat_set_size", "fd_filestat_set_times", "fd_pread", "fd_prestat_get", "fd_prestat_dir_name",
	"fd_pwrite", "fd_read", "fd_renumber", "fd_seek", "fd_sync", "fd_tell", "fd_write", "poll_oneoff", "proc_exit", "proc_raise",
	"random_get", "sched_yield", "sock_accept", "sock_recv", "sock_send", "sock_shutdown",
}, fileFunctions...)
