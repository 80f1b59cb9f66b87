package project

import (
	"fmt"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/yamltree"
)

// The tables of every key golem knows (SPEC §2, §3). They are built once and
// only read.
var (
	workerShape   = newWorkerShape()
	manifestShape = newManifestShape()
)

func newWorkerShape() *yamltree.Shape {
	s := yamltree.KeysOf(map[string]*yamltree.Shape{
		"name":               yamltree.Text(yamltree.NameProblem),
		"description":        yamltree.Text(nil),
		"model":              modelsShape(),
		"compatible_models":  {Kind: yamltree.List, Each: globShape(), Needed: true},
		"mode":               yamltree.OneOf("single", "chat"),
		"instructions":       instructionsShape(),
		"template":           yamltree.Flag(),
		"toolsets":           toolsetsShape(),
		"imports":            yamltree.KeysOf(map[string]*yamltree.Shape{"workers": yamltree.ListOf(yamltree.Text(yamltree.NameProblem)), "tools": yamltree.ListOf(yamltree.Text(yamltree.NameProblem))}),
		"tool_rules":         toolsShape(yamltree.KeysOf(map[string]*yamltree.Shape{"allowed": yamltree.Flag(), "approval_required": yamltree.Flag()})),
		"allow_workers":      allowedShape(),
		"sandbox":            sandboxShape(),
		"input_schema":       schemaShape(),
		"output_schema":      schemaShape(),
		"output_schema_from": yamltree.Text(yamltree.NameProblem),
		"attachment_policy":  attachmentShape(),
		"allow_empty_input":  yamltree.Flag(),
		"max_context_tokens": yamltree.Count(0, 1e9),
		"limits":             limitsShape(),
		"retry":              retryShape(),
		"vars":               varsShape(),
		"delegation":         delegationShape(),
		"model_settings":     modelSettingsShape(),
	})
	s.Foreign = foreign(s, foreignWorkerKeys)
	s.Later = laterWorkerKeys
	s.Aliases = map[string]string{
		"schema_in_ref": "input_schema", "output_schema_ref": "output_schema",
	}
	return s
}

// schemaVersion returns the shape of schema_version, which can only be 1.
func schemaVersion() *yamltree.Shape {
	return yamltree.ScalarOf("1", func(n *yamltree.Node) (string, string) {
		if n.Tag == yamltree.TagInt && n.Text == "1" {
			return "", ""
		}
		return "version " + fault.Brief(n.Text) + " is not known: this golem reads schema_version 1", ""
	})
}

func newManifestShape() *yamltree.Shape {
	s := yamltree.KeysOf(map[string]*yamltree.Shape{
		"schema_version": schemaVersion(),
		"version":        yamltree.ScalarOf("text", versionProblem),
		"name":           yamltree.Text(yamltree.NameProblem),
		"description":    yamltree.Text(nil),
		"entry":          yamltree.Text(yamltree.NameProblem),
		"model":          modelsShape(),
		"dependencies":   dependenciesShape(),
		"exports":        exportsShape(),
		"workers":        workersShape(),
		"worker_paths":   yamltree.ListOf(yamltree.Text(dirProblem)),
		"prompts":        yamltree.KeysOf(map[string]*yamltree.Shape{"root": yamltree.Text(dirProblem)}),
		"tools": yamltree.KeysOf(map[string]*yamltree.Shape{
			"roots": yamltree.ListOf(yamltree.Text(dirProblem)), "modules": yamltree.ListOf(yamltree.Text(yamltree.NameProblem)),
			"allow_module_imports": yamltree.Flag(), "engine": yamltree.OneOf("auto", "wazero", "browser"), "offer": yamltree.OneOf("all", "listed"),
		}),
		"toolsets":   toolsetsShape(),
		"sandbox":    sandboxShape(),
		"approval":   projectApprovalShape(),
		"delegation": delegationShape(),
		"clearance":  clearanceShape(),
		"providers":  providersShape(),
		"limits":     limitsShape(),
		"retry":      retryShape(),
		"vars":       varsShape(),

		"model_settings": modelSettingsShape(),
	})
	s.Foreign = foreign(s, foreignManifestKeys)
	s.Aliases = map[string]string{"workerPaths": "worker_paths"}
	return s
}

// Misspelt calls respell for each key and value of a worker's front matter, or
// of a manifest, that is wrong only in its spelling (see yamltree.Conformer).
func Misspelt(tree *yamltree.Node, manifest bool, respell func(at yamltree.Pos, has, write string)) {
	(&yamltree.Conformer{Respell: respell}).Conform(tree, shapeOf(manifest), "")
}

// Known returns the part of a worker's front matter, or of a manifest, that golem
// reads, in its usual spelling; nil if there is none.
func Known(tree *yamltree.Node, manifest bool) *yamltree.Node {
	return (&yamltree.Conformer{}).Conform(tree, shapeOf(manifest), "")
}

