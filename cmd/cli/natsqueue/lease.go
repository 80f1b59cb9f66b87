package natsqueue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/sorting"
)

// job says that an item waits for a holder.
type job struct {
	N    int    `json:"n"`
	Item string `json:"item"` // Item.Dir

	sequence uint64
	message  jetstream.Msg
	log      *itemLog
}

// mostBarren is how many holders in a row an item has that append nothing, before it fails.
const mostBarren = 3

// mostAside is how many items on which golem ended a process has waiting.
const mostAside = 64

// suspect reports whether an item runs alone: if golem ends on it once more it fails, and only
// what it does itself may count against it.
func (j job) suspect() bool { return j.log.barren == mostBarren-1 }

// Lease implements batch.Queue.
func (q *Queue) Lease(ctx context.Context, worker string) (*batch.Lease, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.alone && q.held > 0 {
		return nil, nil
	}
	for {
		j, err := q.nextJob(ctx)
		if err != nil || j == nil {
			return nil, unreachable(err)
		}
		l, err := q.lease(ctx, *j, worker)
		if errors.Is(err, fault.Conflict) { // somebody else was faster
			q.forget(*j)
			continue
		}
		if err != nil {
			return nil, unreachable(err)
		}
		if l != nil {
			return l, nil
		}
	}
}

// nextJob returns the next job whose item can be leased; nil: there is none now. Items on which
// golem ended come after all others. The caller holds mu.
func (q *Queue) nextJob(ctx context.Context) (*job, error) {
	if q.held == 0 {
		if i := slices.IndexFunc(q.aside, job.suspect); i >= 0 {
			return q.takeAside(i), nil
		}
	}
	for len(q.aside) < mostAside {
		j, err := q.fetch(ctx)
		if err != nil {
			return nil, err
		}
		if j == nil {
			break
		}
		wanted, err := q.consider(ctx, j)
		switch {
		case err != nil:
			return nil, err
		case !wanted:
			q.acknowledge(*j)
		case j.log.barren > 0:
			q.aside = append(q.aside, *j)
		default:
			return j, nil
		}
	}
	sorting.By(q.aside, func(a, b job) int { return a.log.barren - b.log.barren })
	if len(q.aside) == 0 || q.aside[0].suspect() && q.held > 0 {
		return nil, nil
	}
	return q.takeAside(0), nil
}

// takeAside removes a job from those that wait. The caller holds mu.
func (q *Queue) takeAside(i int) *job {
	j := q.aside[i]
	q.aside = slices.Delete(q.aside, i, i+1)
	return &j
}

// fetch returns the next job of the server, which counts as worked on from now on; nil: it has
// none now. The caller holds mu.
func (q *Queue) fetch(ctx context.Context) (*job, error) {
	for {
		m, err := q.fetchMessage(ctx)
		if err != nil || m == nil {
			return nil, err
		}
		about, err := m.Metadata()
		if err != nil {
			return nil, err
		}
		j := &job{sequence: about.Sequence.Stream, message: m}
		b, err := q.unpack(ctx, q.subject(jobSubject), m.Data())
		if err == nil && (json.Unmarshal(b.data, j) != nil || !batch.IsName(j.Item)) {
			err = ignored("it is not a job")
		}
		if q.ignores(q.subject(jobSubject), err) {
			q.acknowledge(*j)
			continue
		}
		if err != nil {
			return nil, err
		}
		q.alive[j.sequence] = m
		return j, nil
	}
}

// fetchMessage returns the next message of the jobs; nil: there is none now. A server that does
// not answer is waited for: its silence is not the end of the jobs.
func (q *Queue) fetchMessage(ctx context.Context) (m jetstream.Msg, err error) {
	for {
		left := false
		err := q.trying(ctx, func(ctx context.Context) error {
			got, err := q.jobs.FetchNoWait(1)
			if err != nil {
				return err
			}
			if m = <-got.Messages(); m != nil || got.Error() != nil {
				return got.Error()
			}
			left, err = q.jobsLeft(ctx)
			return err
		})
		if err != nil || m != nil || !left {
			return m, err
		}
	}
}

// jobsLeft reports whether the server has a job that no process was given. The consumer's own
// count comes later than the answer to a publisher, so the messages of the stream are counted.
func (q *Queue) jobsLeft(ctx context.Context) (bool, error) {
	about, err := q.jobs.Info(ctx)
	if err != nil {
		return false, err
	}
	s, err := q.server.Stream(ctx, jobStream(q.name))
	if err != nil {
		return false, err
	}
	given := about.NumAckPending
	return s.CachedInfo().State.Msgs > uint64(given), nil
}

