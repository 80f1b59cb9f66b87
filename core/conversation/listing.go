package conversation

import (
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/state"
	"golem/core/tool"
)

// Listing describes a conversation in a list.
type Listing struct {
	ID     string `json:"id"`
	Time   string `json:"time"` // when it began, RFC 3339
	Title  string `json:"title"`
	Worker string `json:"worker"`
	Mode   string `json:"mode"` // run, chat
	// Messages counts the person's, Turns the model's answers of all workers.
	Messages int `json:"messages"`
	Turns    int `json:"turns"`
	// Status is that of the last exchange: ok, needs_input, error, interrupted; "open"
	// if golem was killed in it, "running" while a golem uses the conversation, "new"
	// before the first message.
	Status string  `json:"status"`
	Usage  Spent   `json:"usage"`
	From   *Origin `json:"from,omitempty"`
	// Error says why it cannot be resumed: it is not genuine, or cannot be read.
	Error *fault.Fault `json:"error,omitempty"`
}

// List returns the conversations of a project, the one that was written last first. A
// conversation that cannot be read has an Error.
func List(s *state.Store) []Listing {
	out := []Listing{}
	for id := range newestFirst(s) {
		k, err := Read(s, id)
		if (err != nil || len(k.entries) == 0) && s.Blank(fileOf(id)) {
			continue
		}
		if err != nil {
			out = append(out, Listing{ID: id, Status: "error", Error: fault.Of(err, fault.Config)})
			continue
		}
		out = append(out, k.ListingIn(s))
	}
	return out
}

// ListingIn returns the description of k in a list of a store, with the status "running" while
// a golem uses it.
func (k *Kept) ListingIn(s *state.Store) Listing {
	l := k.Listing()
	if s.Held(lockOf(k.ID)) {
		l.Status = "running"
	}
	return l
}

// Listing returns the description of k in a list. Its usage includes what a branch took over.
func (k *Kept) Listing() Listing {
	l := Listing{
		ID: k.ID, Time: k.Head.At, Title: k.Title(), Worker: k.Head.Worker, Mode: k.Head.Mode,
		Messages: k.Messages(), Turns: len(k.answers), Status: "new", From: k.Head.From, Error: fault.Of(k.Err, fault.Trust),
	}
	var used model.Usage
	for i := range k.entries {
		used = used.Add(k.entries[i].Usage.Usage())
	}
	l.Usage = Spent(used)
	if n := len(k.Steps); n > 0 && k.Steps[n-1].T == InputEntry {
		if l.Status = "open"; k.Steps[n-1].Done != nil {
			l.Status = k.Steps[n-1].Done.Status
		}
	}
	return l
}

// Said is one message, answer, call or note of a conversation, for people.
type Said struct {
	Who   string       `json:"who"`         // you, golem, thought, tool, note
	N     int          `json:"n,omitempty"` // number of the person's message, from 1; 0 if it was sent while an exchange ran
	Text  string       `json:"text,omitempty"`
	Files []string     `json:"files,omitempty"` // the names of the message's attachments
	Tool  string       `json:"tool,omitempty"`
	ID    string       `json:"id,omitempty"` // of a call
	Args  string       `json:"args,omitempty"`
	Done  bool         `json:"done,omitempty"` // the call has ended, perhaps with an empty text
	Error *fault.Fault `json:"error,omitempty"`
	Spent *ThoughtSize `json:"spent,omitempty"` // of a thought
}

// Whole returns the text, and below it the names of the attachments in brackets.
func (s *Said) Whole() string {
	text := s.Text
	for _, name := range s.Files {
		text += "\n[" + name + "]"
	}
	return text
}

// Said returns what the person and the root said, with the root's calls.
func (k *Kept) Said() []Said {
	out := []Said{}
	n := 0
	for i := range k.entries {
		switch e := &k.entries[i]; e.T {
		case InputEntry:
			if e.Input == nil {
				continue
			}
			n++
			for _, was := range e.Input.Earlier {
				out = append(out, was.shown())
			}
			out = append(out, e.Input.shown(n))
		case SteerEntry:
			if e.Input != nil {
				out = append(out, e.Input.shown(0))
			}
		case NewEntry:
			out = append(out, Said{Who: "note", Text: "a new conversation"})
		case CompactEntry:
			if e.ID == rootID && e.Text != "" {
				out = append(out, Said{Who: "note", Text: "summary of what was said before: " + e.Text})
			}
		case AnswerEntry:
			out = append(out, k.answered(e)...)
		case PartEntry:
			out = append(out, k.stopped(e)...)
		case CodeEntry:
			if e.Output != nil {
				out = append(out, Said{Who: "golem", Text: e.Output.Tool().String()})
			}
		case DoneEntry:
			if e.Error != nil {
				out = append(out, Said{Who: "note", Error: e.Error})
			}
		}
	}
	return out
}