func shapeOf(manifest bool) *yamltree.Shape {
	if manifest {
		return manifestShape
	}
	return workerShape
}

// varsShape returns the shape of vars: any values by name.
func varsShape() *yamltree.Shape { return yamltree.MapOf(&yamltree.Shape{Any: true}) }

func modelProblem(s string) string {
	if p := yamltree.NameProblem(s); p != "" {
		return p
	}
	if provider, name, ok := strings.Cut(s, ":"); !ok || provider == "" || name == "" && provider != "device" || strings.Contains(provider, "/") {
		return fault.Quoted(s) + " is not of the form provider:name"
	}
	return ""
}

// versionProblem checks `version:`, which has two meanings: the integer 1 is the
// manifest's format (S2-39), a text is the project's own version (S1-19).
func versionProblem(n *yamltree.Node) (string, string) {
	switch {
	case n.Tag == yamltree.TagInt && n.Text != "1":
		return "format " + fault.Brief(n.Text) + " is not known: this golem reads version: 1", fmt.Sprintf("if it is the project's own version, put it in quotes: \"%s\"", fault.Brief(n.Text))
	case n.Tag == yamltree.TagInt:
		return "", ""
	case n.Tag != yamltree.TagText:
		return "expected text, found " + n.Found(), fmt.Sprintf("put it in quotes: \"%s\"", fault.Brief(n.Text))
	}
	return versionNumber(n.Text)
}

// instructionsShape returns the shape of instructions. A key without text counts as no
// key, so that the prompt file is used.
func instructionsShape() *yamltree.Shape {
	s := yamltree.Text(nil)
	s.Rewrite = func(_ *yamltree.Conformer, n *yamltree.Node, _ string) *yamltree.Node {
		if n.Kind == yamltree.Scalar && (n.Tag == yamltree.TagNull || n.Tag == yamltree.TagText && strings.TrimSpace(n.Text) == "") {
			return nil
		}
		return n
	}
	return s
}

func schemaShape() *yamltree.Shape {
	return &yamltree.Shape{Any: true, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		if n.Kind == yamltree.List || n.Kind == yamltree.Scalar && (n.Tag != yamltree.TagText || n.Text == "") {
			c.Fail(n.Pos, "", "%s: expected a JSON Schema or the path of one, found %s", path, n.Found())
			return nil
		}
		return n
	}}
}

func settingShape() *yamltree.Shape {
	s := yamltree.OneOf("preApproved", "ask", "blocked")
	s.Rewrite = func(_ *yamltree.Conformer, n *yamltree.Node, _ string) *yamltree.Node {
		if n.Kind == yamltree.Scalar && n.Text == "pre_approved" {
			c := *n
			c.Text = "preApproved"
			return &c
		}
		return n
	}
	return s
}

func setting(n *yamltree.Node) approval.Setting { return approval.Setting(n.String()) }

func toolApprovalShape() *yamltree.Shape {
	return yamltree.KeysOf(map[string]*yamltree.Shape{"default": settingShape(), "tools": toolsShape(settingShape())})
}

// toolsShape returns the shape of a mapping whose keys are names of tools.
func toolsShape(each *yamltree.Shape) *yamltree.Shape {
	s := yamltree.MapOf(each)
	s.Key = oneToolProblem
	return s
}

// oneToolProblem returns what is wrong with the name of the tool that an approval
// setting is for. A pattern is refused because it would match no tool, so that
// "blocked" would have no effect.
func oneToolProblem(name string) string {
	if strings.ContainsAny(name, "*?[]{}") {
		return fault.Quoted(name) + " is a pattern, and an approval setting names one tool: default, of the toolset or of the manifest's approval, is for all others"
	}
	return yamltree.NameProblem(name)
}

func projectApprovalShape() *yamltree.Shape {
	rule := yamltree.KeysOf(map[string]*yamltree.Shape{
		"tool": yamltree.Text(oneToolProblem), "when": yamltree.MapOf(yamltree.Text(func(s string) string {
			if s == "" {
				return "" // the argument is not given
			}
			return globProblem(s)
		})), "decide": settingShape(), "server": yamltree.Text(yamltree.NameProblem),
	})
	rule.Musts = []string{"tool", "decide"}
	return yamltree.KeysOf(map[string]*yamltree.Shape{
		"mode":    modeShape(),
		"default": settingShape(),
		"tools":   toolsShape(settingShape()),
		"rules":   yamltree.ListOf(rule),
		"taint":   yamltree.OneOf("ask"),
	})
}

func modeShape() *yamltree.Shape {
	return yamltree.Text(func(s string) string {
		if _, err := ParseMode(s); err != nil {
			return err.Message
		}
		return ""
	})
}

func limitsShape() *yamltree.Shape {
	return yamltree.KeysOf(map[string]*yamltree.Shape{
		"turns": yamltree.Count(1, 1e6), "tool_timeout": yamltree.Duration(), "worker_timeout": yamltree.Duration(),
		"model_timeout": yamltree.Duration(), "tokens": yamltree.Count(0, 1e12), "tool_output": yamltree.Size(),
		"cost": dollarShape(priceDecimals),
	})
}

