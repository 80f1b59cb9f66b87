package natsqueue

import (
	"context"
	"encoding/json"

	"golem/core/batch"
)

// chain is how far a subject of the producer was read. Each of its messages names the one
// before, so that a copy of an earlier message is recognised.
type chain struct{ last uint64 }

// decided is what the producer writes about the whole batch.
type decided struct {
	After  uint64        `json:"after"` // the sequence of the message before
	Answer *batch.Answer `json:"answer,omitempty"`
	State  BatchState    `json:"state,omitempty"`
	Limit  *batch.Amount `json:"limit,omitempty"` // of all requests; State does not count then
}

// follow calls do with each message of a subject of the producer that was not read before.
func (q *Queue) follow(ctx context.Context, subject string, c *chain, do func(decided)) error {
	for {
		m, err := q.next(ctx, subject, c.last)
		if err != nil || m == nil {
			return err
		}
		b, err := q.unpack(ctx, subject, m.Data)
		var d decided
		switch {
		case err != nil:
		case !b.signedBy(q.signer):
			err = ignored("it is not signed by the producer")
		case json.Unmarshal(b.data, &d) != nil || d.After != c.last:
			err = ignored("it is a copy of a message from another place")
		default:
			do(d)
		}
		if err != nil && !q.ignores(subject, err) {
			return err
		}
		c.last = m.Sequence
	}
}

// Answers implements batch.Queue.
func (q *Queue) Answers(ctx context.Context) ([]batch.Answer, error) {
	q.reading.Lock()
	defer q.reading.Unlock()
	err := q.readAnswers(ctx)
	return q.answers, unreachable(err)
}

// readAnswers reads new answers. The caller holds reading.
func (q *Queue) readAnswers(ctx context.Context) error {
	return q.follow(ctx, q.subject(answerSubject), &q.answered, func(d decided) {
		if d.Answer != nil {
			q.answers = append(q.answers[:len(q.answers):len(q.answers)], *d.Answer)
		}
	})
}

// Refresh implements batch.Queue.
func (q *Queue) Refresh(ctx context.Context) (cancelled bool, err error) {
	q.reading.Lock()
	defer q.reading.Unlock()
	err = q.readAnswers(ctx)
	if err == nil {
		err = q.follow(ctx, q.subject(controlSubject), &q.control, func(d decided) {
			switch {
			case d.Limit != nil:
				q.limit, q.limitOf = *d.Limit, d.After+1
			case d.Answer == nil:
				q.state = d.State
			}
		})
	}
	q.learned = q.learned || err == nil
	return q.state == Cancelled, unreachable(err)
}

// State returns what the producer says about the whole batch.
func (q *Queue) State(ctx context.Context) (BatchState, error) {
	_, err := q.Refresh(ctx)
	q.reading.Lock()
	defer q.reading.Unlock()
	return q.state, err
}

// park lists an item whose log says that it asks, and reports whether its question is answered
// meanwhile.
func (q *Queue) park(ctx context.Context, j job, question batch.Question) (open bool, err error) {
	subject := q.subjectOf(parkedSubject, j.Item)
	data, _, err := q.pack(ctx, subject, j, q.sealer.private)
	if err == nil {
		_, err = q.publish(ctx, message{subject: subject, data: data, only: true})
	}
	if err != nil {
		return false, err
	}
	answers, err := q.Answers(ctx)
	_, open = batch.AnswerTo(answers, question)
	return open, err
}

// considerParked reports whether a holder is wanted for an item that asked.
func (q *Queue) considerParked(ctx context.Context, j job) (wanted bool, err error) {
	answers, err := q.Answers(ctx)
	if err != nil {
		return false, err
	}
	if _, wanted = batch.AnswerTo(answers, *j.log.question); wanted {
		return true, q.removeSubject(ctx, q.subjectOf(parkedSubject, j.Item))
	}
	return q.park(ctx, j, *j.log.question) // golem may have ended before it did
}
