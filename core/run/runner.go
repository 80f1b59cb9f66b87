// Package run is the harness: it owns the loop, and nothing else calls a
// model or a tool (SPEC §5; S3-02..06). A Runner runs callables of one
// project on one platform; a Session is one life of a root worker.
package run

import (
	"context"
	"errors"
	"time"

	"golem/core/approval"
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
	// Modules keeps what was compiled of the project's tool modules; nil: this
	// platform runs none, and a module that is found is E_PLATFORM.
	Modules *custom.Cache
	// Model opens a worker's effective model, without retries.
	Model func(ctx context.Context, w *project.Worker) (model.Model, error)
	// Mount opens the root of the sandbox, ".", or a directory outside it. It is
	// called once a directory and run.
	Mount func(source string) (sandbox.FS, error)
	Gate  *approval.Gate
	Sink  trace.Sink
	// Asking, if set, brackets each question to a person, so that the front end
	// shows nothing else meanwhile; Sink goes on getting every event.
	Asking func() (done func())
	// Trust settles before a worker's model is opened whether a person trusts
	// what the project says of its provider; ask puts a question to the person
	// while the tree's clocks stand still. E_TRUST refuses. nil: nothing to settle.
	Trust func(ctx context.Context, w *project.Worker, ask Asker) error
	// TrustSettings does the same for what a worker's model_settings add to
	// each request.
	TrustSettings func(ctx context.Context, w *project.Worker, ask Asker) error
	// Granted refuses a tool whose grants no person trusted (E_TRUST); nil: none.
	Granted func(ctx context.Context, w *project.Worker, t tool.Tool) error
	// Unattended says that somebody was to be asked for trust and nobody was
	// there: what fails with E_TRUST then counts as denied. nil: never.
	Unattended func() bool
	// Protection guards the definition files in every view; zero: none.
	Protection sandbox.Protection
	// Quota bounds what one run may write; zero: no bound.
	Quota sandbox.Limits
	// Notices are what the root run begins with: warnings, and the answer to the
	// question of trust.
	Notices []trace.Body
	// Inject, if set, is asked before each model request of the root for text
	// to put before it as a user message (S4-52).
	Inject func() []string
	// Artifact, if set, keeps whole prompts, inputs and outputs (S3-22).
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

// Call runs one callable to its end: the one door for whoever calls from
// outside (S3-03). A worker reference answers once, whatever its mode; any
// other name is a tool of the project's entry worker, called by a person, so
// that manual tools run too.
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

func (r *Runner) entry(ctx context.Context) (*Session, error) {
	w, err := r.Project.Entry()
	if err != nil {
		return nil, err
	}
	return r.OpenWorker(ctx, w)
}

// Run runs a worker for one answer, whatever its mode; or the tool that is the
// entry.
func (r *Runner) Run(ctx context.Context, w *project.Worker, in Input) Result {
	if w.Tool != "" {
		return r.runTool(ctx, w, in)
	}
	s, err := r.OpenWorker(ctx, w)
	if err != nil {
		return r.Refuse(in, err)
	}
	for more := true; more; {
		in, more = s.reply(ctx, s.Send(ctx, in))
	}
	return s.Close()
}

// Callables are a worker's tools and the workers it may call, in one registry
// that is searched by name and by metadata (S3-20).
func (r *Runner) Callables(ctx context.Context, w *project.Worker) (*tool.Set, error) {
	f, err := newTree(r).frame(ctx, w, nil, rootID)
	if err != nil {
		return nil, err
	}
	defer f.close()
	return f.tools, nil
}

// Refuse is a run that could not begin; the trace still has a start and an end.
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
