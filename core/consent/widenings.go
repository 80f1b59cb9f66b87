package consent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/model"
	"golem/core/project"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trust"
)

// beyond lists what the files of a project allow beyond its sandbox, trusted or not.
type beyond struct {
	project     *project.Project
	checkers    Checkers
	person      *config.Person
	env, dotEnv map[string]string // of Source
	changes     *Changes
}

// all returns the widenings of the whole project, see Consent.Widenings.
func (b *beyond) all(ctx context.Context) trust.List {
	workers := b.project.Workers.Used()
	if entry, err := b.project.Workers.Entry(); err == nil && !slices.Contains(workers, entry) {
		workers = append(workers, entry)
	}
	list := b.widenings(ctx, workers)
	for name := range b.project.Manifest.Providers {
		list = append(list, b.providerWidenings(name)...)
	}
	return slices.Concat(list, b.byCommands(everyFile), b.remotes("")).Sorted()
}

// remotes returns where a push to the clearance targets also sends commits: of all targets,
// or of one.
func (b *beyond) remotes(target string) (out trust.List) {
	for _, s := range b.project.Trees.Own().Remotes() {
		if target == "" || s.Key == target {
			out = append(out, asWidening(s, "", "a push to the target "+s.Key+" also sends the branch there, with your own login").As(trust.Hosts))
		}
	}
	return out
}

// needed returns the widenings of the entry's static closure.
func (b *beyond) needed(ctx context.Context, entry *project.Worker) trust.List {
	closure, err := b.project.Workers.Closure(entry)
	if err != nil {
		return nil // the run says what is wrong
	}
	return slices.Concat(b.widenings(ctx, closure), b.byCommands(everyFile), b.remotes("")).Sorted()
}

func (b *beyond) widenings(ctx context.Context, workers []*project.Worker) trust.List {
	specs := b.checkers.Checker()
	digests := map[string]string{}
	var out trust.List
	for _, w := range workers {
		out = append(out, b.workerWidenings(ctx, w, specs, digests)...)
	}
	return out.Sorted()
}

// workerWidenings returns the widenings of one worker: the grants of its modules, its
// approval settings, the providers of its models, its shell commands, MCP servers and
// model settings. digests keeps the digests of modules by path.
func (b *beyond) workerWidenings(ctx context.Context, w *project.Worker, specs *run.Checker, digests map[string]string) trust.List {
	modules := b.modulesOf(w, digests)
	out := b.grants(w, modules)
	for _, m := range modules {
		if m.FromHome() {
			if said, ok := b.project.Trees.Own().ModuleImports(); ok {
				out = append(out, asWidening(said, "", "modules from outside the project run in it").As(trust.Outside))
			}
		}
	}
	if w.Policy.PreApproves() {
		for _, spec := range slices.Concat(specs.Specs(ctx, w), undescribed(out), b.remote(w)) {
			for _, s := range approval.Widens(spec, w.Policy) {
				out = append(out, b.settingLine(s, spec))
			}
		}
	}
	for _, one := range w.Models() {
		if provider, _, ok := strings.Cut(one.Model, ":"); ok {
			out = append(out, b.providerWidenings(provider)...)
		}
	}
	return slices.Concat(out, b.commands(w), b.servers(w, ""), b.extras(w), b.serverTools(w))
}

// commands returns what lets the worker's commands reach beyond the project.
func (b *beyond) commands(w *project.Worker) trust.List {
	var out trust.List
	for _, s := range w.CommandGrants() {
		means, danger := "its commands reach more than the project", trust.Outside
		switch s.Key {
		case "network":
			if !w.Sandbox.Network {
				continue // they reach nothing
			}
			means, danger = "its commands can send what they read to any host", trust.Hosts
		case "read":
			means = "its commands can read what is in " + s.Value
		case "write":
			means = "its commands can change what is in " + s.Value
		case "env":
			means, danger = "its commands get the value of "+s.Value, trust.Keys
		case "system_shell":
			means, danger = "the system's shell reads its commands, which may differ from what rules take them for", trust.Commands
		}
		out = append(out, asWidening(s, "", means).As(danger))
	}
	return out
}

// extras returns what the project's files add to each request to a worker's model.
func (b *beyond) extras(w *project.Worker) trust.List {
	var out trust.List
	for _, s := range b.project.Extras(w) {
		out = append(out, asWidening(s, "", "it is sent with each request and can turn on features of the provider"))
	}
	return out
}

