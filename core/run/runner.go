// Package run is the harness: it has the loop, and only this package calls models and
// tools (SPEC §5; S3-02..06). A Runner runs callables of one project on one platform; a
// Session is one life of a root worker.
package run

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"golem/core/approval"
	"golem/core/clearance"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/custom"
	"golem/core/trace"
)

// Runner runs the callables of one project. Set the fields, then use it from
// any goroutine; Project, Toolsets, Model, Mount, Gate and Sink are required.
type Runner struct {
	Project  *project.Project
	Toolsets toolset.Registry
	// Modules caches the compiled tool modules of the project. nil: this platform runs
	// none, and a module that is found is E_PLATFORM.
	Modules *custom.Cache
	// Model opens a worker's effective model, without retries.
	Model func(ctx context.Context, w *project.Worker) (model.Model, error)
	// Mount opens the root of the sandbox, ".", or a directory outside it. The Runner
	// shares what it opened between all workers of a run.
	Mount func(source string) (sandbox.FS, error)
	Gate  *approval.Gate
	Sink  trace.Sink
	// Asking, if set, is called before each question to a person, and done after it, so
	// that the front end shows nothing else in between. Sink still gets every event.
	Asking func() (done func())
	// Trust is called before a worker's model is opened. It returns E_TRUST unless a
	// person trusts what the project's files say about the provider; ask asks the person
	// while no timeout runs. nil: everything is trusted.
	Trust func(ctx context.Context, w *project.Worker, ask Asker) error
	// TrustSettings does the same for what a worker's model_settings add to each
	// request.
	TrustSettings func(ctx context.Context, w *project.Worker, ask Asker) error
	// Granted returns E_TRUST if no person trusted the tool's grants; nil: all are
	// trusted.
	Granted func(ctx context.Context, w *project.Worker, t tool.Tool) error
	// Value returns a configured value to toolsets (toolset.Env).
	Value func(tool.Value) (string, error)
	// IsSecret reports whether a text that a person typed contains a known key, or what
	// looks like one. golem asks before such an answer goes to a model. nil: nothing does.
	IsSecret func(text string) bool
	// Given returns the redactor that removes the person's values that Value returned
	// from what tools return and from what modules ask others, so that no model reads
	// them; nil: there are none.
	Given func() *trace.Redactor
	// Unattended reports whether nobody was there when a person had to be asked for
	// trust. A call that fails with E_TRUST then counts as denied. nil: never.
	Unattended func() bool
	// Wrote is called before a worker changes a real file, with its source, and with ""
	// before a tool that can change files without golem seeing which; nil: nobody counts it.
	Wrote func(name string)
	// Rewrote is called after a command changed files that define the project, see
	// toolset.Env; nil: nobody is told.
	Rewrote func(files map[string]string)
	// Servers says how MCP servers are reached and trusted; the zero value reaches none.
	Servers Servers
	// Protection protects the files that define the project from changes through any
	// view; zero: nothing is protected.
	Protection sandbox.Protection
	// Quota bounds what one run may write; zero: no bound.
	Quota sandbox.Limits
	// Notices are the first events of a run: warnings, and the answer to the question
	// whether the project is trusted.
	Notices []trace.Body
	// Clearance stores what the run stages, and tells the root what a person decided;
	// nil: what is staged ends with the run.
	Clearance *clearance.Store
	// Undo stores what the run's direct writes replace; nil: they cannot be undone.
	Undo *clearance.Store
	ID   string // the run's name, for items of Clearance and Undo
	// Inject, if set, is called before each model request of the root. Each text that
	// it returns becomes a user message (S4-52).
	Inject func() []string
	// Journal keeps the conversation while it happens; nil: it is not kept. Kept is a
	// conversation to continue. Retake has the person's answers about its calls whose
	// end is unknown, by call id: true runs the call again, false takes it as failed.
	Journal *conversation.Journal
	Kept    *conversation.Kept
	Retake  map[string]bool
	// Artifact, if set, is called with whole prompts, inputs and outputs, to store them (S3-22).
	Artifact func(name string, value any)
	// Strict makes the exit code 1 if any call was denied or any worker failed.
	Strict bool
	// Now is the clock of durations in events; nil: time.Now.
	Now func() time.Time
}

