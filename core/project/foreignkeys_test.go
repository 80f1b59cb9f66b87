package project

import (
	"strings"
	"testing"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/yamltree"
)

// The hint for a key of another tool names the key that means the same here, not the
// one with the nearest letters (an hour as a new user, 7).
func TestKeysOfOtherTools(t *testing.T) {
	for key, want := range map[string]string{
		"system_prompt": "instructions", "prompt": "instructions", "systemPrompt": "instructions", "tools": "toolsets: {filesystem: {}}",
		"temperature": "model_settings: {temperature", "max_tokens": "model_settings: {max_output_tokens", "maxTokens": "model_settings: {max_output_tokens", "agents": "allow_workers", "response_format": "output_schema",
		"max_turns": "limits: {turns", "mounts": "sandbox: {mounts", "Instructions": "did you mean instructions", "toolset": "did you mean toolsets",
	} {
		_, err := entryOf(Setup{FS: tree("-- main.worker --\n---\n" + key + ": x\n---\nhi\n")})
		if f := fault.Of(err, fault.Config); f == nil || !strings.Contains(f.Message, "unknown key") || !strings.Contains(f.Hint, want) || f.Where.Line != 2 {
			t.Errorf("%s: %v, want a hint with %q", key, err, want)
		}
	}
	for line, want := range map[string]string{
		"instructions: x": "in a worker file", "main: x": "entry", "allow_workers: [x]": "toolsets: {workers:", "max_depth: 3": "delegation: {max_depth",
		"top_p: 1": "model_settings: {top_p", "model_settings: {effort: low}": "write reasoning_effort",
	} {
		_, err := Load(Setup{FS: tree("-- project.yaml --\n" + line + "\n-- main.worker --\n---\n---\nhi\n")})
		if f := fault.Of(err, fault.Config); f == nil || !strings.Contains(f.Hint, want) {
			t.Errorf("manifest, %s: %v, want a hint with %q", line, err, want)
		}
	}
	for _, table := range []struct {
		name  string
		shape *yamltree.Shape
		keys  map[string]string
	}{{"worker", config.WorkerShape, config.ForeignWorkerKeys}, {"manifest", config.ManifestShape, config.ForeignManifestKeys}, {"model_settings", config.WorkerShape.Keys["model_settings"], config.ForeignModelSettings}} {
		for key := range table.keys {
			if table.shape.Keys[key] != nil || table.shape.Aliases[key] != "" || yamltree.Snake(key) != key {
				t.Errorf("%s: %s is in the table of other tools' keys", table.name, key)
			}
		}
	}
}

// The hint for a model without a provider names the provider that has it.
func TestModelHints(t *testing.T) {
	for name, want := range map[string]string{
		"gpt-5": "openai:gpt-5", "claude-haiku-4-5": "anthropic:claude-haiku-4-5", "openai/gpt-5-mini": "openai:gpt-5-mini",
		"qwen3": "ollama:qwen3", "thing": "for example openai:gpt-5-mini",
	} {
		_, err := entryOf(Setup{FS: tree("-- main.worker --\n---\nmodel: " + name + "\n---\nhi\n")})
		if f := fault.Of(err, fault.Config); f == nil || !strings.HasSuffix(f.Hint, want) || f.Where.Line != 2 {
			t.Errorf("%s: %v", name, err)
		}
		_, err = entryOf(Setup{FS: tree("-- main.worker --\n---\n---\nhi\n"), Options: options.Opening{Model: name}})
		if f := fault.Of(err, fault.Config); f == nil || !strings.HasSuffix(f.Hint, want) {
			t.Errorf("--model %s: %v", name, err)
		}
	}
}

// The fault of a value in the wrong form has the right form in its hint.
func TestWrongFormsAreToldTheRightOne(t *testing.T) {
	for line, want := range map[string]string{
		"toolsets: filesystem": "write [filesystem]", "allow_workers: helper": "write [helper]", `limits: {turns: "5"}`: "write 5 without quotes",
		"sandbox: {paths: {in: ./in}}": "write {root: ./in}", "mode: chatt": "did you mean chat", "toolsets: [bash]": "did you mean shell", "toolsets: {fs: {}}": "did you mean filesystem",
		"name: {{ x }}": "put the value in quotes",
	} {
		_, err := entryOf(Setup{FS: tree("-- main.worker --\n---\n" + line + "\n---\nhi\n"), Platform: Platform{Toolsets: []string{"filesystem", "shell", "workers"}}})
		if f := fault.Of(err, fault.Config); f == nil || !strings.Contains(f.Hint, want) || f.Where.Line != 2 {
			t.Errorf("%s: %v, want a hint with %q", line, err, want)
		}
	}
}

// A key of a later version is not in the tables of keys that golem or other programs have.
func TestKeysOfALaterVersion(t *testing.T) {
	for key := range config.LaterWorkerKeys {
		if config.WorkerShape.Keys[key] != nil || config.ForeignWorkerKeys[key] != "" {
			t.Errorf("%s is in the table of a later version's keys", key)
		}
	}
}
