package conversation

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/sorting"
	"golem/core/state"
)

// Kept is a conversation that was read from its file. Only Reopen changes it.
type Kept struct {
	ID   string
	Head Entry
	// Err is E_TRUST if the conversation is not genuine: it may be shown, but not
	// continued. nil: it is genuine.
	Err   error
	Steps []Step // what the person did, in order
	// Taint says that untrusted content was read, Foreign that it was not only files that
	// the person attached.
	Taint, Foreign bool
	Model          string // the model that the person chose last; "": the files decide

	title   string // that a person or a model gave it last; "": none
	record  *state.Record
	entries []Entry
	answers map[string]*Entry   // by conversation and turn
	parts   map[string]*Entry   // of failed answers, by conversation and turn
	changes map[string][]*Entry // notes, compactions and failed answers, by conversation and turn
	begins  map[string]*Entry   // by conversation
	starts  map[string]*Entry   // by call id
	ends    map[string]*Entry   // by call id
	digests map[string]Digest   // by file
}

// Step is a message of the person with the end of its exchange, or the beginning of a
// new conversation.
type Step struct {
	*Entry        // InputEntry or NewEntry
	Done   *Entry // nil: golem was killed before the exchange ended
	at     int    // index of Entry
}

// Digest is the digest of a worker's file when its run began.
type Digest struct{ Worker, File, Digest string }

// Read reads a conversation; with "" as id, the one that was written last. It changes
// nothing. It fails with E_NOT_FOUND, or with E_CONFIG if the file is of a newer
// version or is not a conversation.
func Read(s *state.Store, id string) (*Kept, error) {
	if id == "" {
		if id = Newest(s); id == "" {
			return nil, fault.New(fault.NotFound, "there is no conversation yet").Hinting("golem run and golem chat keep one each")
		}
	}
	if err := validID(id); err != nil {
		return nil, err
	}
	r, err := s.ReadLog(format, fileOf(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "there is no conversation %s", id).Hinting("golem conversations lists them")
	}
	if err != nil {
		return nil, err
	}
	k := &Kept{ID: id, Err: r.Err, record: r}
	for _, line := range r.Lines {
		var e Entry
		if json.Unmarshal(line, &e) == nil {
			k.entries = append(k.entries, e)
		}
	}
	k.index()
	return k, nil
}

func place(name string, turn int) string { return name + "/" + strconv.Itoa(turn) }

// index fills the maps and Steps from the entries. Of two entries for the same thing
// the later one counts.
func (k *Kept) index() {
	k.title = ""
	k.Steps, k.Taint, k.Foreign = nil, false, false
	k.parts = map[string]*Entry{}
	k.answers, k.changes = map[string]*Entry{}, map[string][]*Entry{}
	k.begins, k.starts, k.ends = map[string]*Entry{}, map[string]*Entry{}, map[string]*Entry{}
	k.digests = map[string]Digest{}
	for i := range k.entries {
		e := &k.entries[i]
		switch e.T {
		case HeadEntry:
			k.Head = *e
		case InputEntry, NewEntry:
			if e.T == NewEntry || e.Input != nil {
				k.Steps = append(k.Steps, Step{Entry: e, at: i})
			}
		case BeginEntry:
			k.begins[e.Name] = e
			k.digests[e.File] = Digest{e.Worker, e.File, e.Digest}
		case DigestEntry:
			k.digests[e.File] = Digest{e.Worker, e.File, e.Digest}
		case NoteEntry, CompactEntry, LostEntry, ImagesEntry, SteerEntry:
			at := place(e.Name, e.Turn)
			k.changes[at] = append(k.changes[at], e)
		case PartEntry:
			k.parts[place(e.Name, e.Turn)] = e
		case AnswerEntry:
			if e.Answer != nil {
				k.answers[place(e.Name, e.Turn)] = e
			}
		case StartEntry:
			k.starts[e.ID] = e
		case EndEntry:
			k.ends[e.ID] = e
		case TitleEntry:
			k.title = titled(e.Text)
		case ModelEntry:
			k.Model = e.Text
		case TaintEntry:
			k.Taint = true
			k.Foreign = k.Foreign || e.Status != attachedOnly
		case DoneEntry:
			if n := len(k.Steps); n > 0 {
				k.Steps[n-1].Done = e
			}
		}
		e.step = len(k.Steps) - 1
	}
}

