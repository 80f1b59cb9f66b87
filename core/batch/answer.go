package batch

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/state"
)

// answersFile has the answers of people, one a line, sealed with the key of the machine. It is
// written while another process runs the batch, under a lock of its own.
const answersFile = "answers.jsonl"

var answersFormat = state.Format{Kind: "batch-answers", Version: 1}

// tellsApart is what makes two questions different.
type tellsApart struct {
	Kind        approval.Kind
	Risk        string
	Tool        string
	Module      string
	Description string
	Grants      any
	Args        json.RawMessage
	Title       string
	Lines       []approval.Line
}

func (t tellsApart) sum() string {
	data, _ := json.Marshal(t) // strings and valid JSON always encode
	return sum(data)
}

// QuestionOf returns the question of a request. Requests about the same call of the same module
// have one key, and so do other questions with the same words (SPEC §19).
func QuestionOf(r approval.Request) Question {
	q := Question{Request: r}
	about := tellsApart{Kind: r.Kind, Risk: r.Risk, Tool: r.Tool, Module: r.Module, Description: r.Description, Grants: r.Grants}
	if r.ByRule {
		q.Of = about.sum()
	}
	about.Args, about.Title = r.Args, r.Title
	for _, l := range r.Lines {
		l.Where = "" // the id of a call differs between items
		about.Lines = append(about.Lines, l)
	}
	q.Key = about.sum()
	return q
}

// genuine returns E_TRUST if the question is shown with other words than those that its key is
// made of.
func (q Question) genuine() error {
	r := q.Request
	r.ByRule = q.Of != ""
	if made := QuestionOf(r); made.Key != q.Key || made.Of != q.Of {
		return fault.New(fault.Trust, "a question of the batch was changed after golem kept it, so it cannot be answered").
			Hinting("golem batch retry asks anew")
	}
	return nil
}

// Group are the items that ask one question.
type Group struct {
	Question Question `json:"question"`
	Items    []string `json:"items"`            // their keys, in the order of the inputs
	Answer   *Answer  `json:"answer,omitempty"` // the answer that was given and not used yet
}

// Questions returns the questions of the parked items, in the order of the inputs. With again
// they are also those that are answered and whose items have not gone on.
func (l *Local) Questions(again bool) ([]Group, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Group
	at := map[string]int{}
	for i := range l.entries {
		e := &l.entries[i]
		if waits := e.status == Parked || again && e.status == Open && !e.held; !waits || e.question == "" {
			continue
		}
		n, known := at[e.question]
		if !known {
			m, err := l.markOf(e)
			if err != nil {
				return nil, err
			}
			if m.Question == nil {
				continue
			}
			if err := m.Question.genuine(); err != nil {
				return nil, err
			}
			n = len(out)
			at[e.question] = n
			out = append(out, Group{Question: *m.Question})
			if a, answered := AnswerTo(l.answers, *m.Question); answered {
				out[n].Answer = &a
			}
		}
		out[n].Items = append(out[n].Items, e.key)
	}
	return out, nil
}

// Answer keeps answers. The items that wait for them are open again, also in a process that
// runs the batch meanwhile.
func (l *Local) Answer(answers ...Answer) error {
	release, err := l.store.TryHold("batch-answers")
	if err != nil {
		return err
	}
	defer release()
	var lines [][]byte
	for _, a := range answers {
		line, err := json.Marshal(a)
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	log, err := answersLog(l)
	if err != nil {
		return err
	}
	return errors.Join(log.Append(lines...), log.Sync(), log.Close())
}

// answersLog opens the file of the answers to append to it. The caller holds its lock.
func answersLog(l *Local) (*state.Log, error) {
	kept, err := l.store.ReadLog(answersFormat, answersFile)
	if errors.Is(err, fs.ErrNotExist) {
		return l.store.NewLog(answersFormat, answersFile)
	}
	if err != nil {
		return nil, err
	}
	if kept.Err != nil {
		return nil, foreignAnswers(l, kept.Err)
	}
	return l.store.Reopen(answersFormat, answersFile, kept)
}

func foreignAnswers(l *Local, err error) error {
	return fault.New(fault.Trust, "the answers of the batch %s are not what golem wrote on this machine: %w", l.Head.Name, err).
		Hinting("remove %s of the batch, then answer again: golem batch questions %s", answersFile, l.Head.Name)
}

// cancelFile says that the batch is to end. It is written while another process runs the batch.
const cancelFile = "cancel"

// AskToCancel makes the process that runs the batch cancel it.
func (l *Local) AskToCancel() error { return l.store.Files.WriteFile(cancelFile, nil) }

// resumed forgets that the batch was to end.
func (l *Local) resumed() error {
	err := l.store.Files.Remove(cancelFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Refresh implements Queue.
func (l *Local) Refresh(context.Context) (cancelled bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := readAnswers(l); err != nil {
		return false, err
	}
	_, err = fs.Stat(l.store.Files, cancelFile)
	return err == nil, nil
}

// readAnswers reads new answers. The caller holds mu.
func readAnswers(l *Local) error {
	info, err := fs.Stat(l.store.Files, answersFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Size() == l.answered {
		return err
	}
	kept, err := l.store.ReadLog(answersFormat, answersFile)
	if err != nil {
		return err
	}
	if kept.Err != nil {
		return foreignAnswers(l, kept.Err)
	}
	answers := make([]Answer, len(kept.Lines))
	for i, line := range kept.Lines {
		if err := json.Unmarshal(line, &answers[i]); err != nil {
			return foreignAnswers(l, err)
		}
	}
	l.answers, l.answered = answers, info.Size()
	return unpark(l)
}

// Reconsider opens all parked items: what they asked about may be decided otherwise now. Those
// that ask again are parked again.
func (l *Local) Reconsider() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.entries {
		if l.entries[i].status == Parked {
			openParked(l, i)
		}
	}
}

// unpark opens the parked items whose questions are answered. The mark stays: an item that is
// parked and answered is opened again whenever the batch is read. The caller holds mu.
func unpark(l *Local) error {
	answered := map[string]bool{} // by the key of the question
	for i := range l.entries {
		e := &l.entries[i]
		if e.status != Parked || len(l.answers) == 0 {
			continue
		}
		if _, seen := answered[e.question]; !seen {
			m, err := l.markOf(e)
			if err != nil {
				return err
			}
			if m.Question != nil {
				_, answered[e.question] = AnswerTo(l.answers, *m.Question)
			}
		}
		if answered[e.question] {
			openParked(l, i)
		}
	}
	return nil
}

// openParked opens a parked item. The caller holds mu.
func openParked(l *Local, i int) {
	l.entries[i].status = Open
	l.waiting = append(l.waiting, i)
}
