package project

import (
	"fmt"
	"slices"
	"strings"

	"golem/core/approval"
)

// The tables of every key golem knows (SPEC §2, §3). They are built once and
// only read.
var (
	workerShape   = newWorkerShape()
	manifestShape = newManifestShape()
)

func newWorkerShape() *shape {
	s := keysOf(map[string]*shape{
		"name":               textShape(nameProblem),
		"description":        textShape(nil),
		"model":              modelsShape(),
		"compatible_models":  {kind: list, each: globShape(), needed: true},
		"mode":               wordShape("single", "chat"),
		"instructions":       instructionsShape(),
		"template":           flagShape(),
		"toolsets":           toolsetsShape(),
		"imports":            keysOf(map[string]*shape{"workers": listOf(textShape(nameProblem)), "tools": listOf(textShape(nameProblem))}),
		"tool_rules":         mapOf(keysOf(map[string]*shape{"allowed": flagShape(), "approval_required": flagShape()})),
		"allow_workers":      allowedShape(),
		"sandbox":            sandboxShape(),
		"input_schema":       schemaShape(),
		"output_schema":      schemaShape(),
		"attachment_policy":  attachmentShape(),
		"allow_empty_input":  flagShape(),
		"max_context_tokens": countShape(0, 1e9),
		"limits":             limitsShape(),
		"retry":              retryShape(),
		"vars":               laterShape(),
		"delegation":         delegationShape(),
		"model_settings":     modelSettingsShape(),
	})
	s.others = foreignWorkerKeys
	s.aliases = map[string]string{
		"schema_in_ref": "input_schema", "output_schema_ref": "output_schema",
	}
	return s
}

func newManifestShape() *shape {
	s := keysOf(map[string]*shape{
		"schema_version": countShape(1, 1),
		"version":        scalarShape("text", versionProblem),
		"name":           textShape(nameProblem),
		"description":    textShape(nil),
		"entry":          textShape(nameProblem),
		"model":          modelsShape(),
		"dependencies":   laterShape(),
		"exports":        listOf(textShape(nameProblem)),
		"workers":        workersShape(),
		"worker_paths":   listOf(textShape(dirProblem)),
		"prompts":        keysOf(map[string]*shape{"root": textShape(dirProblem)}),
		"tools": keysOf(map[string]*shape{
			"roots": listOf(textShape(dirProblem)), "modules": listOf(textShape(nameProblem)),
			"allow_module_imports": flagShape(), "engine": wordShape("auto", "wazero", "browser"), "offer": wordShape("all", "listed"),
		}),
		"toolsets":   toolsetsShape(),
		"sandbox":    sandboxShape(),
		"approval":   projectApprovalShape(),
		"delegation": delegationShape(),
		"clearance":  laterShape(),
		"providers":  providersShape(),
		"limits":     limitsShape(),
		"retry":      retryShape(),
		"vars":       laterShape(),

		"model_settings": modelSettingsShape(),
	})
	s.others = foreignManifestKeys
	s.aliases = map[string]string{"workerPaths": "worker_paths"}
	return s
}

func modelProblem(s string) string {
	if p := nameProblem(s); p != "" {
		return p
	}
	if provider, name, ok := strings.Cut(s, ":"); !ok || provider == "" || name == "" || strings.Contains(provider, "/") {
		return quoted(s) + " is not of the form provider:name"
	}
	return ""
}

// versionProblem sorts out `version:`: the integer 1 is the manifest's format
// (S2-39), text is the project's own version (S1-19).
func versionProblem(n *node) (string, string) {
	switch {
	case n.tag == tagInt && n.text != "1":
		return "format " + brief(n.text) + " is not known: this golem reads version: 1", fmt.Sprintf("if it is the project's own version, put it in quotes: \"%s\"", brief(n.text))
	case n.tag == tagInt:
		return "", ""
	case n.tag != tagText:
		return "expected text, found " + n.found(), fmt.Sprintf("put it in quotes: \"%s\"", brief(n.text))
	}
	return versionNumber(n.text)
}

// instructionsShape takes a missing text for no key at all: then the prompt
// file counts.
func instructionsShape() *shape {
	s := textShape(nil)
	s.rewrite = func(_ *conformer, n *node, _ string) *node {
		if n.kind == scalar && (n.tag == tagNull || n.tag == tagText && strings.TrimSpace(n.text) == "") {
			return nil
		}
		return n
	}
	return s
}

func schemaShape() *shape {
	return &shape{any: true, rewrite: func(c *conformer, n *node, path string) *node {
		if n.kind == list || n.kind == scalar && (n.tag != tagText || n.text == "") {
			c.fail(n.at, "", "%s: expected a JSON Schema or the path of one, found %s", path, n.found())
			return nil
		}
		return n
	}}
}

