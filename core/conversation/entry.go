package conversation

import (
	"encoding/json"
	"fmt"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/money"
	"golem/core/tool"
)

// Kind and Version are the format of a kept conversation: a state.Log whose payloads
// are entries.
const (
	Kind    = "conversation"
	Version = 1
)

// Dir is the directory of conversations in .golem, one <run>.jsonl each. KeptCount is
// how many are kept: the ones that were written last.
const (
	Dir       = "conversations"
	KeptCount = 200
)

// The kinds of entries, and the fields that each has.
const (
	HeadEntry    = "head"    // the first: Run, Mode, Worker, File, From
	InputEntry   = "input"   // what the person said: Input; Calls before it
	SteerEntry   = "steer"   // what the person said while the exchange ran: Input, before the request of Turn
	NewEntry     = "new"     // the person began a new conversation
	BeginEntry   = "begin"   // a worker run begins: Name, Worker, File, Digest, System, Text, Files
	NoteEntry    = "note"    // golem added Text before the request of Turn
	CompactEntry = "compact" // golem dropped messages before the request of Turn, see Dropped; Usage and Answer.Model of the summary
	AnswerEntry  = "answer"  // a model's: Answer, Usage
	CodeEntry    = "code"    // the hardened module of the root answered the message: Output, Calls after it
	LostEntry    = "lost"    // the provider billed Usage, of Answer.Model, for an answer that failed, for the request of Turn
	PartEntry    = "part"    // Text is what a person saw of the answer to the request of Turn, which was stopped or failed, "": it only reasoned; Answer.Thought
	ImagesEntry  = "images"  // the provider refused the newest images, so the request of Turn goes without them
	StartEntry   = "start"   // a call that can change something is about to run: Tool, Args, Again
	EndEntry     = "end"     // a call has ended: Tool, Status, Output or Error, Changed
	FilesEntry   = "files"   // the files that a conversation brings along from elsewhere: Changed
	ModelEntry   = "model"   // the person chose the model Text (/model)
	TitleEntry   = "title"   // the conversation got the title Text
	TaintEntry   = "taint"   // untrusted content was read, or with the Status "attached" only files that the person attached
	ResumeEntry  = "resume"  // the run Run goes on with the conversation
	DigestEntry  = "digest"  // the person goes on although a worker's file has changed: Worker, Digest
	DoneEntry    = "done"    // an exchange has ended: Status, Error, Refused, Turn
)

// The values of Entry.Mode: what began the conversation.
const (
	ModeRun  = "run"
	ModeChat = "chat"
)

// Entry is one line of a kept conversation. Its kind, T, determines which fields count.
type Entry struct {
	T     string `json:"t"`
	At    string `json:"at,omitempty"`   // RFC 3339, UTC
	ID    string `json:"id,omitempty"`   // of the worker run or the call, as in the trace
	Name  string `json:"name,omitempty"` // Conversation.Name
	Turn  int    `json:"turn,omitempty"`
	Calls int    `json:"calls,omitempty"` // Conversation.Calls before it

	Run    string  `json:"run,omitempty"`
	Mode   string  `json:"mode,omitempty"`
	Worker string  `json:"worker,omitempty"` // ID
	File   string  `json:"file,omitempty"`
	Digest string  `json:"digest,omitempty"`
	From   *Origin `json:"from,omitempty"`

	Input   *Input       `json:"input,omitempty"`
	System  string       `json:"system,omitempty"`
	Text    string       `json:"text,omitempty"`
	Files   []File       `json:"files,omitempty"`
	Dropped *Dropped     `json:"dropped,omitempty"`
	Answer  *Answer      `json:"answer,omitempty"`
	Usage   *Spent       `json:"usage,omitempty"`
	Tool    string       `json:"tool,omitempty"`
	Args    string       `json:"args,omitempty"`
	Output  *Output      `json:"output,omitempty"`
	Status  string       `json:"status,omitempty"` // as in the trace
	Error   *fault.Fault `json:"error,omitempty"`
	Changed []Change     `json:"changed,omitempty"` // files of the project, as the call left them
	Again   bool         `json:"again,omitempty"`   // running the call twice does what running it once does
	Open    bool         `json:"open,omitempty"`    // the call was stopped or not run: resuming the exchange takes it up again
	Nobody  bool         `json:"nobody,omitempty"`  // it was denied because nobody could be asked
	ByFile  bool         `json:"by_file,omitempty"`
	Refused bool         `json:"refused,omitempty"` // the provider refused what was in the request, so the message is in no later one
	// Redacted are the indexes of the answer's calls whose arguments had a secret.
	Redacted []int `json:"redacted,omitempty"`

	step int // index of the Step in Kept.Steps that it belongs to
}

// attachedOnly is the Status of a TaintEntry for files of the person.
const attachedOnly = "attached"

// TaintOf returns the entry for untrusted content. foreign says that it is not only a file
// that the person attached.
func TaintOf(foreign bool) Entry {
	if foreign {
		return Entry{T: TaintEntry}
	}
	return Entry{T: TaintEntry, Status: attachedOnly}
}