// consider reads the log of a job's item, and reports whether a holder is wanted. The caller
// holds mu.
func (q *Queue) consider(ctx context.Context, j *job) (wanted bool, err error) {
	if j.log, err = q.readLog(ctx, j.Item); err != nil {
		return false, err
	}
	switch {
	case j.log.status.Ended():
		return false, nil
	case j.log.status == batch.Parked:
		return q.considerParked(ctx, *j)
	case j.log.holder != nil && j.log.job != j.sequence: // its holder has another job
		return false, nil
	case j.log.barren >= mostBarren:
		item, err := q.item(ctx, j.Item)
		if err != nil {
			return false, err
		}
		why := fault.New(fault.Interrupted, "golem ended %d times in a row while it worked on this item, before anything new was kept", j.log.barren).
			Hinting("look at the input, then golem batch retry %s", q.name)
		err = q.end(ctx, j.log, record{Result: &batch.Result{Item: item.Key, Status: batch.Failed, Error: why}})
		if errors.Is(err, fault.Conflict) {
			err = nil
		}
		return false, err
	}
	return true, nil
}

// lease makes this process the holder of a job's item. It returns nil if the item is not the
// producer's.
func (q *Queue) lease(ctx context.Context, j job, worker string) (*batch.Lease, error) {
	item, err := q.item(ctx, j.Item)
	if errors.Is(err, fault.NotFound) {
		q.watch.Foreign(q.subject(jobSubject), "it names an item that the producer did not make")
		q.acknowledge(j)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := q.files().fetchInput(ctx, item); err != nil {
		return nil, err
	}
	if err := q.learn(ctx); err != nil {
		return nil, err
	}
	alone := j.suspect()
	if err := q.add(ctx, j.log, record{Kind: leaseKind, Attempt: j.log.attempts + 1, Worker: worker, Job: j.sequence}); err != nil {
		return nil, err
	}
	q.alone = alone
	q.held++
	h := &holder{queue: q, job: j, log: j.log, item: item}
	return &batch.Lease{Item: item, Attempt: j.log.attempts, Failures: j.log.failures, Log: slices.Clone(j.log.lines), Purse: q.purse, Holder: h}, nil
}

// learn reads what the producer says about the whole batch, unless that was read before.
func (q *Queue) learn(ctx context.Context) error {
	q.reading.Lock()
	known := q.learned
	q.reading.Unlock()
	if known {
		return nil
	}
	_, err := q.Refresh(ctx)
	return err
}

// item returns an item as the producer made it, or E_NOT_FOUND.
func (q *Queue) item(ctx context.Context, dir string) (item batch.Item, err error) {
	subject := q.subjectOf(itemSubject, dir)
	for behind := uint64(0); ; {
		m, err := q.next(ctx, subject, behind)
		if err != nil {
			return item, err
		}
		if m == nil {
			return item, fault.New(fault.NotFound, "the batch has no item %s", fault.Quoted(dir))
		}
		behind = m.Sequence
		b, err := q.unpack(ctx, subject, m.Data)
		if err == nil && !b.signedBy(q.signer) {
			err = ignored("it is not signed by the producer")
		}
		if q.ignores(subject, err) {
			continue
		}
		if err != nil {
			return item, err
		}
		return item, json.Unmarshal(b.data, &item)
	}
}

// jobID returns the id of the job for an item whose log ends at a sequence: the server drops the
// second of two processes that make it within two minutes.
func jobID(dir string, last uint64) string { return fmt.Sprintf("%s:%d", dir, last) }

// enqueue makes a job for an item. id is that of message.
func (q *Queue) enqueue(ctx context.Context, n int, dir, id string) error {
	subject := q.subject(jobSubject)
	data, _, err := q.pack(ctx, subject, job{N: n, Item: dir}, q.sealer.private)
	if err != nil {
		return err
	}
	_, err = q.publish(ctx, message{subject: subject, data: data, id: id})
	return err
}

// acknowledge ends a job. If the server does not learn it, the job comes again and is dropped
// then. The caller holds mu.
func (q *Queue) acknowledge(j job) {
	q.forget(j)
	_ = j.message.Ack()
}

// forget tells the server no more that a job is worked on. The caller holds mu.
func (q *Queue) forget(j job) { delete(q.alive, j.sequence) }

// drop ends the hold of an item. With acknowledged, its job has ended too.
func (q *Queue) drop(j job, acknowledged bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held--
	if acknowledged {
		q.acknowledge(j)
	} else {
		q.forget(j)
	}
}