func settingShape() *shape {
	s := wordShape("preApproved", "ask", "blocked")
	s.rewrite = func(_ *conformer, n *node, _ string) *node {
		if n.kind == scalar && n.text == "pre_approved" {
			c := *n
			c.text = "preApproved"
			return &c
		}
		return n
	}
	return s
}

func (n *node) setting() approval.Setting { return approval.Setting(n.string()) }

func toolApprovalShape() *shape {
	return keysOf(map[string]*shape{"default": settingShape(), "tools": mapOf(settingShape())})
}

func projectApprovalShape() *shape {
	rule := keysOf(map[string]*shape{
		"tool": textShape(nameProblem), "when": mapOf(globShape()), "decide": settingShape(),
	})
	rule.musts = []string{"tool", "decide"}
	return keysOf(map[string]*shape{
		"mode":    modeShape(),
		"default": settingShape(),
		"tools":   mapOf(settingShape()),
		"rules":   listOf(rule),
		"taint":   wordShape("ask"),
	})
}

func modeShape() *shape {
	return textShape(func(s string) string {
		if _, err := ParseMode(s); err != nil {
			return err.Message
		}
		return ""
	})
}

func limitsShape() *shape {
	return keysOf(map[string]*shape{
		"turns": countShape(1, 1e6), "tool_timeout": durationShape(), "worker_timeout": durationShape(),
		"model_timeout": durationShape(), "tokens": countShape(0, 1e12), "tool_output": sizeShape(),
	})
}

func retryShape() *shape {
	return keysOf(map[string]*shape{"attempts": countShape(1, 10)})
}

func delegationShape() *shape {
	s := keysOf(map[string]*shape{
		"max_depth": countShape(0, 100), "warn_depth": countShape(0, 100),
		"parallel": countShape(1, 256), "allow_recursion": flagShape(),
	})
	s.aliases = map[string]string{"maxDepth": "max_depth", "warnDepth": "warn_depth", "allowRecursion": "allow_recursion"}
	return s
}

func attachmentShape() *shape {
	return keysOf(map[string]*shape{
		"max_attachments": countShape(0, 1000), "max_total_bytes": sizeShape(),
		"allowed_suffixes": listOf(suffixShape()), "denied_suffixes": listOf(suffixShape()),
	})
}

func suffixShape() *shape {
	return textShape(func(s string) string {
		if p := nameProblem(s); p != "" {
			return p
		}
		if strings.ContainsAny(s, "/\\*?") || s == "." {
			return quoted(s) + " is no file suffix such as .pdf"
		}
		return ""
	})
}

// suffixes are lower case and begin with a dot.
func (n *node) suffixes() []string {
	out := n.texts()
	for i, s := range out {
		out[i] = "." + strings.TrimPrefix(strings.ToLower(s), ".")
	}
	return out
}

func providersShape() *shape {
	s := mapOf(keysOf(map[string]*shape{
		"base_url": textShape(urlProblem), "api_key_env": textShape(nameProblem),
		"headers": mapOf(textShape(nil)), "image": flagShape(), "pdf": flagShape(),
		"json": wordShape("schema", "object", "none"), "api": wordShape("chat", "responses", "anthropic"),
		"query": mapOf(textShape(nil)), "quirks": quirksShape(),
	}))
	s.key = func(name string) string {
		if p := nameProblem(name); p != "" {
			return p
		}
		if strings.ContainsAny(name, ":/* ") {
			return "is no provider name: it stands before the colon of provider:name"
		}
		return ""
	}
	return s
}

// quirksShape is where a provider departs from its protocol.
func quirksShape() *shape {
	settings := keysOf(map[string]*shape{})
	for name := range modelSettingsShape().keys {
		if name != "extra" {
			settings.keys[name] = textShape(nil)
		}
	}
	return keysOf(map[string]*shape{
		"no_usage": flagShape(), "json_alone": flagShape(), "key_header": textShape(nameProblem), "settings": settings,
		"carry": listOf(textShape(func(s string) string {
			if slices.Contains([]string{"role", "content", "tool_calls", "tool_call_id", "id", "type", "function", "name"}, s) {
				return quoted(s) + " is golem's own to send"
			}
			return nameProblem(s)
		})),
	})
}

func urlProblem(s string) string {
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(s, "http://")
	}
	if !ok || rest == "" || rest[0] == '/' || invisible(s) || strings.ContainsAny(s, " \"<>") {
		return quoted(s) + " is no http or https address"
	}
	return ""
}

func workersShape() *shape {
	paths := listOf(textShape(dirProblem))
	paths.rewrite = func(_ *conformer, n *node, _ string) *node {
		if n.kind == scalar && n.tag == tagText {
			return &node{at: n.at, kind: list, items: []*node{n}}
		}
		return n
	}
	s := keysOf(map[string]*shape{"paths": paths, "include": listOf(globShape()), "exclude": listOf(globShape())})
	s.aliases = map[string]string{"root": "paths"}
	return s
}