// Answer returns the kept answer to a request of one of the Steps, by its index; nil:
// none is kept.
func (k *Kept) Answer(name string, turn, step int) *Entry {
	if e := k.answers[place(name, turn)]; e != nil && e.step == step {
		return e
	}
	return nil
}

// Code returns the answer that the root's hardened module gave in one of the Steps, by its
// index; nil: a model answered, or nobody did.
func (k *Kept) Code(step int) *Entry {
	for i := range k.entries {
		if e := &k.entries[i]; e.T == CodeEntry && e.step == step && e.Output != nil {
			return e
		}
	}
	return nil
}

// Part returns what a person saw of the failed answer to a request of one of the Steps;
// nil: nothing.
func (k *Kept) Part(name string, turn, step int) *Entry {
	if e := k.parts[place(name, turn)]; e != nil && e.step == step {
		return e
	}
	return nil
}

// Changes returns the notes and compactions before a request, and its failed answers, in
// order.
func (k *Kept) Changes(name string, turn int) []*Entry { return k.changes[place(name, turn)] }

// Begin returns how a worker run began; nil: it is not kept.
func (k *Kept) Begin(name string) *Entry { return k.begins[name] }

// FirstRoot returns the name of the root's messages in the first exchange: another one than
// rootID if the person began with /new.
func (k *Kept) FirstRoot() string {
	for i := range k.entries {
		if e := &k.entries[i]; e.T == BeginEntry && e.ID == rootID && e.step == 0 {
			return e.Name
		}
	}
	return rootID
}

// End returns how a call ended; nil: it has not ended.
func (k *Kept) End(id string) *Entry { return k.ends[id] }

// Below returns what the requests of a call's worker, and of all workers below it, were
// billed: answers, failed answers and summaries.
func (k *Kept) Below(id string) []*Entry {
	var out []*Entry
	for i := range k.entries {
		if e := &k.entries[i]; e.Usage != nil && (e.ID == id || strings.HasPrefix(e.ID, id+".")) {
			out = append(out, e)
		}
	}
	return out
}

// LastCall returns the index, from 1, of the root's last call; 0: there is none.
func (k *Kept) LastCall() int {
	last := 0
	note := func(id string) {
		index, _, _ := strings.Cut(strings.TrimPrefix(id, "0."), ".")
		if n, err := strconv.Atoi(index); err == nil && strings.HasPrefix(id, "0.") {
			last = max(last, n)
		}
	}
	for id := range k.starts {
		note(id)
	}
	for id := range k.ends {
		note(id)
	}
	for _, e := range k.answers {
		if e.Answer != nil && len(e.Answer.Calls) > 0 {
			note(e.CallID(len(e.Answer.Calls) - 1))
		}
	}
	return last
}

// Started returns how often a call has begun to run, also when it was killed meanwhile; with
// "" all calls together.
func (k *Kept) Started(call string) int {
	n := 0
	for i := range k.entries {
		if e := &k.entries[i]; e.T == StartEntry && (call == "" || e.ID == call) {
			n++
		}
	}
	return n
}

// Digests returns the workers that ran, ordered by file.
func (k *Kept) Digests() []Digest {
	var out []Digest
	for _, file := range slices.Sorted(maps.Keys(k.digests)) {
		out = append(out, k.digests[file])
	}
	return out
}

// Doubt is a call about which a person must be asked before the conversation goes on.
type Doubt struct {
	ID, Worker, Tool, Args string
	// Secret says that the arguments contained a secret, which was not kept, so golem
	// cannot run the call again.
	Secret bool
	// Started says that the call was running when golem ended; its end is unknown.
	Started bool
	// Again says that the call does no more if it runs twice, as long as its arguments are
	// known.
	Again bool
}

