package conversation

import (
	"cmp"

	"golem/core/fault"
	"golem/core/state"
)

// Branch begins a new conversation, named id, with a copy of what is before the
// person's message n, from 1, of k, which does not change. It returns the journal of
// the branch and its beginning.
func Branch(s *state.Store, k *Kept, n int, id string) (*Journal, *Kept, error) {
	if k.Err != nil {
		return nil, nil, k.Err
	}
	end, err := k.before(n)
	if err != nil {
		return nil, nil, err
	}
	head := k.Head
	head.Run, head.From, head.At = id, &Origin{k.ID, n}, ""
	j := Start(s, head)
	var failed error // of an entry that is written at once, because much waits already
	j.Trouble = func(err error) { failed = cmp.Or(failed, err) }
	out := &Kept{ID: id, entries: []Entry{head}}
	for i, e := range k.entries[:end] {
		if e.T == HeadEntry || i == 0 {
			continue
		}
		j.Add(e)
		out.entries = append(out.entries, e)
	}
	if out.index(); k.Taint && !out.Taint { // what was read later can be in files (SECURITY 13)
		taint := Entry{T: TaintEntry}
		j.Add(taint)
		out.entries = append(out.entries, taint)
		out.index()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.Trouble = nil; failed != nil {
		return j, out, failed
	}
	return j, out, j.flush()
}

// Kept returns what a running journal has kept up to now.
func (j *Journal) Kept() (*Kept, error) {
	if j == nil {
		return nil, fault.New(fault.Platform, "this conversation is not kept, so golem cannot go back in it").Hinting("/new starts over")
	}
	j.Flush()
	if err := j.sync(); err != nil {
		return nil, err
	}
	return Read(j.store, j.ID)
}

// Again returns the conversation of a running journal before the person's message n,
// from 1, as a branch named id. From now on the journal writes to the branch.
func (j *Journal) Again(n int, id string) (*Kept, error) {
	k, err := j.Kept()
	if err != nil {
		return nil, err
	}
	other, before, err := Branch(j.store, k, n, id)
	if err != nil {
		other.Close()
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.log.Close() // everything was written and synced
	j.release()
	j.ID, j.log, j.release = id, other.log, other.release
	return before, nil
}