// Origin is the place where a branch begins: ID is the other conversation, At the
// number, from 1, of the person's message before which the branch begins.
type Origin struct {
	ID string `json:"id"`
	At int    `json:"at"`
}

// Input is what a person said.
type Input struct {
	Text  string          `json:"text,omitempty"`
	JSON  json.RawMessage `json:"json,omitempty"`
	Files []File          `json:"files,omitempty"`
	// Earlier was said before, in a conversation that another program keeps.
	Earlier []Earlier `json:"earlier,omitempty"`
}

// Earlier is a message that the worker said, or else the person.
type Earlier struct {
	Worker bool   `json:"worker,omitempty"`
	Text   string `json:"text,omitempty"`
	Files  []File `json:"files,omitempty"`
}

// File is an attachment. Path is its path in the caller's view, "" for a file from
// outside.
type File struct {
	Name string `json:"name"`
	Path string `json:"path,omitempty"`
	MIME string `json:"mime,omitempty"`
	Data []byte `json:"data,omitempty"`
	// Resource says that Name is mcp:SERVER:URI of a resource that could not be read, so
	// there is no Data.
	Resource bool `json:"resource,omitempty"`
}

// Dropped is what a compaction removed from the next request: whole exchanges, then
// turns of the last one. If the model summarised them, Entry.Text stands in their
// place.
type Dropped struct {
	Exchanges int `json:"exchanges,omitempty"`
	Turns     int `json:"turns,omitempty"`
	// Summary says that earlier summaries went, too, although no exchange did.
	Summary bool `json:"summary,omitempty"`
}

// Answer is a model's turn.
type Answer struct {
	Text     string       `json:"text,omitempty"`
	Calls    []model.Call `json:"calls,omitempty"`
	Kept     *model.Kept  `json:"kept,omitempty"`
	Finish   string       `json:"finish"`
	Model    string       `json:"model"`
	Attempts int          `json:"attempts"`
	MS       int64        `json:"ms,omitempty"`           // of the request, in milliseconds
	Ran      int          `json:"server_calls,omitempty"` // calls that ran at the provider, which have numbers, too
	Paused   bool         `json:"paused,omitempty"`
	Thought  *Thought     `json:"thought,omitempty"` // of the root
}

// Spent is a model.Usage with its cost.
type Spent struct {
	In        int       `json:"in"`
	Out       int       `json:"out"`
	Cached    int       `json:"cached,omitempty"`
	Written   int       `json:"written,omitempty"`
	Estimated bool      `json:"estimated,omitempty"`
	Cost      money.USD `json:"cost,omitempty"`
	Unpriced  bool      `json:"unpriced,omitempty"`
	Suggested bool      `json:"suggested,omitempty"`
}

// SpentOf returns a usage in the form of an entry.
func SpentOf(u model.Usage) *Spent { s := Spent(u); return &s }

// Usage returns s as a usage; the zero usage for nil.
func (s *Spent) Usage() model.Usage {
	if s == nil {
		return model.Usage{}
	}
	return model.Usage(*s)
}

// AnswerOf returns the entry of a model's turn. The caller sets ID, Name, Turn, Calls
// and Worker.
func AnswerOf(t model.Turn) Entry {
	return Entry{
		T: AnswerEntry, Usage: SpentOf(t.Usage),
		Answer: &Answer{Text: t.Text, Calls: t.Calls, Kept: t.Kept, Finish: t.Finish, Model: t.Model, Attempts: t.Attempts, Ran: len(t.ServerCalls), Paused: t.Paused},
	}
}

// ModelTurn returns the turn of an answer entry. Of an entry without an answer it has
// only the usage.
func (e *Entry) ModelTurn() model.Turn {
	a := e.Answer
	if a == nil {
		a = &Answer{}
	}
	return model.Turn{Text: a.Text, Calls: a.Calls, Kept: a.Kept, Finish: a.Finish, Model: a.Model, Attempts: a.Attempts, Usage: e.Usage.Usage(), Paused: a.Paused}
}

// CallID returns the trace id of the answer's call with this index, from 0.
func (e *Entry) CallID(index int) string { return fmt.Sprintf("%s.%d", e.ID, e.Calls+1+index) }

// Output is what a call returned.
type Output struct {
	Text       string          `json:"text,omitempty"`
	Kind       string          `json:"kind,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	Summary    string          `json:"summary,omitempty"`
	Parts      []tool.Part     `json:"parts,omitempty"`
	NeedsInput bool            `json:"needs_input,omitempty"`
	Untrusted  bool            `json:"untrusted,omitempty"`
}

// OutputOf is an output as an entry has it. Its diff is not kept: it is for people,
// while the call runs.
func OutputOf(o tool.Output) *Output {
	return &Output{o.Text, o.Kind, o.Data, o.Summary, o.Parts, o.NeedsInput, o.Untrusted}
}

// Tool returns o as a tool's output; the zero output for nil.
func (o *Output) Tool() tool.Output {
	if o == nil {
		return tool.Output{}
	}
	return tool.Output{Text: o.Text, Kind: o.Kind, Data: o.Data, Summary: o.Summary, Parts: o.Parts, NeedsInput: o.NeedsInput, Untrusted: o.Untrusted}
}