// shown returns a message for people; n is its number.
func (in *Input) shown(n int) Said {
	text := in.Text
	if text == "" {
		text = string(in.JSON)
	}
	one := Said{Who: "you", N: n, Text: text}
	for _, f := range in.Files {
		one.Files = append(one.Files, f.Name)
	}
	return one
}

// shown returns a message for people. It has no number, because a branch cannot begin there.
func (e Earlier) shown() Said {
	if e.Worker {
		return Said{Who: "golem", Text: e.Text}
	}
	return (&Input{Text: e.Text, Files: e.Files}).shown(0)
}

// rootID is the id of the root's run (SPEC §16).
const rootID = "0"

// stopped returns what the person saw of an answer of the root that was stopped or failed, if
// no whole answer to the same request followed.
func (k *Kept) stopped(e *Entry) []Said {
	if k.Answer(e.Name, e.Turn, e.step) != nil {
		return nil
	}
	var out []Said
	if e.Answer != nil {
		out = e.Answer.Thought.said()
	}
	if e.Text != "" {
		out = append(out, Said{Who: "golem", Text: e.Text})
	}
	return out
}

// answered returns an answer of the root, with its calls and what they returned.
func (k *Kept) answered(e *Entry) []Said {
	var out []Said
	if e.ID != rootID || e.Answer == nil {
		return nil
	}
	out = e.Answer.Thought.said()
	if e.Answer.Text != "" {
		out = append(out, Said{Who: "golem", Text: e.Answer.Text})
	}
	for i, c := range e.Answer.Calls {
		one := Said{Who: "tool", Tool: c.Name, Args: c.Args, ID: e.CallID(i)}
		if end := k.ends[one.ID]; end != nil {
			one.Text, one.Done, one.Error = end.Output.Tool().String(), true, end.Error
		}
		out = append(out, one)
	}
	return out
}

// Markdown returns the conversation as Markdown, for export. Arguments and results of
// calls are in fences that they cannot close.
func (k *Kept) Markdown() string {
	var b strings.Builder
	title := k.Title()
	if title == "" {
		title = k.ID
	}
	fmt.Fprintf(&b, "# %s\n\n%s · %s · %s\n", oneLine(title), k.ID, k.Head.Worker, k.Head.At)
	if from := k.Head.From; from != nil {
		fmt.Fprintf(&b, "\nA branch of %s before message %d.\n", from.ID, from.At)
	}
	if k.Err != nil {
		fmt.Fprintf(&b, "\n> %s\n", oneLine(k.Err.Error()))
	}
	for _, s := range k.Said() {
		switch s.Who {
		case "thought": // it is no part of what was said
		case "you":
			n := ""
			if s.N > 0 {
				n = fmt.Sprintf(" (%d)", s.N)
			}
			fmt.Fprintf(&b, "\n## You%s\n\n%s\n", n, s.Whole())
		case "golem":
			fmt.Fprintf(&b, "\n## Golem\n\n%s\n", s.Text)
		case "tool":
			fmt.Fprintf(&b, "\n`%s` (call %s)\n\n%s", strings.ReplaceAll(s.Tool, "`", "'"), s.ID, fenced("json", indented(s.Args)))
			if s.Text != "" {
				fmt.Fprintf(&b, "\n%s", fenced("", s.Text))
			}
		default:
			fmt.Fprintf(&b, "\n> %s\n", oneLine(s.Text))
		}
		if s.Error != nil {
			fmt.Fprintf(&b, "\n> %s\n", oneLine(s.Error.Error()))
		}
	}
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// indented returns JSON on several lines; a text that is not JSON is returned unchanged.
func indented(s string) string {
	var v json.RawMessage
	if json.Unmarshal([]byte(s), &v) != nil {
		return s
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return s
	}
	return string(out)
}

// fenced returns text in a fence that is longer than any in it.
func fenced(kind, text string) string {
	fence := tool.Fence(text)
	return fence + kind + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}
