package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core"
	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/model"
	"golem/core/project"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/toolset"
	"golem/core/ui"
	"golem/sandbox/opfs"
)

// asked has the parameters of the methods that open a project: run, chat, check and others.
type asked struct {
	Project  string            `json:"project"`
	Input    json.RawMessage   `json:"input"` // text, or an object
	Entry    string            `json:"entry"`
	Model    string            `json:"model"`
	Approval string            `json:"approval"`
	MaxDepth *int              `json:"maxDepth"`
	MaxTurns *int              `json:"maxTurns"`
	Limits   map[string]any    `json:"limits"` // texts or numbers
	Settings map[string]any    `json:"modelSettings"`
	Strict   bool              `json:"strict"`
	Env      map[string]string `json:"env"`
	Secrets  core.SecretMap    `json:"secrets"`
	Headless bool              `json:"headless"` // nobody can be asked
	NoTools  bool              `json:"noImportTools"`
	Modules  bool              `json:"allowModuleImports"`
	Trust    bool              `json:"trust"`   // yes, for this run, to what the project widens
	Config   string            `json:"config"`  // the person's config.yaml
	Record   string            `json:"record"`  // the file of the project that gets a recording for replay
	Keep     *bool             `json:"trace"`   // false keeps no trace file
	Resume   *string           `json:"resume"`  // a kept conversation to go on with; "": the newest
	At       int               `json:"at"`      // with resume: branch off before the person's message of this number
	Changed  bool              `json:"changed"` // with resume: go on although files of its workers have changed
	// Artifacts hands out whole prompts, inputs and outputs.
	Artifacts bool     `json:"artifacts"`
	Prompts   bool     `json:"prompts"` // keep prompts beside the trace
	Platform  string   `json:"platform"`
	Tool      string   `json:"tool"`     // for call
	Provider  string   `json:"provider"` // for models
	Worker    string   `json:"worker"`   // for describe
	Names     []string `json:"attachments"`
	Lent      lent     `json:"lent"`
	Options   []string `json:"options"` // the names of the options that the page gave
}

// options has the names of the options of golem.js. golem.js keeps the last four for itself.
var options = strings.Fields("model approval entry maxDepth maxTurns limits modelSettings strict env secrets noImportTools allowModuleImports trust config record trace resume at changed prompts platform signal approve artifact attachments")

// check fails with E_USAGE if the page gave an option that does not exist.
func (a asked) check() error {
	for _, name := range a.Options {
		if !slices.Contains(options, name) {
			return fault.New(fault.Usage, "there is no option %s", fault.Quoted(name)).Hinting("%s", fault.DidYouMean(name, options))
		}
	}
	return nil
}

// instance opens the project that a message names, with the browser as its platform. Like
// core.Open it may return an instance together with an error, which then is only good for
// listing what is wrong.
func instance(c *call) (asked, *core.Instance, *opfs.FS, error) { return opened(c, false) }

// opened does what instance does. With relock it ignores golem.lock, which the caller is
// going to write anew.
func opened(c *call, relock bool) (asked, *core.Instance, *opfs.FS, error) {
	var a asked
	err := c.decode(&a)
	if err == nil {
		err = a.check()
	}
	if err != nil {
		return a, nil, nil, err
	}
	fsys, err := c.server.stores.project(a.Project)
	if err != nil {
		return a, nil, nil, err
	}
	if a.Env == nil {
		a.Env = map[string]string{}
	}
	trusted, rules, err := c.server.stores.kept(a.Project)
	if err != nil {
		return a, nil, nil, err
	}
	origin, libraries, err := c.server.stores.cameFrom(a.Project, fsys)
	if err == nil && origin == nil { // a packed project has its own
		libraries, err = c.server.stores.libraryRoots()
	}
	if err != nil {
		return a, nil, nil, err
	}
	inst, err := core.Open(core.Platform{
		Libraries: libraries,
		Config:    []byte(a.Config), Trust: trusted, Rules: rules, RulesApart: true, TrustKey: "/" + a.Project, State: c.server.stores.state(fsys, a.Project),
		Name: "browser", Version: version, Env: a.Env, Store: a.Secrets, HTTP: fetcher{}, Fetch: moduleFetch, Charsets: browserCharsets{},
		Mount: mounter(fsys), Tools: c.server.tools,
		OtherToolsets: map[string][]string{"shell": {"native"}, "page": {"browser"}, "mcp.command": {"native"}},
		Toolsets:      []toolset.Factory{toolset.Page(a.Lent.Toolsets, c.lentTool), c.server.gitToolset(fsys, origin != nil)}, Git: c.server.git.branch(a.Env), Models: c.lentModels(a.Lent),
		MCP: mcp.Host{Dial: mcp.HTTP(serverFetcher{}, version), NoCommand: func(name string) error { return mcp.NoCommands(name) }},
	}, core.Options{
		Files: fsys, Name: a.Project, Entry: a.Entry, Model: a.Model, Approval: a.Approval, MaxDepth: a.MaxDepth, Limits: a.limits(), Settings: a.settings(), NoImportTools: a.NoTools, AllowModuleImport: a.Modules,
		Trust: a.Trust, Origin: origin, NoLock: relock,
	})
	return a, inst, fsys, err
}