// Pending reports whether the last exchange can be continued: golem was killed in it,
// or, if again is true, it failed or was interrupted.
func (k *Kept) Pending(again bool) bool {
	if len(k.Steps) == 0 {
		return false
	}
	last := k.Steps[len(k.Steps)-1]
	return last.T == InputEntry && (last.Done == nil || again && last.Done.Status != "ok" && last.Done.Status != "needs_input")
}

// Reopen prepares the last exchange, which was interrupted or killed, to be continued:
// its calls that were stopped or not run count as not ended. It returns the calls in
// doubt, in order.
func (k *Kept) Reopen() []Doubt {
	last := len(k.Steps) - 1
	for id, e := range k.ends {
		if e.step == last && e.Open {
			delete(k.ends, id)
		}
	}
	doubts := map[string]Doubt{}
	for id, e := range k.starts {
		if e.step == last && k.ends[id] == nil {
			doubts[id] = Doubt{ID: id, Worker: e.Worker, Tool: e.Tool, Args: e.Args, Started: true, Again: e.Again}
		}
	}
	for _, e := range k.answers {
		if e.step != last {
			continue
		}
		for _, i := range e.Redacted {
			if id := e.CallID(i); i < len(e.Answer.Calls) && k.ends[id] == nil {
				doubts[id] = Doubt{ID: id, Worker: e.Worker, Tool: e.Answer.Calls[i].Name, Args: e.Answer.Calls[i].Args, Secret: true, Started: k.starts[id] != nil}
			}
		}
	}
	var out []Doubt
	ids := slices.Collect(maps.Keys(doubts))
	sorting.By(ids, compareID)
	for _, id := range ids {
		if !k.endedAbove(id) {
			out = append(out, doubts[id])
		}
	}
	return out
}

// endedAbove reports whether a call that contains this one has ended.
func (k *Kept) endedAbove(id string) bool {
	for at := strings.LastIndexByte(id, '.'); at > 0; at = strings.LastIndexByte(id[:at], '.') {
		if k.ends[id[:at]] != nil {
			return true
		}
	}
	return false
}

// compareID orders call ids as numbers.
func compareID(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		return strings.Compare(x, y)
	})
}

// Messages returns the number of the person's messages.
func (k *Kept) Messages() int {
	n := 0
	for _, s := range k.Steps {
		if s.T == InputEntry {
			n++
		}
	}
	return n
}

// Message returns the person's message n, from 1, and its number. 0 means the last one, which
// must have been said since the last /new.
func (k *Kept) Message(n int) (*Input, int, error) {
	if n == 0 {
		if len(k.Steps) == 0 || k.Steps[len(k.Steps)-1].Input == nil {
			return nil, 0, fault.New(fault.Usage, "you have said nothing yet").Hinting("write a message")
		}
		n = k.Messages()
	}
	at, err := k.messageEntry(n)
	if err != nil {
		return nil, 0, err
	}
	return k.entries[at].Input, n, nil
}

// messageEntry returns the index of the entry of the person's message n, from 1.
func (k *Kept) messageEntry(n int) (int, error) {
	at := n
	for _, s := range k.Steps {
		if s.T == InputEntry {
			if at--; at == 0 {
				return s.at, nil
			}
		}
	}
	return 0, fault.New(fault.Usage, "there is no message %d: this conversation has %d", n, k.Messages()).
		Hinting("/rewind in a chat lists them with their numbers")
}

// Resume returns the journal that continues k after its last entry. The caller must
// have held the conversation when it read k; release ends that hold, and the Journal
// calls it in Close.
func Resume(s *state.Store, by Keeper, k *Kept, release func()) (*Journal, error) {
	if k.Err != nil {
		return nil, k.Err
	}
	log, err := s.Reopen(format, fileOf(k.ID), k.record)
	if err != nil {
		return nil, err
	}
	_ = s.Last(Dir, state.Written{Name: k.ID, Note: noteOf(k.Head.From)}, nil) // now, so that it is the last one also if golem is killed; an error costs only that
	return &Journal{ID: k.ID, keeper: by, store: s, log: log, release: release, files: k.fileBytes()}, nil
}
