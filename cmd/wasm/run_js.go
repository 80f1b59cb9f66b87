package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core"
	"golem/core/approval"
	"golem/core/builtin"
	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/model"
	"golem/core/options"
	"golem/core/project"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/toolset"
	"golem/core/ui"
	"golem/sandbox/opfs"
)

// asked has the parameters of the methods that open a project: run, chat, check and others.
type asked struct {
	Project     string          `json:"project"`
	Input       json.RawMessage `json:"input"`       // text, or an object
	Attachments []string        `json:"attachments"` // their names
	Headless    bool            `json:"headless"`    // nobody can be asked
	Artifacts   bool            `json:"artifacts"`   // hand out whole prompts, inputs and outputs
	Tool        string          `json:"tool"`        // for call
	Provider    string          `json:"provider"`    // for models
	Worker      string          `json:"worker"`      // for describe
	Lent        lent            `json:"lent"`

	Unsaved map[string]string `json:"unsaved"` // for check: texts of files that are not saved yet

	Options json.RawMessage `json:"options"` // those that the page gave

	options.Run `json:"-"` // Options
}

// asked decodes the parameters of a call; it fails with E_USAGE.
func (c *call) asked() (a asked, err error) {
	a.Jobs = usualJobs
	if err = c.decode(&a); err == nil {
		err = options.Decode(options.Names, a.Options, &a.Run)
	}
	if a.Page.Env == nil {
		a.Page.Env = map[string]string{}
	}
	return a, err
}

// opened is the project that a call names, and the parameters of the call.
type opened struct {
	asked
	inst *core.Instance
	fsys *opfs.FS
}

// instance opens the project that a message names, with the browser as its platform. Like
// core.Open it may return an instance together with an error, which then is only good for
// listing what is wrong. change changes the options that the page gave.
func instance(c *call, change ...func(*core.Options)) (o opened, err error) {
	if o.asked, err = c.asked(); err != nil {
		return o, err
	}
	if o.fsys, err = c.server.stores.project(o.Project); err != nil {
		return o, err
	}
	origin, libraries, err := c.server.stores.cameFrom(o.Project, o.fsys)
	if err == nil && origin == nil { // a packed project has its own
		libraries, err = c.server.stores.libraryRoots()
	}
	if err != nil {
		return o, err
	}
	files, err := unsaved(o.fsys, o.Unsaved)
	if err != nil {
		return o, err
	}
	to := core.Options{Files: files, Name: o.Project, Origin: origin, Opening: o.Opening}
	for _, f := range change {
		f(&to)
	}
	if o.Page.Assistant {
		if to.Entry != "" {
			return o, fault.New(fault.Usage, "the options entry and assistant name two workers").Hinting("leave one of them out")
		}
		to.Files, to.Entry, to.NoProject, to.Bare, to.Reach = builtin.Assistant(false), "./"+builtin.AssistantFile, true, !project.Is(o.fsys), approval.ReadOnly
	}
	p, err := c.platform(o.asked, o.fsys, origin != nil)
	if err != nil {
		return o, err
	}
	p.Libraries = libraries
	o.inst, err = core.Open(p, to)
	return o, err
}

// platform returns what the browser provides to a project, without libraries. packed says that
// the project came from a packed one.
func (c *call) platform(a asked, fsys *opfs.FS, packed bool) (core.Platform, error) {
	trusted, rules, err := c.server.stores.trustFiles(a.Project)
	if err != nil {
		return core.Platform{}, err
	}
	return core.Platform{
		Name: "browser", Version: version, Env: a.Page.Env,
		Person:       core.Person{Config: []byte(a.Page.Config), Trust: trusted, Rules: rules, RulesApart: true, Store: core.SecretMap(a.Page.Secrets)},
		Site:         core.Site{TrustKey: "/" + a.Project, State: c.server.stores.state(fsys, a.Project), Files: core.Mounter(mounter(fsys)), Git: c.server.git.branch(a.Page.Env)},
		ModelSources: core.ModelSources{HTTP: fetcher{}, Models: c.lentModels(a.Lent)},
		ToolSources: core.ToolSources{
			Fetch: moduleFetcher{}, Charsets: browserCharsets{}, Tools: c.server.tools, JavaScript: &c.server.script,
			OtherToolsets: map[string][]string{"shell": {"native"}, "page": {"browser"}, "mcp.command": {"native"}},
			Toolsets:      []toolset.Factory{toolset.Page(a.Lent.Toolsets, c), c.server.gitToolset(fsys, packed)},
			MCP:           mcp.Host{Dialer: mcp.HTTP{Doer: serverFetcher{}, Version: version}, NoCommand: func(name string) error { return mcp.NoCommands(name) }},
		},
	}, nil
}

