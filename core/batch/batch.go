// Package batch runs one worker for each of many inputs (SPEC §19): it reads the inputs, gives
// each item to one holder at a time, and keeps what the holders append, so that a batch that was
// killed goes on where it was. It knows no model, no project and no network: a Worker runs an
// item, and a Queue has the items. Local is the Queue on the files of one machine; package
// batchtest has the suite that every Queue passes.
package batch

import (
	"context"
	"encoding/json"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/trace"
)

// Item is one input of a batch.
type Item struct {
	N     int    `json:"n"` // its place in the order of the batch, from 0
	Key   string `json:"item"`
	Input Input  `json:"input"`
	// Digest is the SHA-256 (hex) of the input, to notice that it changed.
	Digest string `json:"sha256"`
	// Gone says that the inputs do not have the item any more. It has no Input, and is kept so
	// that it is not run anew if its input comes back.
	Gone bool `json:"gone,omitempty"`
}

// Dir returns the name of the item as a directory (SPEC §19).
func (i Item) Dir() string { return DirName(i.Key) }

// Status is how far an item is.
type Status string

// The statuses of an item. OK, NeedsInput, Failed and Cancelled are its end.
const (
	Open       Status = "open"        // it waits for a holder, or was interrupted
	Parked     Status = "parked"      // it waits for an answer of a person
	OK         Status = "ok"          // it has an output
	NeedsInput Status = "needs_input" // its output is a question of the worker
	Failed     Status = "error"
	Cancelled  Status = "cancelled"
)

// Ended reports whether nothing more happens to the item by itself.
func (s Status) Ended() bool {
	return s == OK || s == NeedsInput || s == Failed || s == Cancelled
}

// Result is how an item ended, as a line of results.jsonl has it (SPEC §19).
type Result struct {
	Item string `json:"item"` // its key
	// "ok", "needs_input" (the output is a question), "error", "parked" (it waits for your
	// answer), "open" (not finished yet) or "cancelled".
	Status  Status          `json:"status"`
	Output  json.RawMessage `json:"output,omitempty"`  // a string, or the JSON value of an output schema
	Error   *fault.Fault    `json:"error,omitempty"`   // with code and message
	Usage   *trace.Usage    `json:"usage,omitempty"`   // tokens and cost
	Cost    json.RawMessage `json:"cost,omitempty"`    // US dollars; none where nothing was billed
	MS      int64           `json:"ms,omitempty"`      // milliseconds
	Attempt int             `json:"attempt,omitempty"` // how many workers had the item, from 1
	Files   []string        `json:"files,omitempty"`   // that it wrote below its directory
	Denied  int             `json:"denied,omitempty"`  // calls that were not run
	// Trace is the trace of the last attempt, as JSON lines; the Queue keeps it apart.
	Trace []byte `json:"-"`
	// Staged is what the item changed in staged mounts, if another machine makes the item of
	// clearance; its Queue carries it there. Otherwise nil.
	Staged []Change `json:"-"`
}

// Change is what an item changed in a file.
type Change struct {
	Name    string // in the project
	Data    []byte
	Removed bool
}

// Line is one entry of an item's log. An entry is kept whole or not at all.
type Line []byte

// Question is what an item asks a person. Two questions with the same Key are answered
// together.
type Question struct {
	Key string `json:"key"`
	// Of identifies the tool, where a rule may answer: "" if only this very call can be
	// answered.
	Of      string           `json:"of,omitempty"`
	Request approval.Request `json:"request"`
}

// Answer is the answer of a person to all questions with its key, or to those that its rule
// covers.
type Answer struct {
	Key    string          `json:"key,omitempty"`
	Rule   *Rule           `json:"rule,omitempty"`
	Answer approval.Answer `json:"answer"`
	Reason string          `json:"reason,omitempty"`
	Text   string          `json:"text,omitempty"`
	By     string          `json:"by"` // who gave it
	At     string          `json:"at"` // RFC 3339
}

// Queue has the items of a batch. It is safe for concurrent use.
type Queue interface {
	// Lease gives the next open item to the caller, who is its only holder until the lease
	// ends. It returns nil if no item is open.
	Lease(ctx context.Context, worker string) (*Lease, error)
	// Answers returns the answers that people gave so far.
	Answers(ctx context.Context) ([]Answer, error)
	// Refresh learns what others did since the last time: answers, which open the items that
	// wait for them, and the wish that the batch ends (cancelled).
	Refresh(ctx context.Context) (cancelled bool, err error)
}

// Lease is an item with its holder.
type Lease struct {
	Item    Item
	Attempt int // how many holders the item has had, this one included
	// Failures is how often a holder gave the item back with Retry, since a person ran it.
	Failures int
	Log      []Line // what was appended so far, without the entries of leases
	// Purse pays for the requests of the item, if other processes spend from the same budget;
	// nil: none does.
	Purse Purse
	Holder
}

// Holder is what the holder of an item can do. After Finish, Retry, Ask or Release, and after any error
// that is fault.Conflict, the item is not the holder's any more.
type Holder interface {
	// Append appends entries to the item's log. at is the number of entries that the caller
	// knows of; if the log has another number, somebody else holds the item: E_CONFLICT, and
	// nothing is appended.
	Append(ctx context.Context, at int, lines ...Line) error
	// Note appends entries as Append does, but they are no progress: an item on which three
	// holders in a row end without progress fails.
	Note(ctx context.Context, at int, lines ...Line) error
	// PutBlob keeps bytes under their SHA-256 (hex), which it returns.
	PutBlob(ctx context.Context, data []byte) (digest string, err error)
	// Blob returns what PutBlob kept, or E_NOT_FOUND.
	Blob(ctx context.Context, digest string) ([]byte, error)
	// Ask parks the item until its question is answered.
	Ask(ctx context.Context, q Question) error
	// Finish ends the item. Its log and its blobs are kept no longer.
	Finish(ctx context.Context, r Result) error
	// Retry gives back an item that failed, in place of Finish, to be run again. Its log begins
	// anew, and of r only what it used is kept, and that it failed once more. A process that is killed meanwhile leaves either
	// the item as it was or all of this.
	Retry(ctx context.Context, r Result) error
	// Release gives the item back. Another holder goes on with its log.
	Release(ctx context.Context) error
}
