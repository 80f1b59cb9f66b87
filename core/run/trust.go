package run

import (
	"context"
	"sync/atomic"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/project"
	"golem/core/tool"
	"golem/core/trace"
)

// Trust says what a person allows the project's files beyond its sandbox (SPEC §3). Each
// method returns E_TRUST for what nobody trusts; ask asks the person while no time limit
// runs.
type Trust interface {
	// Model is called before a worker's model is opened, for what the files say about its
	// provider.
	Model(ctx context.Context, w *project.Worker, ask Asker) error
	// Settings is called before Model, for what model_settings add to each request and
	// for files that a command has changed.
	Settings(ctx context.Context, w *project.Worker, ask Asker) error
	// Granted is called before each call of a tool, for its grants. It asks nobody.
	Granted(ctx context.Context, w *project.Worker, t tool.Tool) error
	// Server is called before each start of an MCP server of a worker.
	Server(ctx context.Context, w *project.Worker, server string, ask Asker) error
	// ServerTools returns for each tool of a server whether a person trusts it with its
	// current description.
	ServerTools(ctx context.Context, w *project.Worker, server string, tools []mcp.Tool, ask Asker) ([]bool, error)
	// Unattended reports whether nobody was there when a person had to be asked. What
	// fails with E_TRUST then counts as denied.
	Unattended() bool
}

// Changes counts what workers change, so that a person is asked before it is used.
type Changes interface {
	// Wrote is called before a worker changes a real file, with its source, and with ""
	// before a tool that can change files without golem seeing which.
	Wrote(name string)
	// Rewrote is called after a command changed files that define the project, see
	// toolset.Env.
	Rewrote(files map[string]string)
}

// unasked reports whether a fault stands for a question that nobody could be asked.
func unasked(t Trust, f *fault.Fault) bool {
	return f.Code == fault.Trust && t != nil && t.Unattended()
}

// taint says whether the run has read untrusted content (SECURITY 13).
type taint struct {
	is      atomic.Bool
	own     atomic.Bool // files of the person were attached
	asks    bool        // network calls and commands ask from then on
	journal *conversation.Journal
	events  *events
}

// attached marks the run as having got files. Those of the person are what the person gives,
// so that nobody is warned of them, unless calls ask because of them; resources of servers
// are untrusted content.
func (t *taint) attached(at trace.Event, files, resources bool) {
	switch {
	case resources:
		t.mark(at, "attachments")
	case files && t.asks:
		t.set(at, "an attached file can contain instructions of other people: from now on, network calls and commands ask")
	case files && !t.own.Swap(true) && !t.is.Load():
		t.journal.Add(conversation.TaintOf(false))
	}
}

// mark marks the run as having read untrusted content, once; from names what brought it.
func (t *taint) mark(at trace.Event, from string) {
	t.set(at, "untrusted content from outside the project was read ("+from+"), and it may contain instructions of other people; "+t.consequence())
}

// result marks the run because of a call's result. told says that it is of a command of the
// person, and the model hears what that printed.
func (t *taint) result(at trace.Event, tool string, told bool) {
	if !told {
		t.mark(at, tool)
		return
	}
	t.set(at, "the model reads what your command printed, with your next message, and may follow instructions in it that other people wrote; "+t.consequence())
}

// consequence says what follows from untrusted content.
func (t *taint) consequence() string {
	if t.asks {
		return "from now on, network calls and commands ask"
	}
	return "to be asked before network calls and commands after it, write approval: {taint: ask} into the manifest"
}

// set marks the run, once, and emits the warning.
func (t *taint) set(at trace.Event, warning string) {
	if t.is.Swap(true) {
		return
	}
	t.journal.Add(conversation.TaintOf(true))
	at.Body = trace.Warning{Code: fault.Trust, Message: warning}
	t.events.emit(at)
}