// limits returns the options limits and maxTurns in the form of core.Options.Limits.
func (a asked) limits() map[string]string {
	out := map[string]string{}
	for name, v := range a.Limits {
		out[name] = fmt.Sprint(v)
		if n, ok := v.(float64); ok {
			out[name] = strconv.FormatFloat(n, 'f', -1, 64)
		}
	}
	if a.MaxTurns != nil {
		out["turns"] = strconv.Itoa(*a.MaxTurns)
	}
	return out
}

// settings returns the option modelSettings in the form of core.Options.Settings, whose
// values are YAML: JSON is valid YAML.
func (a asked) settings() map[string]string {
	out := map[string]string{}
	for name, v := range a.Settings {
		data, err := json.Marshal(v)
		if err != nil {
			continue // not reached: the value was decoded from JSON
		}
		out[name] = string(data)
	}
	return out
}

// mounter returns the function that opens the source of a mount. It accepts only the
// project's root: a page cannot read other files of the computer.
func mounter(fsys *opfs.FS) func(string) (sandbox.FS, error) {
	return func(source string) (sandbox.FS, error) {
		if path.Clean(source) == "." {
			return fsys, nil
		}
		return nil, fault.New(fault.Path, "the mount source %s is outside the project", source).
			Hinting("a page cannot read other files of your computer: copy them into the project")
	}
}

// about describes a project for the page before it runs.
type about struct {
	Entry       string     `json:"entry,omitempty"`
	Description string     `json:"description,omitempty"`
	Mode        string     `json:"mode,omitempty"`
	Model       string     `json:"model,omitempty"`
	Tool        bool       `json:"tool,omitempty"`  // the entry is a tool, which needs no model
	Input       any        `json:"input,omitempty"` // the entry's input schema
	EmptyInput  bool       `json:"emptyInput,omitempty"`
	Faults      fault.List `json:"faults"`
}

func openProject(c *call) (any, []byte, error) {
	_, inst, _, err := instance(c)
	if inst == nil {
		return nil, nil, err
	}
	out := about{Faults: fault.List{}}
	entry, err := inst.Entry()
	if err == nil {
		out.Entry, out.Mode, out.Model, out.EmptyInput, out.Description = entry.ID, entry.Mode, entry.Model, entry.AllowEmptyInput, entry.Description
		out.Tool = entry.Tool != ""
		if entry.Input != nil {
			out.Input = entry.Input
		}
	}
	out.Faults = append(out.Faults, inst.Check("")...)
	return out, nil, nil
}

func check(c *call) (any, []byte, error) {
	a, inst, _, err := instance(c)
	if inst == nil {
		return nil, nil, err
	}
	faults := inst.Check(a.Platform)
	if faults == nil {
		faults = fault.List{}
	}
	return faults, nil, nil
}

// listWorkers returns what golem workers --json prints.
func listWorkers(c *call) (any, []byte, error) {
	_, inst, _, err := instance(c)
	if inst == nil {
		return nil, nil, err
	}
	list, faults := inst.Workers()
	if list == nil {
		list = []project.Listing{}
	}
	if faults == nil {
		faults = fault.List{}
	}
	return map[string]any{"workers": list, "faults": faults}, nil, nil
}

// listModels returns what golem models --json prints for one provider.
func listModels(c *call) (any, []byte, error) {
	a, inst, _, err := instance(c)
	if inst == nil {
		return nil, nil, err
	}
	offers, err := inst.Offers(c.ctx, a.Provider)
	if offers == nil {
		offers = []model.Offer{}
	}
	return offers, nil, err
}

func runProject(c *call) (any, []byte, error)  { return c.play(false) }
func chatProject(c *call) (any, []byte, error) { return c.play(true) }

// result is the reply to a run, chat or call: how it ended.
type result struct {
	Run    string       `json:"run"` // the run's ID, which is also the name of its trace
	Status string       `json:"status"`
	Exit   int          `json:"exit"`
	Output any          `json:"output,omitempty"`
	Text   string       `json:"text"` // the answer as text, or Output's JSON
	Error  *fault.Fault `json:"error,omitempty"`
	Denied []string     `json:"denied,omitempty"`
	Failed []failure    `json:"failed,omitempty"`
}

