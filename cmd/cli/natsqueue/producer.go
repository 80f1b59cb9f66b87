package natsqueue

import (
	"context"
	"crypto/ed25519"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"golem/core/batch"
)

// Producer is the queue of a batch for the machine that began it: it makes the items, answers
// questions and cancels.
type Producer struct {
	*Queue
	private ed25519.PrivateKey
}

// sameMessage is how long the server knows the ids of messages.
const sameMessage = 2 * time.Minute

// Create makes a batch on the server, or opens the one that has this name, and returns its
// producer. private is the key of Options.Signer, which may be left out. The connection stays the
// caller's.
func Create(ctx context.Context, conn *nats.Conn, o Options, private ed25519.PrivateKey) (*Producer, error) {
	o.Signer = private.Public().(ed25519.PublicKey)
	server, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	if batch.IsName(o.Name) { // Open refuses another
		if err := create(ctx, server, o); err != nil {
			return nil, unreachable(err)
		}
	}
	q, err := Open(ctx, conn, o)
	if err != nil {
		return nil, unreachable(err)
	}
	return &Producer{q, private}, nil
}

// create makes the streams, the consumer and the bucket of a batch. What is there stays. A full
// stream refuses new messages, so that nothing is lost.
func create(ctx context.Context, server jetstream.JetStream, o Options) error {
	prefix := "golem." + o.Name + "."
	streams := []jetstream.StreamConfig{
		{
			Name: logStream(o.Name), Subjects: []string{prefix + itemSubject + ".*", prefix + logSubject + ".*", prefix + parkedSubject + ".*", prefix + answerSubject, prefix + controlSubject, prefix + setupSubject, prefix + joinSubject, prefix + namedSubject + ".*", prefix + budgetSubject, prefix + aliveSubject + ".*", prefix + paceSubject + ".*"},
			Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew, AllowRollup: true, Duplicates: sameMessage,
		},
		{
			Name: jobStream(o.Name), Subjects: []string{prefix + jobSubject}, Retention: jetstream.WorkQueuePolicy,
			Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew, Duplicates: sameMessage,
		},
	}
	for _, s := range streams {
		_, err := server.CreateStream(ctx, s)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			err = addSubjects(ctx, server, s)
		}
		if err != nil {
			return err
		}
	}
	_, err := server.CreateConsumer(ctx, jobStream(o.Name), jetstream.ConsumerConfig{
		Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: o.leaseTime(), MaxDeliver: -1, MaxAckPending: -1,
	})
	if err != nil && !errors.Is(err, jetstream.ErrConsumerExists) {
		return err
	}
	_, err = server.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket(o.Name), Storage: jetstream.FileStorage})
	if errors.Is(err, jetstream.ErrBucketExists) {
		return nil
	}
	return err
}

// addSubjects adds the subjects that a stream of an older golem lacks.
func addSubjects(ctx context.Context, server jetstream.JetStream, want jetstream.StreamConfig) error {
	s, err := server.Stream(ctx, want.Name)
	if err != nil {
		return err
	}
	has := s.CachedInfo().Config
	if slices.Equal(has.Subjects, want.Subjects) {
		return nil
	}
	has.Subjects = want.Subjects
	_, err = server.UpdateStream(ctx, has)
	return err
}

// Remove removes what a server has of a batch. What is not there is not missed.
func Remove(ctx context.Context, conn *nats.Conn, name string) error {
	server, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	for _, stream := range []string{jobStream(name), logStream(name)} {
		if err := server.DeleteStream(ctx, stream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return unreachable(err)
		}
	}
	err = server.DeleteObjectStore(ctx, bucket(name))
	if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		err = nil
	}
	return unreachable(err)
}

