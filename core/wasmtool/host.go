package wasmtool

import "slices"

// The modules that host functions are imported from.
const (
	ExtismEnv  = "extism:host/env"
	ExtismUser = "extism:host/user"
	WASI       = "wasi_snapshot_preview1"
)

// HostFunctions are the names that golem offers below each module, beside WASI
// preview 1 (wasiFunctions). Engines offer these, no more and no fewer.
var HostFunctions = map[string][]string{
	ExtismUser: {"golem_call"},
	ExtismEnv: {
		"alloc", "free", "length", "length_unsafe", "load_u8", "load_u64", "store_u8", "store_u64", "memory_bytes", "reset",
		"input_length", "input_offset", "input_load_u8", "input_load_u64", "input_set", "output_set", "output_length", "output_offset",
		"error_set", "error_get", "config_get", "var_get", "var_set", "http_request", "http_status_code", "http_headers",
		"get_log_level", "log_trace", "log_debug", "log_info", "log_warn", "log_error",
	},
}

// Offered tells whether a module may import a function of that name.
func Offered(module, name string) bool {
	return slices.Contains(HostFunctions[module], name) || module == WASI && slices.Contains(wasiFunctions, name)
}
