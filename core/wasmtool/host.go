package wasmtool

import (
	"slices"

	"golem/core/fault"
	"golem/core/wasmtool/guard"
)

// The modules from which host functions are imported.
const (
	ExtismEnv  = "extism:host/env"
	ExtismUser = "extism:host/user"
	WASI       = "wasi_snapshot_preview1"
)

// HostFunctions are the names of the functions that golem provides in each
// module, in addition to WASI preview 1 (wasiFunctions). Engines provide
// exactly these.
var hostFunctions = map[string][]string{
	ExtismUser: append([]string{golemCall}, idleNames()...),
	ExtismEnv: {
		"alloc", "free", "length", "length_unsafe", "load_u8", "load_u64", "store_u8", "store_u64", "memory_bytes", "reset",
		"input_length", "input_offset", "input_load_u8", "input_load_u64", "input_set", "output_set", "output_length", "output_offset",
		"error_set", "error_get", "config_get", "var_get", "var_set", "http_request", "http_status_code", "http_headers",
		"get_log_level", "log_trace", "log_debug", "log_info", "log_warn", "log_error",
	},
}

const golemCall = "golem_call"

// Idle is a host function of hyper-mcp that does nothing in golem. Plug-ins for hyper-mcp
// may import it, so golem provides it. It returns what hyper-mcp's own host returns if its
// client does not support the function. It takes at most one Extism handle and returns at
// most one.
type Idle struct {
	Name   string
	Takes  bool   // it takes a handle
	Gives  bool   // it returns a handle
	Answer string // the content of the returned block; "" is the handle 0
}

// Idles returns all the functions of hyper-mcp that do nothing in golem.
func Idles() []Idle {
	return []Idle{
		{"create_elicitation", true, true, `{"action":"decline"}`},
		{"create_message", true, true, `{"role":"assistant","content":{"type":"text","text":"golem asks no model for a module"},"model":"","stopReason":"error"}`},
		{"get_access_token", true, true, ""},
		{"get_keyring_secret", true, true, ""},
		{"list_roots", false, true, `{"roots":[]}`},
		{"notify_logging_message", true, false, ""},
		{"notify_progress", true, false, ""},
		{"notify_prompt_list_changed", false, false, ""},
		{"notify_resource_list_changed", false, false, ""},
		{"notify_resource_updated", true, false, ""},
		{"notify_tool_list_changed", false, false, ""},
		{"notify_url_elicitation_completed", true, false, ""},
	}
}

func idleNames() []string {
	var out []string
	for _, f := range Idles() {
		out = append(out, f.Name)
	}
	return out
}

// offered reports whether golem provides a function of that name to modules.
func offered(module, name string) bool {
	return slices.Contains(hostFunctions[module], name) || module == WASI && slices.Contains(wasiFunctions, name)
}

// varying lists the functions of WASI whose results differ from call to call. A module
// that calls them may use a different amount of fuel each time: Go and Rust seed their
// maps with random numbers, and Go's scheduler and collector read the clock.
var varying = []string{"clock_time_get", "random_get"}

// varies reports whether the same call of the module may use a different amount
// of fuel, because it imports the clock or random numbers. The module must have
// been read.
func (m *Module) varies() bool {
	return slices.ContainsFunc(m.info.Imports, func(im guard.Import) bool {
		return im.Module == WASI && slices.Contains(varying, im.Name)
	})
}

// NotOffered returns the error for a call of an import that golem does not
// provide, or that the module declares with another type.
func NotOffered(module, name string) *fault.Fault {
	return fault.New(fault.ToolImport, "the module calls %s of %s, which golem does not provide", Escape([]byte(name), 100), Escape([]byte(module), 100)).
		Hinting("golem provides WASI preview 1, extism:host/env, and golem_call and what hyper-mcp has in extism:host/user")
}

// HandedOn returns the error for an export that is one of the module's own imports.
// Such an export cannot be called, because the host function would not know which
// call it belongs to.
func HandedOn(name string) *fault.Fault {
	return fault.New(fault.ToolContract, "the module's export %.100q is a function that it imports", name)
}

// NotCallable returns the error for an export that cannot be called as a tool,
// because it does not exist or has the wrong type.
func NotCallable(name string, exported bool) *fault.Fault {
	if !exported {
		return fault.New(fault.ToolContract, "the module exports no function %.100q", name)
	}
	return fault.New(fault.ToolContract, "the module's function %.100q takes parameters or does not return an i32", name).
		Hinting("a tool takes its input from extism:host/env and returns 0 (i32), or nothing")
}
