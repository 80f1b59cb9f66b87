package batch

import "golem/core/trace"

// Counts are how many items have each status; Running are the open ones with a holder.
type Counts struct {
	Total     int `json:"total"`
	Open      int `json:"open"`
	Running   int `json:"running"`
	Parked    int `json:"parked"`
	OK        int `json:"ok"` // with those whose output is a question of the worker
	Failed    int `json:"failed"`
	Cancelled int `json:"cancelled"`
}

// Counts returns how far the batch is.
func (l *Local) Counts() (c Counts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.Total = len(l.entries)
	for i := range l.entries {
		switch e := &l.entries[i]; {
		case e.held:
			c.Running++
		case e.status == Open:
			c.Open++
		case e.status == Parked:
			c.Parked++
		case e.status == Failed:
			c.Failed++
		case e.status == Cancelled:
			c.Cancelled++
		default:
			c.OK++
		}
	}
	return c
}

// Results calls yield with the result of each item, in the order of the inputs. An item without
// an end has only its key and its status.
func (l *Local) Results(yield func(Result) error) error { return l.Find(Wanted{}, yield) }

// Logs calls yield with the log of each item that has not ended, and with what its attempts
// before used; nil: nothing.
func (l *Local) Logs(yield func(spent *trace.Usage, log []Line) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.entries {
		e := &l.entries[i]
		if e.status.Ended() || len(e.log) == 0 && e.spent == nil {
			continue
		}
		log, err := l.log(e)
		if err == nil {
			err = yield(e.spent, log)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *Local) result(e *entry) (Result, error) {
	r := Result{Item: e.key, Status: e.status}
	if !e.status.Ended() {
		return r, nil
	}
	m, err := l.markOf(e)
	if err == nil && m.Result != nil {
		r = *m.Result
	}
	return r, err
}

// Again opens ended items again: those that failed and, unless failed is true, those that were
// cancelled. Their logs begin anew. It returns how many.
func (l *Local) Again(failed bool) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.entries {
		e := &l.entries[i]
		if e.status != Failed && (failed || e.status != Cancelled) {
			continue
		}
		if err := l.reopen(i); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// reopen opens an item that has ended, with an empty log. The log is cleared first: a process
// that is killed in between must not leave an open item that goes on with its old log. The
// caller holds mu.
func (l *Local) reopen(i int) error {
	e := &l.entries[i]
	before, err := l.markOf(e)
	if err != nil {
		return err
	}
	anew := record{N: e.n, Clear: true}
	if before.Result != nil {
		anew.Spent = before.Result.Usage
	}
	if err := l.append(e, anew); err != nil {
		return err
	}
	if err := l.mark(e, mark{N: e.n, Status: Open}); err != nil {
		return err
	}
	e.status = Open
	l.waiting = append(l.waiting, i)
	return nil
}

// Cancel ends all items that have not ended and that nobody holds. It returns how many.
func (l *Local) Cancel() (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.entries {
		if e := &l.entries[i]; !e.status.Ended() && !e.held {
			if err := l.end(i, Result{Item: e.key, Status: Cancelled, Attempt: e.attempts}); err != nil {
				return n, err
			}
			n++
		}
	}
	l.waiting = nil
	return n, nil
}
