package coretest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"golem/core"
	"golem/core/describe"
	"golem/core/gitrepo"
	"golem/core/jstool/embedded"
	"golem/core/options"
	"golem/core/project"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/gitset"
	"golem/core/trace"
)

// Run plays a case on a platform in memory: one file system has the project, and the
// sandbox mounts it. It does not compare the outcome; see Compare.
func Run(ctx context.Context, c Case) Outcome { return c.run(ctx, nil, nil) }

// Record plays a case like Run and also returns a recording of its model calls.
func Record(ctx context.Context, c Case) (Outcome, []byte) {
	var rec bytes.Buffer
	o := c.run(ctx, &rec, nil)
	return o, rec.Bytes()
}

// Replay plays a case with a recording instead of its model.
func Replay(ctx context.Context, c Case, recording []byte) Outcome {
	c.Settings.Model = "replay:recording.jsonl"
	return c.run(ctx, nil, recording)
}

// Resumed plays a case, and then resumes its conversation with the original files of the
// project. The second run has nothing left to do (scenario 57).
func Resumed(ctx context.Context, c Case) (whole, resumed Outcome) {
	kept := state.Memory(sandbox.Memory())
	c.state = &kept
	whole = c.run(ctx, nil, nil)
	c.resume, c.Settings.Inputs, c.Settings.Attach, c.Replies = new(string), nil, nil, nil
	return whole, c.run(ctx, nil, nil)
}

// run plays a case; record may be nil, and so may recording.
func (c Case) run(ctx context.Context, record io.Writer, recording []byte) (o Outcome) {
	o.Status = string(run.OK)
	tree := sandbox.Memory()
	for _, name := range slices.Sorted(maps.Keys(c.Project)) {
		if err := tree.WriteFile(name, c.Project[name]); err != nil {
			o.Problems = append(o.Problems, fmt.Sprintf("project/%s: %v", name, err))
		}
	}
	if strings.Contains(strings.Join(slices.Sorted(maps.Keys(c.Project)), " "), ".git/") {
		tree = placed{tree, "/case"}
	}
	tools := newToolbox()
	defer tools.close(&o)
	p := platform(c, tree)
	if c.state != nil {
		p.State = *c.state
	}
	p.MCP = c.servers(&o)
	kept := &configFile{text: []byte(c.Settings.Config)}
	p.Rules = kept
	defer func() { o.Config = kept.saved }()
	p.Tools, p.ToolFiles = tools.open, memory(c.Home)
	p.Libraries = []project.LibraryRoot{{Label: "the libraries of this browser", FS: memory(c.Libs)}}
	if provider := c.Provider(); provider != nil && recording == nil {
		p.HTTP = provider
		defer provider.Settle(&o)
	}
	site := c.Web()
	p.Fetch = site
	defer site.Settle(&o)
	if recording != nil {
		p.ReadScript = func(string) ([]byte, error) { return recording, nil }
	}
	inst, err := core.Open(p, c.options(tree))
	looks := slices.Contains([]string{"check", "workers", "plan"}, c.Settings.Command)
	if err == nil && !looks {
		_, err = inst.Entry()
	}
	if err != nil && (inst == nil || !looks) {
		o.Status, o.Exit, o.Faults = "config", 2, faultLines(err)
		return o
	}
	switch c.Settings.Command {
	case "check":
		faults := inst.Check(c.Settings.Platform)
		o.Faults = faultLines(faults)
		if faults.Err() != nil {
			o.Status, o.Exit = "error", 1
		}
	case "plan":
		plan, err := inst.Plan(ctx)
		o.Output, o.Faults = planLines(plan), faultLines(err)
	case "workers":
		listings, faults := inst.Workers()
		o.Output, o.Faults = listingLines(listings), faultLines(faults)
	default:
		c.play(ctx, inst, record, &o)
	}
	files, err := filesOf(tree)
	if err != nil {
		o.Problems = append(o.Problems, "the files afterwards: "+err.Error())
	}
	o.Files = files
	return o
}

// configFile is the person's config.yaml in memory.
type configFile struct {
	text  []byte
	saved string
}

func (f *configFile) Read() ([]byte, error) { return f.text, nil }

func (f *configFile) Change(change func([]byte) ([]byte, error)) error {
	data, err := change(f.text)
	if err == nil {
		f.text, f.saved = data, string(data)
	}
	return err
}

// unreachable is an HTTP client whose requests all fail, because a case must not send a key
// or a prompt to the network.
type unreachable struct{}

func (unreachable) Do(*http.Request) (*http.Response, error) {
	return nil, errors.New("a case has no network")
}

// platform returns a platform in memory, without a network. Its secrets are those of the
// case.
func platform(c Case, tree sandbox.FS) core.Platform {
	name := c.Settings.Platform
	if name == "" {
		name = "native"
	}
	return core.Platform{
		Name: name, Version: "test", Env: c.Settings.Env, NewID: newIDs(),
		Person: core.Person{Config: []byte(c.Settings.Config), Store: core.SecretMap(c.Settings.Secrets)},
		Site:   core.Site{TrustKey: "/case", State: state.Memory(sandbox.Memory()), Files: core.Tree{FS: tree}},
		ModelSources: core.ModelSources{HTTP: unreachable{}, ReadScript: func(name string) ([]byte, error) {
			return fs.ReadFile(tree, strings.TrimPrefix(name, "./"))
		}},
		ToolSources: core.ToolSources{JavaScript: embedded.Engines{}, OtherToolsets: map[string][]string{"mcp.command": {"native"}}, Toolsets: []toolset.Factory{gitset.Toolset(caseGit{tree}, "")}},
	}
}

// caseGit is git in the tree of a case.
type caseGit struct{ tree sandbox.FS }

