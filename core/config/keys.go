package config

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
	WorkerShape   = newWorkerShape()
	ManifestShape = newManifestShape()
)

func newWorkerShape() *yamltree.Shape {
	s := yamltree.KeysOf(map[string]*yamltree.Shape{
		"name":               key("The ID of the worker again. In workers/ it is the path of the file there, without the extension.", yamltree.Text(yamltree.NameProblem)),
		"description":        key("What a caller is told about the worker.", yamltree.Text(nil)),
		"model":              key("provider:name, script:FILE or replay:FILE. A list is asked in order, the next where one is overloaded or gone.", modelsShape()),
		"compatible_models":  key("Patterns such as openai:*, one of which the model must match.", &yamltree.Shape{Kind: yamltree.List, Each: globShape(), Needed: true}),
		"mode":               key("single: one answer a run, the default; chat: a conversation.", yamltree.OneOf("single", "chat")),
		"instructions":       key("The prompt, if the file has no body.", instructionsShape()),
		"template":           key("true: the instructions are a template, also without template syntax; false: they are plain text, also with it.", yamltree.Flag()),
		"toolsets":           key("The toolsets whose tools the worker gets, and their options.", toolsetsShape()),
		"imports":            key("Makes workers and tool modules available; it permits nothing.", yamltree.KeysOf(map[string]*yamltree.Shape{"workers": key("Workers by reference.", yamltree.ListOf(yamltree.Text(yamltree.NameProblem))), "tools": key("Tool modules: ./tools/fmt, or the path of a source with its .wasm beside it.", yamltree.ListOf(yamltree.Text(yamltree.NameProblem)))})),
		"tool_rules":         key("Rules by the tool's name, or worker.call, sandbox.read or sandbox.write; another spelling of approval settings.", toolsShape(yamltree.KeysOf(map[string]*yamltree.Shape{"allowed": key("false: the tool is blocked.", yamltree.Flag()), "approval_required": key("true: its calls ask; false: they are preApproved.", yamltree.Flag())}))),
		"allow_workers":      key("The same as toolsets.workers.allowed_workers.", allowedShape()),
		"sandbox":            key("The files that the worker sees, and whether its tools reach the network.", sandboxShape()),
		"input_schema":       key("The JSON Schema of the input: a mapping, file.json, file.json#/$defs/Name or file.json:Name.", schemaShape()),
		"output_schema":      key("The JSON Schema of the answer, written as input_schema.", schemaShape()),
		"output_schema_from": key("A field of input_schema: the caller gives in it the JSON Schema that the answer must fit.", yamltree.Text(yamltree.NameProblem)),
		"attachment_policy":  key("The attachments that the worker takes.", attachmentShape()),
		"allow_empty_input":  key("true: the worker runs without an input.", yamltree.Flag()),
		"max_context_tokens": key("The most tokens that a request may have before golem compacts the conversation. golem never fills more than three quarters of what the model is known to read. 0: only that limit.", yamltree.Count(0, 1e9)),
		"limits":             key("What a run of the worker may use at most.", limitsShape()),
		"retry":              key("How failed requests to the model are repeated.", retryShape()),
		"vars":               key("Values of any kind, by name, which a template uses as vars.NAME.", varsShape()),
		"delegation":         key("How the worker may call other workers.", delegationShape()),
		"model_settings":     key("Settings of the model, such as the temperature.", modelSettingsShape()),
		"context":            key("Files of the project that the worker is given with its instructions, marked as the project's text: AGENTS.md.", yamltree.ListOf(yamltree.OneOf("AGENTS.md"))),
		"hardened":           key("A module that answers before the model.", hardenedShape()),
		"server_tools":       key("Tools that the model's provider runs, which golem cannot gate; they need sandbox.network_enabled.", yamltree.ListOf(yamltree.OneOf("web_search", "code_execution"))),
	})
	s.Foreign = foreign(s, ForeignWorkerKeys)
	s.Later = LaterWorkerKeys
	s.Aliases = map[string]string{
		"schema_in_ref": "input_schema", "output_schema_ref": "output_schema",
	}
	return s
}

// key returns the shape of a key that is for what doc says. A key is declared where its
// mapping is: the reader, the JSON Schemas and the pages of docs/keys come from there.
func key(doc string, s *yamltree.Shape) *yamltree.Shape {
	out := *s
	out.Doc = doc
	return &out
}

// named gives a shape a name in the JSON Schemas, because several keys have it.
func named(name string, s *yamltree.Shape) *yamltree.Shape {
	s.Name = name
	return s
}