// serverTools returns the tools that a worker asks its provider to run. golem sees such a call
// only when it has run.
func (b *beyond) serverTools(w *project.Worker) trust.List {
	var out trust.List
	for _, s := range w.ServerToolsSaid() {
		means := "the provider runs this tool without asking, with whatever the model has read"
		switch s.Value {
		case model.WebSearch:
			means = "the provider searches the web without asking, with words that come from whatever the model has read"
		case model.CodeExecution:
			means = "the provider runs the model's code without asking, on its own machine, with whatever the model has read"
		}
		out = append(out, asWidening(s, "", means).As(trust.Hosts))
	}
	return out
}

// undescribed returns placeholders for tools that are not known without running a
// module: one for each host that a module was granted.
func undescribed(grants trust.List) []tool.Spec {
	var out []tool.Spec
	for _, g := range grants {
		if g.Module != "" && strings.HasSuffix(g.Path, ".allowed_hosts") {
			out = append(out, tool.Spec{Kind: tool.Wasm, Toolset: "custom", Hosts: []string{g.Value}, Provider: g.Module})
		}
	}
	return out
}

func (b *beyond) settingLine(s approval.Widening, spec tool.Spec) trust.Widening {
	w := b.rule(s)
	name, starts := spec.Name, w.Means
	switch {
	case spec.Kind == tool.Wasm && name == "":
		w.Means, w.Danger = "tools of a module that reaches hosts run without asking", trust.Hosts
	case spec.Toolset == "mcp" && name == "":
		w.Means, w.Danger = "tools of MCP servers run without asking, whatever the servers make of them", trust.Commands
	case spec.Toolset == "mcp":
		w.Means, w.Danger = fmt.Sprintf("%s runs without asking, whatever its MCP server makes of it", name), trust.Commands
	case spec.Risk == tool.Command:
		w.Means, w.Danger = fmt.Sprintf("%s runs commands on this machine without asking; where workers can write what a command starts, that is any command", name), trust.Commands
	case spec.Risk == tool.Network || len(spec.Hosts) > 0:
		w.Means, w.Danger = fmt.Sprintf("%s sends to the network without asking", name), trust.Hosts
	default:
		w.Means = fmt.Sprintf("%s runs without asking", name)
	}
	if starts != "" {
		w.Means = starts + "; " + w.Means
	}
	return w
}