// Root returns the tree.
func (g caseGit) Root() (sandbox.FS, error) { return g.tree, nil }

// Read reads a repository.
func (caseGit) Read(ctx context.Context, name string, args json.RawMessage, root sandbox.FS, view gitset.View) (string, error) {
	return gitrepo.Read(ctx, name, args, root, view)
}

// Clone returns that a case has no servers.
func (caseGit) Clone(context.Context, sandbox.FS, string, string) (tool.Output, error) {
	return tool.Output{}, gitset.CannotClone()
}

// newIDs returns a function that makes the id of the run, "run", and then those of its
// branches: "run2", "run3".
func newIDs() func() string {
	n := 0
	return func() string {
		if n++; n > 1 {
			return fmt.Sprintf("run%d", n)
		}
		return "run"
	}
}

func (c Case) options(tree sandbox.FS) core.Options {
	s := c.Settings
	model := s.Model
	if model == "none" {
		model = ""
	}
	return core.Options{
		Files: tree, Name: "case", Opening: options.Opening{Entry: s.Entry, Model: model, Approval: s.Approval, MaxDepth: s.MaxDepth, Limits: s.Limits, ModelSettings: texts(s.Set), NoImportTools: s.NoImportTools, AllowModuleImports: s.AllowModuleImports, Trust: s.Trust},
	}
}

// texts returns values in the form of the command line.
func texts(values map[string]json.RawMessage) map[string]string {
	out := map[string]string{}
	for name, v := range values {
		out[name] = string(v)
	}
	return out
}

// play runs the entry, or a chat with it.
func (c Case) play(ctx context.Context, inst *core.Instance, record io.Writer, o *Outcome) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	inputs, err := c.inputs()
	if err != nil {
		o.Problems = append(o.Problems, err.Error())
		return
	}
	p := &person{settings: c.Settings, stop: stop, given: map[string]int{}}
	var file bytes.Buffer
	texts := shelf{} // the long texts of the trace
	prompts := prompts{byID: map[string][]byte{}}
	ro := core.RunOptions{Person: !c.Settings.Headless, Running: options.Running{Strict: c.Settings.Strict, Resume: c.resume}, Trace: &file, Texts: texts, Artifact: &prompts, Record: record}
	var res run.Result
	if c.Settings.Command == "chat" {
		var first *run.Input
		if len(inputs) > 0 {
			first, p.inputs = &inputs[0], inputs[1:]
		}
		res = inst.Chat(ctx, first, p, ro)
	} else {
		var in run.Input
		if len(inputs) > 0 {
			in = inputs[0]
		}
		res = inst.Run(ctx, in, p, ro)
	}
	o.Status, o.Exit, o.Output = string(res.Status), res.Exit(), res.Output.String()
	if res.Error != nil {
		o.Output = "! " + res.Error.Error()
	}
	o.Asked, o.Requests = p.asked, prompts.String()
	o.Problems = append(o.Problems, p.problems...)
	if took := time.Since(p.stopped); !p.stopped.IsZero() && took > time.Second {
		o.Problems = append(o.Problems, fmt.Sprintf("the run ended %v after the person had stopped it", took))
	}
	c.trace(file.Bytes(), texts, p.events, o)
}

// shelf is a folder of long texts in memory.
type shelf map[string][]byte

func (s shelf) Put(name string, data []byte) error {
	s[name] = bytes.Clone(data)
	return nil
}

func (s shelf) Text(name string, _ int64) ([]byte, error) { return s[name], nil }

// trace reads the trace file, compares it with the events that the front end saw, and stores
// its compact form in the outcome.
func (c Case) trace(file []byte, texts shelf, seen []trace.Event, o *Outcome) {
	_, events, err := trace.Read(bytes.NewReader(file), texts)
	if err != nil {
		o.Problems = append(o.Problems, "the trace: "+err.Error())
	}
	o.Problems = append(o.Problems, sound(events)...)
	kept := slices.DeleteFunc(slices.Clone(seen), func(e trace.Event) bool { return e.Body.Transient() })
	if len(kept) != len(events) {
		o.Problems = append(o.Problems, fmt.Sprintf("the front end saw %d kept events, the trace has %d", len(kept), len(events)))
	}
	o.Trace, err = compact(events)
	if err != nil {
		o.Problems = append(o.Problems, err.Error())
	}
}

// inputs returns the messages of the case, with the attachments at the first.
func (c Case) inputs() ([]run.Input, error) {
	var out []run.Input
	for _, raw := range c.Settings.Inputs {
		var in run.Input
		if json.Unmarshal(raw, &in.Text) != nil {
			in.JSON = raw
		}
		out = append(out, in)
	}
	for _, name := range c.Settings.Attach {
		file, ok := run.Resource(name)
		if !ok {
			if file.Data, ok = c.Outside[name]; !ok {
				return nil, fmt.Errorf("attach: outside/%s is not in the case", name)
			}
			file = run.File{Name: name, Data: file.Data}
		}
		if len(out) == 0 {
			out = []run.Input{{}}
		}
		out[0].Attachments = append(out[0].Attachments, file)
	}
	return out, nil
}

// planLines returns a plan as text, one line for each worker and host.
func planLines(p *describe.Plan) string {
	if p == nil {
		return ""
	}
	lines := []string{plainJSON(map[string]any{"entry": p.Entry, "mode": p.Mode, "faults": len(p.Faults)})}
	for _, w := range p.Workers {
		lines = append(lines, plainJSON(w))
	}
	for _, h := range p.Hosts {
		lines = append(lines, plainJSON(h))
	}
	return strings.Join(lines, "\n") + "\n"
}

func listingLines(ls []project.Listing) string {
	var b strings.Builder
	for _, l := range ls {
		b.WriteString(plainJSON(l) + "\n")
	}
	return b.String()
}