// inJSON gives a shape its JSON Schema.
func inJSON(schema string, s *yamltree.Shape) *yamltree.Shape {
	s.JSON = schema
	return s
}

// schemaVersion returns the shape of schema_version, which can only be 1.
func schemaVersion() *yamltree.Shape {
	return inJSON(`{"const": 1}`, yamltree.ScalarOf("1", func(n *yamltree.Node) (string, string) {
		if n.Tag == yamltree.TagInt && n.Text == "1" {
			return "", ""
		}
		return "version " + fault.Brief(n.Text) + " is not known: this golem reads schema_version 1", ""
	}))
}

func newManifestShape() *yamltree.Shape {
	s := yamltree.KeysOf(map[string]*yamltree.Shape{
		"schema_version": key("The version of this format.", schemaVersion()),
		"version":        key("The project's version in quotes; the integer 1 means schema_version.", inJSON(`{"oneOf": [{"type": "string"}, {"const": 1}]}`, yamltree.ScalarOf("text", versionProblem))),
		"name":           key("The project's name for people.", yamltree.Text(yamltree.NameProblem)),
		"description":    key("What the project does.", yamltree.Text(nil)),
		"entry":          key("The worker a run begins with.", yamltree.Text(yamltree.NameProblem)),
		"model":          key("Default for all workers. A list is asked in order, the next where one is overloaded or gone.", modelsShape()),
		"dependencies":   key("The libraries that the project uses: NAME, NAME@VERSION or git+URL@TAG.", dependenciesShape()),
		"exports":        key("Workers for others; with it a project needs no entry.", exportsShape()),
		"workers":        key("Where workers are; the globs are for listing and checking.", workersShape()),
		"worker_paths":   key("The same as workers.paths.", yamltree.ListOf(yamltree.Text(dirProblem))),
		"prompts":        key("Where prompts and templates are.", yamltree.KeysOf(map[string]*yamltree.Shape{"root": key("Their directory, from the project root.", yamltree.Text(dirProblem))})),
		"tools": key("Where tool modules are, beside tools.wasm and tools/.", yamltree.KeysOf(map[string]*yamltree.Shape{
			"roots": key("Directories whose .wasm files are tools, beside tools/. Default: [tools, toolsets].", yamltree.ListOf(yamltree.Text(dirProblem))), "modules": key("Single modules.", yamltree.ListOf(yamltree.Text(yamltree.NameProblem))),
			"allow_module_imports": key("pkg.mod:register may name a module of $GOLEM_HOME/tools.", yamltree.Flag()), "engine": key("What runs tool modules; auto, the default: what the platform has.", yamltree.OneOf("auto", "wazero", "browser")), "offer": key("Who is offered the tools of modules: all workers (the default), or those that have toolsets.custom.", yamltree.OneOf("all", "listed")),
		})),
		"toolsets":   key("Toolsets for all workers.", toolsetsShape()),
		"sandbox":    key("The sandbox for all workers.", sandboxShape()),
		"approval":   key("Whether calls ask, for all workers.", projectApprovalShape()),
		"delegation": key("How workers may call each other, for all workers.", delegationShape()),
		"clearance":  key("Where staged changes go when you push them.", clearanceShape()),
		"providers":  key("Your own model providers, as in a manifest.", providersShape()),
		"limits":     key("What a run of a worker may use at most, for all workers.", limitsShape()),
		"retry":      key("How failed requests to a model are repeated, for all workers.", retryShape()),
		"vars":       key("Values of any kind, by name, which templates use as vars.NAME. A worker's own come before them.", varsShape()),

		"model_settings": key("For all workers.", modelSettingsShape()),
	})
	s.Foreign = foreign(s, ForeignManifestKeys)
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
		return ManifestShape
	}
	return WorkerShape
}

// varsShape returns the shape of vars: any values by name.
func varsShape() *yamltree.Shape { return yamltree.MapOf(&yamltree.Shape{Any: true}) }

// ModelProblem returns what is wrong with the name of a model, which is provider:name; ""
// if nothing is. device stands without a name.
func ModelProblem(s string) string {
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
	return &yamltree.Shape{Any: true, Want: "a JSON Schema or the path of one", JSON: `{"type": ["object", "string"]}`, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		if n.Kind == yamltree.List || n.Kind == yamltree.Scalar && (n.Tag != yamltree.TagText || n.Text == "") {
			c.Fail(n.Pos, "", "%s: expected a JSON Schema or the path of one, found %s", path, n.Found())
			return nil
		}
		return n
	}}
}