// asWidening returns the widening for a setting of a file.
func asWidening(s config.Said, module, means string) trust.Widening {
	at := s.File
	if s.Line > 0 {
		at = fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return trust.Widening{File: s.File, Path: s.Path, Value: s.Value, Module: module, At: at, Means: means}
}

// module is a tool module of a worker with its digest.
type module struct {
	project.Module
	digest string
}

// modulesOf returns a worker's modules, nearest level first. It computes the digest
// only of modules that are granted something; digests keeps them by path.
func (b *beyond) modulesOf(w *project.Worker, digests map[string]string) []module {
	found, err := b.project.Modules.Of(w)
	if err != nil {
		return nil
	}
	grants := append(w.Hosts(), b.project.LibraryFiles(w)...)
	for _, s := range w.Secrets() {
		grants = append(grants, s.Said)
	}
	out := make([]module, len(found))
	for n, m := range found {
		out[n] = module{Module: m}
		if !slices.ContainsFunc(grants, func(h config.Said) bool { return h.Key == m.Stem() }) {
			continue
		}
		if _, known := digests[m.Path]; !known {
			digests[m.Path] = b.digest(m)
		}
		out[n].digest = digests[m.Path]
	}
	return out
}

// digest returns the SHA-256 of a module's bytes in hex; "" if the module cannot be
// read: then no stored trust fits it.
func (b *beyond) digest(m project.Module) string {
	file, err := b.project.Modules.Open(m)
	if err != nil {
		return ""
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(file, 256<<20)); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// grants returns what a worker's file grants its modules: one widening for each host,
// each value of the person, and the files that a library grants to a module.
func (b *beyond) grants(w *project.Worker, modules []module) trust.List {
	var out trust.List
	add := func(s config.Said, means string, danger trust.Danger) {
		n := slices.IndexFunc(modules, func(m module) bool { return m.Stem() == s.Key }) // grants go to the nearest of a name
		if n >= 0 {
			out = append(out, asWidening(s, modules[n].digest, modules[n].Path+means).As(danger))
		}
	}
	for _, s := range b.project.LibraryFiles(w) {
		means := " reads and writes the files that the library's worker sees"
		if s.Value != "true" {
			means = " is given these directories of what the library's worker sees: " + s.Value
		}
		add(s, means, trust.Outside)
	}
	for _, s := range w.Secrets() {
		add(s.Said, " is given the value of your "+kind(s.Ref)+", and "+b.reaches(w, s.Key), trust.Keys)
	}
	if !w.Sandbox.Network || w.Builtin() {
		return out // they reach nothing
	}
	for _, h := range w.Hosts() {
		add(h, " can send what it is given to "+h.Value, trust.Hosts)
	}
	return out
}

// kind names where a value of the person's is from.
func kind(ref tool.Value) string {
	if ref.Secret != "" {
		return "secret " + ref.Secret
	}
	return "environment variable " + ref.Env
}

// reaches returns a text that says where a module can send what it is given.
func (b *beyond) reaches(w *project.Worker, stem string) string {
	var hosts []string
	for _, h := range w.Hosts() {
		if h.Key == stem {
			hosts = append(hosts, h.Value)
		}
	}
	if !w.Sandbox.Network || len(hosts) == 0 {
		return "reaches no host"
	}
	return "can send it to " + strings.Join(hosts, ", ")
}

// plainKeys are the keys of a provider's row that change no address, header or key.
// models is one of them: a project's price is used only if there is no other, and it
// does not count for a person's cost limit.
var plainKeys = []string{"image", "pdf", "json", "api", "models"}

// dotEnv is the file of the project whose keys need trust.
const dotEnv = ".env"

// providerWidenings returns what the manifest sets for a provider beyond golem's
// built-in row, and the keys for it that come from .env.
func (b *beyond) providerWidenings(name string) trust.List {
	var out trust.List
	said := b.project.Trees.Own().ProviderKeys(name)
	for _, s := range said {
		if w, ok := b.providerLine(name, s); ok {
			out = append(out, w)
		}
	}
	for _, key := range b.keyVariables(name) {
		if value := b.dotEnv[key]; value != "" && b.env[key] == "" {
			out = append(out, trust.Widening{
				File: dotEnv, Path: key, Value: fingerprint(value), At: dotEnv,
				Means: "requests to " + name + " carry the key of this file: its owner can read what is sent, and pays", Danger: trust.Keys,
			})
		}
	}
	return out
}

// keyVariables returns the variables from which a provider's key may come, whoever names
// them: golem's own row, the person's, the manifest's.
func (b *beyond) keyVariables(name string) []string {
	keys := []string{b.project.Manifest.Providers[name].APIKeyEnv, b.person.Providers()[name].APIKeyEnv}
	if row, known := model.Builtin(name); known {
		keys = append(keys, row.Keys()...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (b *beyond) providerLine(name string, s config.Said) (trust.Widening, bool) {
	switch {
	case slices.Contains(plainKeys, s.Key):
		return trust.Widening{}, false
	case s.Key == "base_url":
		if b.env[model.BaseURLVar(name)] != "" { // a person moved it
			return trust.Widening{}, false
		}
		if row, known := model.Builtin(name); known && sameAddress(row.BaseURL, s.Value) {
			return trust.Widening{}, false
		}
		return asWidening(s, "", "prompts, files and results that models see go to "+s.Value).As(trust.Hosts), true
	case s.Key == "api_key_env":
		return asWidening(s, "", "the value of "+s.Value+" is sent as the key").As(trust.Keys), true
	case s.Key == "headers":
		s.Value = fingerprint(s.Value)
		return asWidening(s, "", "this header is sent with each request and can turn on features of the provider"), true
	}
	return asWidening(s, "", "it is sent with each request"), true
}

func sameAddress(one, other string) bool {
	ua, errA := url.Parse(strings.TrimRight(one, "/"))
	ub, errB := url.Parse(strings.TrimRight(other, "/"))
	return errA == nil && errB == nil && ua.Scheme == ub.Scheme && strings.EqualFold(ua.Host, ub.Host) && ua.Path == ub.Path
}

// fingerprint returns "sha256:" and a value's whole SHA-256 in hex, to show in place of a
// value that may be secret. Two values with one fingerprint would be one for trust, so no
// part of it is left out.
func fingerprint(value string) string {
	sum := sha256.Sum256([]byte(value))
	return "sha256:" + hex.EncodeToString(sum[:])
}
