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
	"golem/core/mcp"
	"golem/core/model"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/custom"
	"golem/core/trace"
)

// Runner runs the callables of one project. It is only read: build it whole, then use it
// from any goroutine. Project, Toolsets, Models, Files and Gate are required.
type Runner struct {
	Project  *project.Project
	Toolsets toolset.Registry
	// Modules caches the compiled tool modules of the project. nil: this platform runs
	// none, and a module that is found is E_PLATFORM.
	Modules *custom.Cache
	Models  Models
	Files   Files
	// Protection protects the files that define the project from changes through any
	// view; zero: nothing is protected.
	Protection sandbox.Protection
	// Quota bounds what one run may write; zero: no bound.
	Quota sandbox.Limits
	Gate  *approval.Gate
	Front Front // nil: nobody sees anything
	// Steering has the messages that the person sends while an exchange runs; nil: there are
	// none.
	Steering Steering
	Trust    Trust        // nil: everything is trusted
	Changes  Changes      // nil: nobody counts them
	Values   Values       // nil: there are none
	Servers  mcp.Host     // the zero value reaches no MCP server
	Keeping  Keeping      // the zero value keeps nothing
	Notices  []trace.Body // the first events of a run, such as warnings
	Doubles  Doubles      // nil: every tool runs
	Answers  Answerer     // who answers for hardened workers
	Strict   bool         // any denied call and any failed worker makes the exit code 1
	// Now is the clock of durations in events; nil: time.Now.
	Now func() time.Time
}

// Models opens models.
type Models interface {
	// Open returns a worker's effective model, without retries.
	Open(ctx context.Context, w *project.Worker) (model.Model, error)
	// Beginnings returns every provider that the name of a model can begin with.
	Beginnings() []string
}

// Files opens the directories of the sandbox.
type Files interface {
	// Mount opens the root of the sandbox, ".", or a directory outside it. The Runner
	// shares what it opened between all workers of a run.
	Mount(source string) (sandbox.FS, error)
}

// Front is what shows a run to a person and passes it on to a trace.
type Front interface {
	trace.Sink
	// Asking is called before each question to a person, and done after it, so that
	// nothing else is shown in between. Emit still gets every event.
	Asking() (done func())
}

// Values has the person's values that the project's tools and servers may get.
type Values interface {
	// Value returns the text of a value in a toolset's options, see toolset.Env.
	Value(tool.Value) (string, error)
	// Hide removes a text from everything that leaves golem from now on.
	Hide(text string)
	// Given returns the redactor that removes the values that Value returned from what
	// tools return and from what modules ask others, so that no model reads them; nil:
	// there are none.
	Given() *trace.Redactor
	// IsSecret reports whether a text that a person typed contains a known key, or what
	// looks like one. golem asks before such an answer goes to a model.
	IsSecret(text string) bool
}

// Keeping is where a run is kept, and what was kept of it before.
type Keeping struct {
	ID string // the run's name, for items of Clearance and Undo
	// Clearance stores what the run stages, and tells the root what a person decided;
	// nil: what is staged ends with the run.
	Clearance *clearance.Store
	// Through are the project's files where only this run sees them, see clearance.Work; nil:
	// others see them.
	Through sandbox.FS
	// Undo stores what the run's direct writes replace; nil: they cannot be undone.
	Undo *clearance.Store
	// Journal keeps the conversation while it happens; nil: it is not kept. Kept is a
	// conversation to continue. Retake has the person's answers about its calls whose
	// end is unknown, by call id: true runs the call again, false takes it as failed.
	Journal   *conversation.Journal
	Kept      *conversation.Kept
	Retake    map[string]bool
	Left      bool             // the person does not go on with the last exchange of Kept, in which golem was killed
	Artifacts *trace.Artifacts // whole prompts, inputs and outputs (S3-22); nil: they are not stored
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
	w, err := r.Project.Workers.Find(name)
	if err == nil {
		return r.Run(ctx, w, in)
	}
	if errors.Is(err, fault.WorkerNotFound) {
		s, terr := r.entry(ctx)
		if terr == nil {
			if _, has := s.run.toolbox.Get(name); has {
				args, err := toolArgs(s.run.toolbox, name, in)
				if err == nil {
					return s.callTool(ctx, name, args, in)
				}
				s.run.close()
				return r.Refuse(in, err)
			}
			s.run.close()
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
	t, has := s.run.toolbox.Get(name)
	var args json.RawMessage
	switch {
	case !has:
		err = fault.New(fault.UnknownTool, "%s has no tool %q", s.run.worker.ID, name).Hinting("%s", fault.DidYouMean(name, s.run.toolbox.Names()))
	case t.Spec().Target != "":
		err = fault.New(fault.Usage, "%s calls the worker %s", name, t.Spec().Target).Hinting("golem run starts a worker")
	default:
		if args, err = toolArgs(s.run.toolbox, name, in); err == nil {
			return s.callTool(ctx, name, args, in)
		}
	}
	s.run.close()
	return r.Refuse(in, err)
}

func (r *Runner) entry(ctx context.Context) (*Session, error) {
	w, err := r.Project.Workers.Entry()
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
	s.single = true
	var res Result
	if r.Keeping.Kept == nil {
		res = s.Send(ctx, in)
	} else if pending, err := s.resume(ctx, true); err != nil {
		s.out, s.err = tool.Output{}, err
		return s.Close()
	} else if pending != nil {
		res = s.goOn(ctx, *pending)
	} else {
		res = s.result()
	}
	for {
		more := false
		if in, more = s.reply(ctx, res); !more {
			return s.Close()
		}
		res = s.send(ctx, in)
	}
}

// Callables returns a worker's tools, and the workers it may call, as one set that
// can be searched by name and by metadata (S3-20). Nothing in it can be called: its
// toolsets are closed.
func (r *Runner) Callables(ctx context.Context, w *project.Worker) (*tool.Set, error) {
	f, err := newTree(r, nil, true).start(ctx, w, nil, rootID)
	if err != nil {
		return nil, err
	}
	defer f.close()
	return f.toolbox.Set, nil
}

// Refuse returns the result of a run that could not begin because of err. The trace
// still has a start and an end.
func (r *Runner) Refuse(in Input, err error) Result {
	start, events := r.now(), newEvents(r.Front)
	f := fault.Of(err, fault.Config)
	events.emit(trace.Event{ID: rootID, Body: trace.RunStart{Input: in.Raw()}})
	res := Result{Status: Failed, Error: f, Refused: true, Unasked: unasked(r.Trust, f)}
	if f.Code == fault.Interrupted {
		res.Status, res.Refused = Interrupted, false
	}
	events.emit(trace.Event{ID: rootID, Body: endOf(res, r.Project.Trees.Opened(), r.now().Sub(start).Milliseconds())})
	return res
}