func settingShape() *yamltree.Shape {
	s := inJSON(`{"enum": ["preApproved", "pre_approved", "ask", "blocked"]}`, yamltree.OneOf("preApproved", "ask", "blocked"))
	s.Rewrite = func(_ *yamltree.Conformer, n *yamltree.Node, _ string) *yamltree.Node {
		if n.Kind == yamltree.Scalar && n.Text == "pre_approved" {
			c := *n
			c.Text = "preApproved"
			return &c
		}
		return n
	}
	return named("setting", s)
}

// SettingOf returns the approval setting of a checked value; "" for nil.
func SettingOf(n *yamltree.Node) approval.Setting { return approval.Setting(n.String()) }

func toolApprovalShape() *yamltree.Shape {
	return named("toolApproval", yamltree.KeysOf(map[string]*yamltree.Shape{"default": key("What happens to calls of tools that are not named under tools.", settingShape()), "tools": key("What happens to the calls of a tool, by its name.", toolsShape(settingShape()))}))
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
		"tool": key("The tool's name.", yamltree.Text(oneToolProblem)), "when": key("The arguments that a call must have, each with a pattern such as /out/**. An empty pattern is for an argument that is not given. The command of run_command is matched word by word, each part of a list or pipeline by itself.", yamltree.MapOf(yamltree.Text(func(s string) string {
			if s == "" {
				return "" // the argument is not given
			}
			return globProblem(s)
		}))), "decide": key("What happens to a call that fits.", settingShape()), "server": key("For a tool of an MCP server: the server's configuration and the tool's description, as golem writes them into a rule that you keep. The rule then fits no other tool.", yamltree.Text(yamltree.NameProblem)),
	})
	rule.Musts = []string{"tool", "decide"}
	return named("approval", yamltree.KeysOf(map[string]*yamltree.Shape{
		"mode":    key("interactive: golem asks you; approve_all: what would ask runs; auto_deny: it is refused.", modeShape()),
		"default": key("What happens to calls of tools that neither rules nor tools name.", settingShape()),
		"tools":   key("What happens to the calls of a tool, by its name.", toolsShape(settingShape())),
		"rules":   key("Rules for calls with certain arguments; the first that fits counts.", yamltree.ListOf(rule)),
		"taint":   key("After untrusted content (a command's output, an attachment) every call that can reach the network or run a command asks, even if preApproved.", yamltree.OneOf("ask")),
	}))
}

func modeShape() *yamltree.Shape {
	return yamltree.Text(func(s string) string {
		if _, err := ParseMode(s); err != nil {
			return err.Message
		}
		return ""
	})
}

// limitsShape returns the shape of limits.
func limitsShape() *yamltree.Shape {
	return named("limits", yamltree.KeysOf(map[string]*yamltree.Shape{
		"turns": key("Requests to the model; default 200.", yamltree.Count(1, 1e6)), "tool_timeout": key("How long one call of a tool may take; default 30s.", yamltree.Duration()), "worker_timeout": key("How long a run of the worker may take; default 10m.", yamltree.Duration()),
		"model_timeout": key("How long one request to the model may take; default 2m.", yamltree.Duration()), "tokens": key("0: no limit.", yamltree.Count(0, 1e12)), "tool_output": key("The size of one result of a tool; default 50KB.", yamltree.Size()),
		"cost": key("US dollars, at most six decimals; 0: no limit.", dollarShape()),
	}))
}

func retryShape() *yamltree.Shape {
	return named("retry", yamltree.KeysOf(map[string]*yamltree.Shape{"attempts": key("How often one request is tried; default 3.", yamltree.Count(1, 10))}))
}

func delegationShape() *yamltree.Shape {
	s := yamltree.KeysOf(map[string]*yamltree.Shape{
		"max_depth": key("The greatest depth at which a worker runs, the first one has depth 0; default 5.", yamltree.Count(0, 100)), "warn_depth": key("Deeper than this golem warns; default 3.", yamltree.Count(0, 100)),
		"parallel": key("How many calls of one answer run at the same time; default 8.", yamltree.Count(1, 256)), "allow_recursion": key("true: a worker may be called again below itself, if it allows itself.", yamltree.Flag()),
	})
	s.Aliases = map[string]string{"maxDepth": "max_depth", "warnDepth": "warn_depth", "allowRecursion": "allow_recursion"}
	return named("delegation", s)
}