// failure is a worker that failed below the root.
type failure struct {
	ID     string       `json:"id"` // of the call
	Worker string       `json:"worker"`
	Error  *fault.Fault `json:"error"`
}

func callTool(c *call) (any, []byte, error) {
	return c.start(func(ctx context.Context, i *core.Instance, a asked, in run.Input, p *page, ro core.RunOptions) run.Result {
		if text := strings.TrimSpace(in.Text); strings.HasPrefix(text, "{") && json.Valid([]byte(text)) { // arguments whose numbers have all digits
			in = run.Input{JSON: json.RawMessage(text), Attachments: in.Attachments}
		}
		return i.CallTool(ctx, a.Tool, in, p, ro)
	})
}

func (c *call) play(chat bool) (any, []byte, error) {
	return c.start(func(ctx context.Context, i *core.Instance, a asked, in run.Input, p *page, ro core.RunOptions) run.Result {
		if !chat {
			return i.Run(ctx, in, p, ro)
		}
		first := &in
		if len(a.Input) == 0 || string(a.Input) == "null" {
			first = nil // the page sends all messages with Run.send
		}
		return i.Chat(ctx, first, p, ro)
	})
}

// start opens the project, holds its lock and calls do, which runs it. It keeps the trace in
// the project unless the page asked for none, and returns how the run ended.
func (c *call) start(do func(context.Context, *core.Instance, asked, run.Input, *page, core.RunOptions) run.Result) (any, []byte, error) {
	a, inst, fsys, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	if _, err := inst.Entry(); err != nil {
		return nil, nil, err
	}
	in, err := input(c, a)
	if err != nil {
		return nil, nil, err
	}
	release, err := c.server.stores.hold(fsys)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	record, err := recordable(fsys, a.Record)
	if err != nil {
		return nil, nil, err
	}
	p := &page{call: c, headless: a.Headless}
	p.JSON = ui.JSON{W: lines(c.event)}
	ro := core.RunOptions{ID: core.NewRunID(time.Now()), Strict: a.Strict, Lines: p.Lines(), Trouble: c.warn, Exchange: c.exchange}
	if a.Resume != nil {
		ro.Resume = &core.Resume{ID: *a.Resume, At: a.At, Changed: a.Changed}
	}
	var file *traceFile
	if a.Keep == nil || *a.Keep {
		file = c.openTrace(fsys, a.Project, ro.ID)
	}
	if file != nil {
		ro.Trace, ro.Texts = file, file.keep
	}
	if a.Artifacts || a.Prompts && file != nil {
		ro.Artifact = c.artifacts(a, file)
	}
	var recording bytes.Buffer
	if a.Record != "" {
		ro.Record = &recording
	}
	res := do(c.ctx, inst, a, in, p, ro)
	if file != nil {
		if err := file.Close(); err != nil {
			c.warn(err)
		}
	}
	if recording.Len() > 0 {
		if err := fsys.WriteFile(record, recording.Bytes()); err != nil {
			c.tell("the recording cannot be written", err)
		}
	}
	return ended(ro.ID, res), nil, nil
}

func ended(id string, res run.Result) result {
	out := result{Run: id, Status: string(res.Status), Exit: res.Exit(), Text: res.Output.String(), Error: res.Error}
	if len(res.Output.Data) > 0 {
		out.Output = res.Output.Data
	}
	for _, d := range res.Denied {
		out.Denied = append(out.Denied, d.ID)
	}
	for _, f := range res.Failed {
		out.Failed = append(out.Failed, failure{f.ID, f.Worker, f.Error})
	}
	return out
}

// input returns the input of the run: a text or an object, and the attachments, each of
// which came as one buffer with the message.
func input(c *call, a asked) (run.Input, error) {
	var in run.Input
	if len(a.Input) > 0 && a.Input[0] == '{' {
		in.JSON = a.Input
	} else if len(a.Input) > 0 {
		if err := json.Unmarshal(a.Input, &in.Text); err != nil {
			return in, fault.New(fault.Usage, "the input must be a string or an object")
		}
	}
	if err := in.Check(); err != nil || len(a.Names) == 0 {
		return in, err
	}
	if c.bytes.Type() != js.TypeObject || c.bytes.Length() != len(a.Names) {
		return in, fault.New(fault.Usage, "the content of the attachments is missing")
	}
	for i, name := range a.Names {
		f := run.File{Name: path.Base(name), Data: jsbytes.Bytes(c.bytes.Index(i))}
		if of, ok := run.Resource(name); ok && len(f.Data) == 0 {
			f = of
		}
		in.Attachments = append(in.Attachments, f)
	}
	return in, nil
}
