package config

import (
	"strings"

	"golem/core/yamltree"
)

// The tables below have keys that other tools use, with what to write in golem instead.
// The known key with the nearest letters would be a wrong guess: temperature is near
// template.

// modelSettings are keys that belong under model_settings (SPEC §10).
var modelSettings = []string{
	"temperature", "top_p", "max_tokens", "max_output_tokens", "max_completion_tokens", "reasoning_effort", "seed", "stop",
	"parallel_tool_calls", "service_tier", "verbosity",
}

// ForeignWorkerKeys says what to write in a worker file, by key in snake_case. A text
// that begins with ! is the whole hint.
var ForeignWorkerKeys = map[string]string{
	"system_prompt": "instructions, or the text below the second ---", "system": "instructions, or the text below the second ---",
	"prompt": "instructions, or the text below the second ---", "prompt_template": "instructions, or the text below the second ---",
	"system_message": "instructions, or the text below the second ---", "role": "instructions, or the text below the second ---",
	"tools":         "toolsets: {filesystem: {}} for golem's tools; toolsets.custom.tools chooses among those of modules",
	"functions":     "toolsets: {filesystem: {}} for golem's tools; toolsets.custom.tools chooses among those of modules",
	"allowed_tools": "toolsets, and tool_rules: {TOOL: {allowed: false}} for tools that it must not use",
	"agents":        "allow_workers: [ID, …]", "sub_agents": "allow_workers: [ID, …]", "subagents": "allow_workers: [ID, …]",
	"handoffs": "allow_workers: [ID, …]", "workers": "allow_workers: [ID, …]", "allowed_workers": "allow_workers: [ID, …]",
	"input": "input_schema", "inputs": "input_schema", "parameters": "input_schema", "args_schema": "input_schema",
	"output": "output_schema", "outputs": "output_schema", "output_type": "output_schema", "response_format": "output_schema",
	"response_model": "output_schema", "json_schema": "output_schema",
	"llm": "model: provider:name", "model_name": "model: provider:name", "provider": "model: provider:name", "models": "model, or compatible_models",
	"id": "name, or leave it out: the file's place gives the ID", "title": "name, or description",
	"approval": "toolsets.NAME.approval: {default: ask}, or tool_rules", "permissions": "toolsets.NAME.approval: {default: ask}, or tool_rules",
	"needs_approval": "toolsets.NAME.approval: {default: ask}, or tool_rules", "rules": "tool_rules",
	"max_turns": "limits: {turns: …}", "max_iterations": "limits: {turns: …}", "max_steps": "limits: {turns: …}", "turns": "limits: {turns: …}",
	"timeout": "limits: {worker_timeout: …}", "max_retries": "retry: {attempts: …}", "retries": "retry: {attempts: …}",
	"max_depth": "delegation: {max_depth: …}", "max_context": "max_context_tokens", "context_window": "max_context_tokens",
	"mounts": "sandbox: {mounts: […]}", "paths": "sandbox: {paths: {…}}", "files": "sandbox: {paths: {…}}", "restrict": "sandbox: {restrict: …}",
	"readonly": "sandbox: {readonly: true}", "network_enabled": "sandbox: {network_enabled: true}", "network": "sandbox: {network_enabled: true}",
	"filesystem": "toolsets: {filesystem: {}}", "shell": "toolsets: {shell: {}}",
	"sandboxes": "sandbox: {paths: {NAME: {root: DIR, mode: ro}}}, and toolsets: {filesystem: {}}", "custom_tools": "toolsets: {custom: {tools: [NAME, …]}}",
	"input_model_ref": "input_schema", "output_model_ref": "output_schema",
	"server_side_tools": "!remove it, and write server_tools: [web_search, code_execution] with sandbox: {network_enabled: true}, and toolsets: {web: {}} for web_fetch; a tool module with allowed_hosts can do the rest",
	"locked":            "!remove it: golem never writes workers", "entry": "!remove it, and write entry: in project.yaml; main.worker needs neither",
}