func attachmentShape() *yamltree.Shape {
	return yamltree.KeysOf(map[string]*yamltree.Shape{
		"max_attachments": key("How many; default 4.", yamltree.Count(0, 1000)), "max_total_bytes": key("The bytes of all together; default 10,000,000.", yamltree.Size()),
		"allowed_suffixes": key("Only files that end in one of these.", &yamltree.Shape{Kind: yamltree.List, Each: suffixShape(), Needed: true}), "denied_suffixes": key("No files that end in one of these.", yamltree.ListOf(suffixShape())),
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

// Suffixes returns a list of suffixes in lower case, each with a dot at the beginning.
func Suffixes(n *yamltree.Node) []string {
	out := n.Texts()
	for i, s := range out {
		out[i] = "." + strings.TrimPrefix(strings.ToLower(s), ".")
	}
	return out
}

func providersShape() *yamltree.Shape {
	s := yamltree.MapOf(yamltree.KeysOf(map[string]*yamltree.Shape{
		"base_url": key("The address without /chat/completions; default that of the built-in provider of this name.", yamltree.Text(urlProblem)), "api_key_env": key("The variable that has the key; without it golem sends no key.", yamltree.Text(yamltree.NameProblem)),
		"headers": key("Sent with each request.", yamltree.MapOf(yamltree.Text(nil))), "image": key("Its models take images.", yamltree.Flag()), "pdf": key("Its models take PDF files.", yamltree.Flag()),
		"json": key("How the provider makes an answer fit a JSON Schema: by the schema, as any JSON object, or not at all.", yamltree.OneOf("schema", "object", "none")), "api": key("The protocol; chat is chat completions.", yamltree.OneOf("chat", "responses", "anthropic")),
		"query": key("Added to each address.", yamltree.MapOf(yamltree.Text(nil))), "quirks": key("Where it differs from the protocol.", quirksShape()), "models": key("What the provider's models read at most and what they cost; * stands for those that are not named.", factsShape()),
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
	return named("providers", s)
}

// quirksShape returns the shape of quirks: the points in which a provider differs from
// its protocol.
func quirksShape() *yamltree.Shape {
	settings := yamltree.KeysOf(map[string]*yamltree.Shape{})
	for name := range modelSettingsShape().Keys {
		if name != "extra" {
			settings.Keys[name] = key("What it calls "+name+".", yamltree.Text(nil))
		}
	}
	foreign := func(s string) string {
		if slices.Contains([]string{"role", "content", "tool_calls", "tool_call_id", "id", "type", "function", "name"}, s) {
			return fault.Quoted(s) + " is a field that golem sets itself"
		}
		return yamltree.NameProblem(s)
	}
	return named("quirks", yamltree.KeysOf(map[string]*yamltree.Shape{
		"no_usage": key("It refuses stream_options.", yamltree.Flag()), "no_stream": key("It cannot stream: golem asks for the whole answer at once.", yamltree.Flag()), "json_alone": key("It refuses a response format beside tools.", yamltree.Flag()), "key_header": key("The header that has the key as it is; without it Authorization, after Bearer.", yamltree.Text(yamltree.NameProblem)), "settings": key("What it calls a setting, a.b for a member of a member; an empty text: it has none.", settings),
		"carry": key("Members of an answer that go back unchanged with the history.", yamltree.ListOf(yamltree.Text(foreign))), "no_user_after_tool": key("It refuses a user's message right after a tool's result.", yamltree.Flag()),
		"fill": key("Members that it wants on each answer with calls, and the text for answers that came without; tool_calls.NAME for the first call's.", &yamltree.Shape{Kind: yamltree.Mapping, Each: yamltree.Text(nil), Key: func(s string) string {
			first, _, _ := strings.Cut(strings.TrimPrefix(s, "tool_calls."), ".")
			return foreign(first)
		}}),
	}))
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
	paths.Or = []string{`{"type": "string"}`}
	paths.Rewrite = func(_ *yamltree.Conformer, n *yamltree.Node, _ string) *yamltree.Node {
		if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagText {
			return &yamltree.Node{Pos: n.Pos, Kind: yamltree.List, Items: []*yamltree.Node{n}}
		}
		return n
	}
	s := yamltree.KeysOf(map[string]*yamltree.Shape{"paths": key("Directories of workers; default workers.", paths), "include": key("Globs of files that are listed and checked; default all.", yamltree.ListOf(globShape())), "exclude": key("Globs of files that are neither listed nor checked.", yamltree.ListOf(globShape()))})
	s.Aliases = map[string]string{"root": "paths"}
	return s
}