func retryShape() *yamltree.Shape {
	return yamltree.KeysOf(map[string]*yamltree.Shape{"attempts": yamltree.Count(1, 10)})
}

func delegationShape() *yamltree.Shape {
	s := yamltree.KeysOf(map[string]*yamltree.Shape{
		"max_depth": yamltree.Count(0, 100), "warn_depth": yamltree.Count(0, 100),
		"parallel": yamltree.Count(1, 256), "allow_recursion": yamltree.Flag(),
	})
	s.Aliases = map[string]string{"maxDepth": "max_depth", "warnDepth": "warn_depth", "allowRecursion": "allow_recursion"}
	return s
}

func attachmentShape() *yamltree.Shape {
	return yamltree.KeysOf(map[string]*yamltree.Shape{
		"max_attachments": yamltree.Count(0, 1000), "max_total_bytes": yamltree.Size(),
		"allowed_suffixes": {Kind: yamltree.List, Each: suffixShape(), Needed: true}, "denied_suffixes": yamltree.ListOf(suffixShape()),
	})
}

func suffixShape() *yamltree.Shape {
	return yamltree.Text(func(s string) string {
		if p := yamltree.NameProblem(s); p != "" {
			return p
		}
		if strings.ContainsAny(s, "/\\*?") || s == "." {
			return fault.Quoted(s) + " is not a file suffix; write it like .pdf"
		}
		return ""
	})
}

// suffixes returns a list of suffixes in lower case, each with a dot at the beginning.
func suffixes(n *yamltree.Node) []string {
	out := n.Texts()
	for i, s := range out {
		out[i] = "." + strings.TrimPrefix(strings.ToLower(s), ".")
	}
	return out
}

func providersShape() *yamltree.Shape {
	s := yamltree.MapOf(yamltree.KeysOf(map[string]*yamltree.Shape{
		"base_url": yamltree.Text(urlProblem), "api_key_env": yamltree.Text(yamltree.NameProblem),
		"headers": yamltree.MapOf(yamltree.Text(nil)), "image": yamltree.Flag(), "pdf": yamltree.Flag(),
		"json": yamltree.OneOf("schema", "object", "none"), "api": yamltree.OneOf("chat", "responses", "anthropic"),
		"query": yamltree.MapOf(yamltree.Text(nil)), "quirks": quirksShape(), "models": factsShape(),
	}))
	s.Key = func(name string) string {
		if p := yamltree.NameProblem(name); p != "" {
			return p
		}
		if strings.ContainsAny(name, ":/* ") {
			return "is not a provider name: write the part before the colon of provider:name"
		}
		return ""
	}
	return s
}

// quirksShape returns the shape of quirks: the points in which a provider differs from
// its protocol.
func quirksShape() *yamltree.Shape {
	settings := yamltree.KeysOf(map[string]*yamltree.Shape{})
	for name := range modelSettingsShape().Keys {
		if name != "extra" {
			settings.Keys[name] = yamltree.Text(nil)
		}
	}
	foreign := func(s string) string {
		if slices.Contains([]string{"role", "content", "tool_calls", "tool_call_id", "id", "type", "function", "name"}, s) {
			return fault.Quoted(s) + " is a field that golem sets itself"
		}
		return yamltree.NameProblem(s)
	}
	return yamltree.KeysOf(map[string]*yamltree.Shape{
		"no_usage": yamltree.Flag(), "json_alone": yamltree.Flag(), "key_header": yamltree.Text(yamltree.NameProblem), "settings": settings,
		"carry": yamltree.ListOf(yamltree.Text(foreign)), "no_user_after_tool": yamltree.Flag(),
		"fill": {Kind: yamltree.Mapping, Each: yamltree.Text(nil), Key: func(s string) string {
			first, _, _ := strings.Cut(strings.TrimPrefix(s, "tool_calls."), ".")
			return foreign(first)
		}},
	})
}

func urlProblem(s string) string {
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(s, "http://")
	}
	if !ok || rest == "" || rest[0] == '/' || yamltree.Invisible(s) || strings.ContainsAny(s, " \"<>") {
		return fault.Quoted(s) + " is not an http or https address"
	}
	return ""
}

func workersShape() *yamltree.Shape {
	paths := yamltree.ListOf(yamltree.Text(dirProblem))
	paths.Rewrite = func(_ *yamltree.Conformer, n *yamltree.Node, _ string) *yamltree.Node {
		if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagText {
			return &yamltree.Node{Pos: n.Pos, Kind: yamltree.List, Items: []*yamltree.Node{n}}
		}
		return n
	}
	s := yamltree.KeysOf(map[string]*yamltree.Shape{"paths": paths, "include": yamltree.ListOf(globShape()), "exclude": yamltree.ListOf(globShape())})
	s.Aliases = map[string]string{"root": "paths"}
	return s
}