// Add publishes an item and a job for it. An item that the batch has stays as far as it is, so
// that a producer that was killed may add all items again.
func (p *Producer) Add(ctx context.Context, item batch.Item) error {
	if _, err := p.item(ctx, item.Dir()); err == nil {
		return unreachable(p.mend(ctx, item))
	}
	subject := p.subjectOf(itemSubject, item.Dir())
	data, _, err := p.pack(ctx, subject, item, p.private)
	if err == nil {
		_, err = p.publish(ctx, message{subject: subject, data: data})
	}
	if err == nil {
		err = p.enqueue(ctx, item.N, item.Dir(), jobID(item.Dir(), 0))
	}
	return unreachable(err)
}

// mend makes a job for an item that is on the server if it has none: a process can be killed
// between an item, an answer or the end of a hold and the job that follows. A job too many is
// dropped.
func (p *Producer) mend(ctx context.Context, item batch.Item) error {
	l, err := p.readLog(ctx, item.Dir())
	if err != nil {
		return err
	}
	if l.status.Ended() || l.holder != nil { // the job of a holder comes again
		return nil
	}
	if l.status == batch.Parked {
		answers, err := p.Answers(ctx)
		if err != nil {
			return err
		}
		if _, answered := batch.AnswerTo(answers, *l.question); !answered {
			return nil
		}
	}
	return p.enqueue(ctx, item.N, item.Dir(), jobID(item.Dir(), l.last))
}

// Answer keeps answers, and makes jobs for the items that wait for them.
func (p *Producer) Answer(ctx context.Context, answers ...batch.Answer) error {
	for _, a := range answers {
		if err := p.decide(ctx, answerSubject, &p.answered, decided{Answer: &a}); err != nil {
			return err
		}
	}
	parked, err := p.parked(ctx)
	if err != nil {
		return unreachable(err)
	}
	known, err := p.Answers(ctx)
	if err != nil {
		return err
	}
	for _, j := range parked {
		if _, answered := batch.AnswerTo(known, *j.log.question); !answered {
			continue
		}
		if err := p.enqueue(ctx, j.N, j.Item, jobID(j.Item, j.log.last)); err != nil {
			return unreachable(err)
		}
	}
	return nil
}

// Set says to the workers how the batch is. The server removes a batch that is done after a day.
func (p *Producer) Set(ctx context.Context, state BatchState) error {
	age := time.Duration(0) // nothing is removed
	if state == Done {
		age = afterDone
	}
	err := p.trying(ctx, func(ctx context.Context) error { return p.removeAfter(ctx, age) })
	if err == nil {
		err = p.decide(ctx, controlSubject, &p.control, decided{State: state})
	}
	return unreachable(err)
}

// afterDone is the time after which the server removes what it has of a batch that is done.
const afterDone = 24 * time.Hour

// removeAfter lets the server remove what is older than a time; 0: nothing.
func (p *Producer) removeAfter(ctx context.Context, age time.Duration) error {
	for _, name := range []string{logStream(p.name), jobStream(p.name)} {
		s, err := p.server.Stream(ctx, name)
		if err != nil {
			return err
		}
		config := s.CachedInfo().Config
		if config.MaxAge == age {
			continue
		}
		config.MaxAge = age
		if _, err := p.server.UpdateStream(ctx, config); err != nil {
			return err
		}
	}
	_, err := p.server.UpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket(p.name), Storage: jetstream.FileStorage, TTL: age})
	return err
}

// decide appends to a subject of the producer, behind all that it has. Another process of the
// producer may do so, too.
func (p *Producer) decide(ctx context.Context, kind string, c *chain, d decided) error {
	subject := p.subject(kind)
	for {
		if _, err := p.Refresh(ctx); err != nil {
			return err
		}
		p.reading.Lock()
		d.After = c.last
		p.reading.Unlock()
		data, _, err := p.pack(ctx, subject, d, p.private)
		if err != nil {
			return unreachable(err)
		}
		_, err = p.publish(ctx, message{subject: subject, data: data, after: &d.After})
		if !errors.Is(err, errMoved) {
			return unreachable(err)
		}
	}
}
