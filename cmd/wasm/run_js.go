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

// instance opens the project that a message names, with the browser as its platform. Like
// core.Open it may return an instance together with an error, which then is only good for
// listing what is wrong.
func instance(c *call) (asked, *core.Instance, *opfs.FS, error) { return opened(c, false) }

// opened does what instance does. With relock it ignores golem.lock, which the caller is
// going to write anew.
func opened(c *call, relock bool) (asked, *core.Instance, *opfs.FS, error) {
	return openedWith(c, relock, func(*options.Opening) {})
}

// openedWith does what opened does, with the options that change returns of those that the
// page gave.
func openedWith(c *call, relock bool, change func(*options.Opening)) (asked, *core.Instance, *opfs.FS, error) {
	a, err := c.asked()
	if err != nil {
		return a, nil, nil, err
	}
	change(&a.Opening)
	fsys, err := c.server.stores.project(a.Project)
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
	files, err := unsaved(fsys, a.Unsaved)
	if err != nil {
		return a, nil, nil, err
	}
	o := core.Options{Files: files, Name: a.Project, Origin: origin, NoLock: relock, Opening: a.Opening}
	if a.Page.Assistant {
		if o.Entry != "" {
			return a, nil, nil, fault.New(fault.Usage, "the options entry and assistant name two workers").Hinting("leave one of them out")
		}
		o.Files, o.Entry, o.NoProject, o.Bare, o.Reach = builtin.Assistant(false), "./"+builtin.AssistantFile, true, !project.Is(fsys), approval.ReadOnly
	}
	p, err := c.platform(a, fsys, origin != nil)
	if err != nil {
		return a, nil, nil, err
	}
	p.Libraries = libraries
	inst, err := core.Open(p, o)
	return a, inst, fsys, err
}

// platform returns what the browser provides to a project, without libraries. packed says that
// the project came from a packed one.
func (c *call) platform(a asked, fsys *opfs.FS, packed bool) (core.Platform, error) {
	trusted, rules, err := c.server.stores.kept(a.Project)
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

func openProject(c *call) (any, []byte, error) {
	_, inst, fsys, err := instance(c)
	if inst == nil {
		return nil, nil, err
	}
	out := about{Faults: fault.List{}, Bare: !project.Is(fsys)}
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
	offers, err := inst.Models().Offers(c.ctx, a.Provider)
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
	ro := core.RunOptions{ID: core.NewRunID(time.Now()), Running: a.Running, Lines: p.Lines(), Trouble: c.warn, Person: !a.Headless, Host: pageChat{call: c}}
	var file *traceFile
	if a.Page.Trace == nil || *a.Page.Trace {
		file = c.openTrace(fsys, a.Project, ro.ID)
	}
	if file != nil {
		ro.Trace, ro.Texts = file, file
	}
	if a.Artifacts || a.Page.Prompts && file != nil {
		ro.Artifact = artifacts{c, a, file}
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
