package natsqueue

import (
	"context"
	"encoding/json"

	"github.com/nats-io/nats.go/jetstream"

	"golem/core/batch"
	"golem/core/sorting"
)

// each calls do with the subject and the content of each message of the log whose subject fits a
// filter, as they are now.
func (c *connection) each(ctx context.Context, filter string, do func(subject string, data []byte) error) error {
	var all jetstream.Consumer
	err := c.trying(ctx, func(ctx context.Context) (err error) {
		all, err = c.log.CreateConsumer(ctx, jetstream.ConsumerConfig{
			FilterSubject: filter, AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, InactiveThreshold: patience,
		})
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		_ = c.log.DeleteConsumer(context.WithoutCancel(ctx), all.CachedInfo().Name) // else the server removes it
	}()
	for left := all.CachedInfo().NumPending; left > 0; {
		got, err := all.Fetch(int(min(left, mostFetched)), jetstream.FetchMaxWait(patience))
		if err != nil {
			return err
		}
		before := left
		for m := range got.Messages() {
			left--
			if err := do(m.Subject(), m.Data()); err != nil {
				return err
			}
		}
		if err := got.Error(); err != nil {
			return err
		}
		if left == before { // what was pending was removed meanwhile
			return nil
		}
	}
	return nil
}

// mostFetched is how many messages are fetched at once.
const mostFetched = 256

// items returns the items of the batch in their order, without those that others published.
func (q *Queue) items(ctx context.Context) (out []batch.Item, err error) {
	seen := map[string]bool{}
	err = q.each(ctx, q.subjectOf(itemSubject, "*"), func(subject string, data []byte) error {
		b, err := q.unpack(ctx, subject, data)
		var item batch.Item
		switch {
		case err != nil:
		case !b.by(q.signer):
			err = ignored("it is not signed by the producer")
		default:
			err = json.Unmarshal(b.data, &item)
		}
		if q.ignores(subject, err) {
			return nil
		}
		if err == nil && !seen[item.Key] {
			seen[item.Key] = true
			out = append(out, item)
		}
		return err
	})
	sorting.By(out, func(a, b batch.Item) int { return a.N - b.N })
	return out, err
}

// Results calls yield with the result of each item, in the order of the inputs. An item without
// an end has only its key and its status. The results have the traces of the last attempts.
func (q *Queue) Results(ctx context.Context, yield func(batch.Result) error) error {
	items, err := q.items(ctx)
	if err != nil {
		return unreachable(err)
	}
	for _, item := range items {
		l, err := q.readLog(ctx, item.Dir())
		if err != nil {
			return unreachable(err)
		}
		r := batch.Result{Item: item.Key, Status: l.status}
		if l.result != nil {
			r = *l.result
			r.Item = item.Key
		}
		if err := yield(r); err != nil {
			return err
		}
	}
	return nil
}

// Questions returns the questions of the parked items that are not answered, in the order of the
// inputs.
func (q *Queue) Questions(ctx context.Context) ([]batch.Group, error) {
	parked, err := q.parked(ctx)
	if err != nil {
		return nil, unreachable(err)
	}
	answers, err := q.Answers(ctx)
	if err != nil {
		return nil, err
	}
	var out []batch.Group
	at := map[string]int{}
	for _, j := range parked {
		question := *j.log.question
		if _, known := batch.AnswerTo(answers, question); known {
			continue
		}
		item, err := q.item(ctx, j.Item)
		if err != nil {
			return nil, unreachable(err)
		}
		n, known := at[question.Key]
		if !known {
			n = len(out)
			at[question.Key] = n
			out = append(out, batch.Group{Question: question})
		}
		out[n].Items = append(out[n].Items, item.Key)
	}
	return out, nil
}

// parked returns the items whose logs say that they wait for an answer, in the order of the
// inputs.
func (q *Queue) parked(ctx context.Context) (out []job, err error) {
	err = q.each(ctx, q.subjectOf(parkedSubject, "*"), func(subject string, data []byte) error {
		b, err := q.unpack(ctx, subject, data)
		j := job{}
		if err == nil && (json.Unmarshal(b.data, &j) != nil || subject != q.subjectOf(parkedSubject, j.Item)) {
			err = ignored("it names another item")
		}
		if q.ignores(subject, err) {
			return nil
		}
		if err != nil {
			return err
		}
		if j.log, err = q.readLog(ctx, j.Item); err == nil && j.log.status == batch.Parked {
			out = append(out, j)
		}
		return err
	})
	sorting.By(out, func(a, b job) int { return a.N - b.N })
	return out, err
}
