package conversation

import (
	"golem/core/fault"
	"golem/core/state"
)

// Branch begins a new conversation, named id, with a copy of what is before the
// person's message n, from 1, of k, which does not change. It returns the journal of
// the branch and its beginning.
func Branch(s *state.Store, by Keeper, k *Kept, n int, id string) (*Journal, *Kept, error) {
	if k.Err != nil {
		return nil, nil, k.Err
	}
	end, err := k.messageEntry(n)
	if err != nil {
		return nil, nil, err
	}
	head := k.Head
	head.Run, head.From, head.At = id, &Origin{k.ID, n}, ""
	j := Start(s, nil, head) // what is copied has no secrets any more
	out := &Kept{ID: id, entries: []Entry{head}}
	for i, e := range k.entries[:end] {
		if e.T == HeadEntry || e.T == ResumeEntry || i == 0 {
			continue
		}
		j.Add(e)
		out.entries = append(out.entries, e)
	}
	if out.index(); k.Taint && !out.Taint || k.Foreign && !out.Foreign { // what was read later can be in files (SECURITY 13)
		taint := TaintOf(k.Foreign)
		j.Add(taint)
		out.entries = append(out.entries, taint)
		out.index()
	}
	if files := k.Files(); len(files) > 0 { // files are not changed back
		if err := copyContents(s, k, id); err != nil {
			return j, out, err
		}
		all := Entry{T: FilesEntry, Changed: files}
		j.Add(all)
		out.entries = append(out.entries, all)
		out.index()
	}
	if k.title != out.title {
		title := Entry{T: TitleEntry, Text: k.title}
		j.Add(title)
		out.entries = append(out.entries, title)
		out.index()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.keeper = by; j.err != nil { // of an entry that was written at once, because much waits already
		return j, out, j.err
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
	other, before, err := Branch(j.store, nil, k, n, id)
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