// unsaved returns the project's files with other texts in some of them. Nothing is written.
func unsaved(fsys *opfs.FS, texts map[string]string) (fs.FS, error) {
	if len(texts) == 0 {
		return fsys, nil
	}
	over := sandbox.Overlay(fsys)
	for name, text := range texts {
		if err := over.WriteFile(name, []byte(text)); err != nil {
			return nil, err
		}
	}
	return over, nil
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
	Bare        bool       `json:"bare,omitempty"` // the files are not a project: only the assistant works with them
	Faults      fault.List `json:"faults"`
}

func openProject(c *call, o opened) (any, []byte, error) {
	out := about{Faults: fault.List{}, Bare: !project.Is(o.fsys)}
	entry, err := o.inst.Entry()
	if err == nil {
		out.Entry, out.Mode, out.Model, out.EmptyInput, out.Description = entry.ID, entry.Mode, entry.Model, entry.AllowEmptyInput, entry.Description
		out.Tool = entry.Tool != ""
		if entry.Input != nil {
			out.Input = entry.Input
		}
	}
	out.Faults = append(out.Faults, o.inst.Check("")...)
	return out, nil, nil
}

func check(c *call, o opened) (any, []byte, error) {
	faults := o.inst.Check(o.Platform)
	if faults == nil {
		faults = fault.List{}
	}
	return faults, nil, nil
}

// listWorkers returns what golem workers --json prints.
func listWorkers(c *call, o opened) (any, []byte, error) {
	list, faults := o.inst.Workers()
	if list == nil {
		list = []project.Listing{}
	}
	if faults == nil {
		faults = fault.List{}
	}
	return map[string]any{"workers": list, "faults": faults}, nil, nil
}

// listModels returns what golem models --json prints for one provider.
func listModels(c *call, o opened) (any, []byte, error) {
	offers, err := o.inst.Models().Offers(c.ctx, o.Provider)
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
	o, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	if _, err := o.inst.Entry(); err != nil {
		return nil, nil, err
	}
	in, err := input(c, o.asked)
	if err != nil {
		return nil, nil, err
	}
	release, err := c.server.stores.hold(o.fsys)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	record, err := recordable(o.fsys, o.Record)
	if err != nil {
		return nil, nil, err
	}
	p := &page{call: c, headless: o.Headless}
	p.JSON = ui.JSON{W: lines(c.event)}
	ro := core.RunOptions{ID: core.NewRunID(time.Now()), Running: o.Running, Lines: p.Lines(), Trouble: c.warn, Person: !o.Headless, Host: pageChat{call: c}}
	var file *traceFile
	if o.Page.Trace == nil || *o.Page.Trace {
		file = c.openTrace(o.fsys, o.Project, ro.ID)
	}
	if file != nil {
		ro.Trace, ro.Texts = file, file
	}
	if o.Artifacts || o.Page.Prompts && file != nil {
		ro.Artifact = artifacts{c, o.asked, file}
	}
	var recording bytes.Buffer
	if o.Record != "" {
		ro.Record = &recording
	}
	res := do(c.ctx, o.inst, o.asked, in, p, ro)
	if file != nil {
		if err := file.Close(); err != nil {
			c.warn(err)
		}
	}
	if recording.Len() > 0 {
		if err := o.fsys.WriteFile(record, recording.Bytes()); err != nil {
			c.warnOf("the recording cannot be written", err)
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
	err := in.Check()
	if err == nil {
		in.Attachments, err = attached(a.Attachments, c.bytes)
	}
	return in, err
}

// attached returns attachments with these names, each of which came as one buffer.
func attached(names []string, buffers js.Value) ([]run.File, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if buffers.Type() != js.TypeObject || buffers.Length() != len(names) {
		return nil, fault.New(fault.Usage, "the content of the attachments is missing")
	}
	var out []run.File
	for i, name := range names {
		f := run.File{Name: path.Base(name), Data: jsbytes.Bytes(buffers.Index(i))}
		if of, ok := run.Resource(name); ok && len(f.Data) == 0 {
			f = of
		}
		out = append(out, f)
	}
	return out, nil
}