func (r *Runner) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// Call runs one callable for a person and returns its result (S3-03). If name is a
// reference to a worker, the worker answers once, whatever its mode. Any other name
// is a tool of the entry worker; manual tools run too, since a person calls.
func (r *Runner) Call(ctx context.Context, name string, in Input) Result {
	w, err := r.Project.Worker(name)
	if err == nil {
		return r.Run(ctx, w, in)
	}
	if errors.Is(err, fault.WorkerNotFound) {
		s, terr := r.entry(ctx)
		if terr == nil {
			if _, has := s.frame.tools.Get(name); has {
				args, err := toolArgs(s.frame, name, in)
				if err == nil {
					return s.callTool(ctx, name, args, in)
				}
				s.frame.close()
				return r.Refuse(in, err)
			}
			s.frame.close()
		} else if !errors.Is(terr, fault.Project) { // without an entry there are no tools to call
			err = terr
		}
	}
	return r.Refuse(in, err)
}

// CallTool runs a tool of the entry worker for a person, whatever workers have that
// name; manual tools run too.
func (r *Runner) CallTool(ctx context.Context, name string, in Input) Result {
	s, err := r.entry(ctx)
	if err != nil {
		return r.Refuse(in, err)
	}
	t, has := s.frame.tools.Get(name)
	var args json.RawMessage
	switch {
	case !has:
		err = fault.New(fault.UnknownTool, "%s has no tool %q", s.frame.worker.ID, name).Hinting("%s", fault.DidYouMean(name, s.Tools()))
	case t.Spec().Target != "":
		err = fault.New(fault.Usage, "%s calls the worker %s", name, t.Spec().Target).Hinting("golem run starts a worker")
	default:
		if args, err = toolArgs(s.frame, name, in); err == nil {
			return s.callTool(ctx, name, args, in)
		}
	}
	s.frame.close()
	return r.Refuse(in, err)
}

func (r *Runner) entry(ctx context.Context) (*Session, error) {
	w, err := r.Project.Entry()
	if err != nil {
		return nil, err
	}
	return r.OpenWorker(ctx, w)
}

// Run runs a worker, whatever its mode, until it has answered once; if the entry is a
// tool (Worker.Tool), it runs the tool.
func (r *Runner) Run(ctx context.Context, w *project.Worker, in Input) Result {
	if w.Tool != "" {
		return r.runTool(ctx, w, in)
	}
	s, err := r.OpenWorker(ctx, w)
	if err != nil {
		return r.Refuse(in, err)
	}
	res, err := s.first(ctx, in)
	if err != nil {
		return s.failed(err)
	}
	for {
		more := false
		if in, more = s.reply(ctx, res); !more {
			return s.Close()
		}
		res = s.send(ctx, in)
	}
}

// first sends the input, or continues what was kept.
func (s *Session) first(ctx context.Context, in Input) (Result, error) {
	if s.r.Kept == nil {
		return s.Send(ctx, in), nil
	}
	pending, err := s.resume(ctx, true)
	switch {
	case err != nil:
		return Result{}, err
	case pending != nil:
		return s.goOn(ctx, *pending), nil
	}
	return s.result(), nil
}

// Callables returns a worker's tools, and the workers it may call, as one set that
// can be searched by name and by metadata (S3-20). Nothing in it can be called: its
// toolsets are closed.
func (r *Runner) Callables(ctx context.Context, w *project.Worker) (*tool.Set, error) {
	t := newTree(r)
	t.looks = true
	f, err := t.frame(ctx, w, nil, rootID)
	if err != nil {
		return nil, err
	}
	defer f.close()
	return f.tools, nil
}

// Refuse returns the result of a run that could not begin because of err. The trace
// still has a start and an end.
func (r *Runner) Refuse(in Input, err error) Result {
	start := r.now()
	f := fault.Of(err, fault.Config)
	r.Sink.Emit(trace.Event{ID: rootID, Body: trace.RunStart{Input: in.Raw()}})
	res := Result{Status: Failed, Error: f, Refused: true, Unasked: r.unasked(f)}
	if f.Code == fault.Interrupted {
		res.Status, res.Refused = Interrupted, false
	}
	r.Sink.Emit(trace.Event{ID: rootID, Body: trace.RunEnd{
		Status: string(res.Status), Exit: res.Exit(), Error: f, Opened: r.Project.Opened(), MS: r.now().Sub(start).Milliseconds(),
	}})
	return res
}
