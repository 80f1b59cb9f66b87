package natsqueue

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"golem/core/batch"
	"golem/core/sorting"
)

// eachMessage calls do with the subject and the content of each message of the log whose subject fits a
// filter, in the order of their sequences. A server that ends meanwhile is waited for.
func (c *connection) eachMessage(ctx context.Context, filter string, do func(subject string, data []byte) error) error {
	r := &reader{connection: c, filter: filter, next: 1}
	defer r.close(ctx)
	for {
		messages, err := r.read(ctx)
		if err != nil || len(messages) == 0 {
			return err
		}
		for _, m := range messages {
			if err := do(m.Subject(), m.Data()); err != nil {
				return err
			}
		}
	}
}

// reader reads messages of the log, one batch of messages after the other. Its consumer is in the
// memory of the server: if the server has lost it, another one begins behind the last message.
type reader struct {
	*connection
	filter   string
	next     uint64             // the sequence from which on nothing was read
	consumer jetstream.Consumer // nil: there is none
	left     uint64             // messages that the consumer has
	all      bool               // all were read
}

// mostFetched is how many messages are fetched at once.
const mostFetched = 256

// read returns the next messages; none: all were read.
func (r *reader) read(ctx context.Context) (out []jetstream.Msg, err error) {
	err = r.trying(ctx, func(ctx context.Context) error {
		if r.all {
			return nil
		}
		if err := r.open(ctx); err != nil || r.all {
			return err
		}
		got, err := r.consumer.Fetch(int(min(r.left, mostFetched)), jetstream.FetchMaxWait(patience))
		if err == nil {
			for m := range got.Messages() {
				out = append(out, m)
			}
			err = got.Error()
		}
		switch {
		case len(out) > 0:
			err = r.passed(out)
		case err == nil || errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrConsumerNotFound):
			err = nats.ErrTimeout // the messages were removed, or the server began again
		}
		if err != nil {
			r.consumer = nil // the server removes it by itself
		}
		return err
	})
	return out, err
}

// open makes a consumer of the messages that were not read.
func (r *reader) open(ctx context.Context) (err error) {
	if r.consumer != nil {
		return nil
	}
	r.consumer, err = r.log.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubject: r.filter, AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, InactiveThreshold: patience,
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: r.next,
	})
	if err == nil {
		r.left = r.consumer.CachedInfo().NumPending
		r.all = r.left == 0
	}
	return err
}

// passed counts messages that were read.
func (r *reader) passed(messages []jetstream.Msg) error {
	about, err := messages[len(messages)-1].Metadata()
	if err == nil {
		r.next, r.left = about.Sequence.Stream+1, about.NumPending
		r.all = r.left == 0
	}
	return err
}

// close removes the consumer. If the server does not answer, it removes it by itself.
func (r *reader) close(ctx context.Context) {
	if r.consumer != nil {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer stop()
		_ = r.log.DeleteConsumer(ctx, r.consumer.CachedInfo().Name)
	}
}

// items returns the items of the batch in their order, without those that others published.
func (q *Queue) items(ctx context.Context) (out []batch.Item, err error) {
	seen := map[string]bool{}
	err = q.eachMessage(ctx, q.subjectOf(itemSubject, "*"), func(subject string, data []byte) error {
		b, err := q.unpack(ctx, subject, data)
		var item batch.Item
		switch {
		case err != nil:
		case !b.signedBy(q.signer):
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

// parked returns the items whose logs say that they wait for an answer, in the order of the
// inputs.
func (q *Queue) parked(ctx context.Context) (out []job, err error) {
	err = q.eachMessage(ctx, q.subjectOf(parkedSubject, "*"), func(subject string, data []byte) error {
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