// ForeignManifestKeys says what to write in a manifest, in the form of
// foreignWorkerKeys.
var ForeignManifestKeys = map[string]string{
	"main": "entry", "entrypoint": "entry", "entry_point": "entry", "start": "entry",
	"approval_mode": "approval: {mode: …}", "rules": "approval: {rules: […]}", "tool_rules": "approval: {tools: {TOOL: ask}, rules: […]}",
	"instructions": "that key in a worker file, such as main.worker", "system_prompt": "instructions, in a worker file such as main.worker",
	"prompt": "instructions, in a worker file such as main.worker", "system": "instructions, in a worker file such as main.worker",
	"llm": "model: provider:name", "model_name": "model: provider:name", "provider": "model: provider:name, or providers: {NAME: {…}}",
	"agents": "allow_workers in a worker file; workers are found in workers/", "allow_workers": "toolsets: {workers: {allowed_workers: [ID, …]}}",
	"max_turns": "limits: {turns: …}", "max_iterations": "limits: {turns: …}", "timeout": "limits: {worker_timeout: …}", "max_retries": "retry: {attempts: …}",
	"max_depth": "delegation: {max_depth: …}", "mounts": "sandbox: {mounts: […]}", "paths": "sandbox: {paths: {…}}",
	"root": "sandbox: {root: …}", "readonly": "sandbox: {readonly: true}", "network_enabled": "sandbox: {network_enabled: true}",
	"libraries": "dependencies", "requires": "dependencies", "targets": "clearance: {targets: {…}}",
}

// ForeignModelSettings says what to write in model_settings, by the names that
// providers use.
var ForeignModelSettings = map[string]string{
	"max_tokens": "max_output_tokens", "max_completion_tokens": "max_output_tokens", "num_predict": "max_output_tokens", "max_new_tokens": "max_output_tokens",
	"effort": "reasoning_effort", "reasoning": "reasoning_effort", "thinking": "reasoning_effort", "stop_sequences": "stop",
	"tier": "service_tier", "prompt_cache": "cache", "cache_control": "cache", "top_k": "extra: {top_k: …}", "min_p": "extra: {min_p: …}",
	"frequency_penalty": "extra: {frequency_penalty: …}", "presence_penalty": "extra: {presence_penalty: …}",
}

// ForeignToolsets are what other tools call golem's toolsets.
var ForeignToolsets = map[string]string{
	"bash": "shell", "terminal": "shell", "command": "shell", "commands": "shell", "exec": "shell", "sh": "shell",
	"fs": "filesystem", "file": "filesystem", "files": "filesystem", "file_system": "filesystem", "read_file": "filesystem", "write_file": "filesystem",
	"sandbox": "filesystem", "filesystem_project": "filesystem", "shell_readonly": "shell", "shell_file_ops": "shell",
	"agents": "workers", "agent": "workers", "delegation": "workers", "subagents": "workers", "wasm": "custom", "plugins": "custom", "extism": "custom",
}

// ForeignOptions are options of toolsets that llm-do and golem-forge have.
var ForeignOptions = map[string]string{
	"_approval_config": "approval: {tools: {TOOL: ask}}", "approvalConfig": "approval: {default: ask, tools: {TOOL: ask}}", "approval_config": "approval: {default: ask, tools: {TOOL: ask}}",
	"rules":   `approval: {rules: [{tool: run_command, when: {command: "git log *"}, decide: ask}]} in project.yaml`,
	"default": "approval: {default: ask}",
}

// ForeignFiles are project files of other tools that golem does not read.
var ForeignFiles = map[string]string{
	"program.yaml": "rename it project.yaml", "main.agent": "rename it main.worker, and other .agent files, too; then golem check --fix changes their keys",
	"project.json": "write project.yaml: entry: NAME, delegation: {max_depth: …}, approval: {mode: …}", "llm-do.toml": "write project.yaml",
}

// foreign returns a function for Shape.Foreign: it says what to write in s instead of a
// key of another tool, by one of the tables above; "" if the table does not have the
// key.
func foreign(s *yamltree.Shape, table map[string]string) func(key string) string {
	return func(key string) string {
		for _, setting := range modelSettings {
			if key != setting || s.Keys["model_settings"] == nil {
				continue
			}
			if key == "max_tokens" || key == "max_completion_tokens" {
				key = "max_output_tokens"
			}
			return "write model_settings: {" + key + ": …}"
		}
		if instead, whole := strings.CutPrefix(table[key], "!"); whole {
			return instead
		} else if instead != "" {
			return "write " + instead
		}
		return ""
	}
}
