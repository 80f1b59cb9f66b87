// Package natsqueue is the batch.Queue over NATS JetStream (SPEC §19): the processes of many
// machines run the items of one batch. It needs any nats-server from version 2.11 on.
//
// A batch NAME has two streams and a bucket of objects. GOLEM-JOBS-NAME is a work queue with one
// message for each item that waits for a holder. GOLEM-LOG-NAME has what is known of the items,
// by subject:
//
//	golem.NAME.item.ITEM     the input of the item
//	golem.NAME.log.ITEM      the item's log: holders, lines, questions, the result
//	golem.NAME.parked.ITEM   an item whose question is not answered
//	golem.NAME.answers       the answers of people
//	golem.NAME.control       whether the batch is cancelled or done
//	golem.NAME.setup         what the batch is: the packed project, the model, limits
//	golem.NAME.join          the key of the batch, for those who have an invitation
//	golem.NAME.named.KEY     the key of the batch, for a machine that the producer named
//	golem.NAME.budget        what the batch used, and what is reserved for requests
//	golem.NAME.pace.HOST     that a provider refuses requests
//	golem.NAME.alive.KEY     that a process with reservations is alive
//
// The log of an item decides who holds it: each message is appended at the sequence that the
// writer knows as the last one, so that of two writers one fails. Jobs only say that somebody
// should look: a job too many is dropped, and a job that nobody acknowledges comes again.
//
// All contents are sealed with the key of the batch, and bound to their subject. What the
// producer decides is signed with the producer's key, what a holder writes with the key that its
// lease names. A message that is not so is ignored, and named to the Watcher.
package natsqueue

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/sandbox"
)

// Options say which batch a queue has.
type Options struct {
	Name string // of the batch
	Key  [KeySize]byte
	// Signer is the key of the producer, whose items and answers count.
	Signer ed25519.PublicKey
	// Lease is how long a worker may be silent before others get its items; it counts when the
	// batch is made. 0: a minute.
	Lease time.Duration
	Watch Watcher // nil: nobody is told
	// Inputs gets the inputs that are files, while their items are held. nil: none is one.
	Inputs sandbox.FS
	// Outputs has the files that items write, below the directory of each. What an item wrote
	// moves to the server when it ends. nil: it stays.
	Outputs sandbox.FS
}

// StateKey returns the key with which the workers of the batch seal what they append to the logs
// of items, so that each of them can go on with what another began.
func (o Options) StateKey() []byte {
	mac := hmac.New(sha256.New, o.Key[:])
	mac.Write([]byte("golem: state of items"))
	return mac.Sum(nil)
}

// usualLease is the time after which the items of a silent worker are given to others.
const usualLease = time.Minute

// Watcher is told what a person should know. Its methods are called from several goroutines.
type Watcher interface {
	// Waiting says that the server does not answer or has no room. The caller tries again.
	Waiting(why error)
	// Foreign says that a message is ignored, because its writer was not allowed to write it.
	Foreign(subject, why string)
}

// unwatched is the Watcher of nobody.
type unwatched struct{}

// Waiting does nothing.
func (unwatched) Waiting(error) {}

// Foreign does nothing.
func (unwatched) Foreign(string, string) {}

// Queue is the queue of a batch as one process sees it. Make one with Open, and close it.
type Queue struct {
	connection
	signer ed25519.PublicKey
	stop   context.CancelFunc
	done   sync.WaitGroup

	mu    sync.Mutex
	alive map[uint64]jetstream.Msg // jobs that the server is told of, by sequence
	held  int                      // items with a holder here
	alone bool                     // the item that was leased last runs alone
	aside []job                    // of items on which golem ended; they come last

	reading  sync.Mutex // one goroutine reads answers and control
	answers  []batch.Answer
	answered chain
	control  chain
	state    BatchState
	limit    batch.Amount
	learned  bool   // what the producer says was read
	limitOf  uint64 // which decision of the producer limit is

	purse *purse
	life  context.Context // ends with Close
}

// BatchState is what the producer says about the whole batch.
type BatchState string

// The states of a batch.
const (
	Going     BatchState = ""
	Cancelled BatchState = "cancelled" // workers end what they hold, and lease no more
	Done      BatchState = "done"      // nothing comes any more
)

var _ batch.Queue = (*Queue)(nil)

// connection is what a server has of a batch, and how to read and write it.
type connection struct {
	name    string // of the batch
	watch   Watcher
	server  jetstream.JetStream
	log     jetstream.Stream
	jobs    jetstream.Consumer
	objects jetstream.ObjectStore
	sealer  sealer
	key     [KeySize]byte
	inputs  sandbox.FS // nil: no item's input is a file
	outputs sandbox.FS // nil: what items write stays where it is
}

// Open opens the queue of a batch that a Producer made. If the server has none of that name, the
// error is E_NOT_FOUND. The connection stays the caller's.
func Open(ctx context.Context, conn *nats.Conn, o Options) (*Queue, error) {
	q := &Queue{
		connection: connection{name: o.Name, watch: o.Watch, key: o.Key, inputs: o.Inputs, outputs: o.Outputs}, signer: o.Signer, alive: map[uint64]jetstream.Msg{},
	}
	if q.watch == nil {
		q.watch = unwatched{}
	}
	if !batch.IsName(o.Name) {
		return nil, fault.New(fault.Usage, "%s is not a name of a batch", fault.Quoted(o.Name)).Hinting("use 1 to 64 of the characters a-z, 0-9, _ and -")
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	if q.sealer, err = newSealer(o.Key, private); err != nil {
		return nil, err
	}
	if q.server, err = jetstream.New(conn); err != nil {
		return nil, err
	}
	if err := q.connect(ctx); err != nil {
		return nil, err
	}
	q.purse = newPurse(q)
	q.life, q.stop = context.WithCancel(context.Background())
	q.done.Go(func() { q.stayAlive(q.life, q.leaseTime()/aliveParts) })
	return q, nil
}

// leaseTime returns how long a worker of the batch may be silent.
func (q *Queue) leaseTime() time.Duration { return q.jobs.CachedInfo().Config.AckWait }

// connect finds what the server has of the batch.
func (q *Queue) connect(ctx context.Context) error {
	err := q.trying(ctx, func(ctx context.Context) (err error) {
		if q.log, err = q.server.Stream(ctx, logStream(q.name)); err != nil {
			return err
		}
		if q.jobs, err = q.server.Consumer(ctx, jobStream(q.name), consumer); err != nil {
			return err
		}
		q.objects, err = q.server.ObjectStore(ctx, bucket(q.name))
		return err
	})
	for _, missing := range []error{jetstream.ErrStreamNotFound, jetstream.ErrConsumerNotFound, jetstream.ErrBucketNotFound} {
		if errors.Is(err, missing) {
			return fault.New(fault.NotFound, "the queue has no batch %s", q.name).Hinting("begin it with golem batch on the machine that has the project")
		}
	}
	return err
}

// aliveParts is how often a worker shows during a lease that it is alive.
const aliveParts = 3

// stayAlive tells the server regularly that the jobs of this process are worked on.
func (q *Queue) stayAlive(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			q.mu.Lock()
			for _, m := range q.alive {
				_ = m.InProgress() // without a connection the lease ends, and the next append says so
			}
			q.mu.Unlock()
		}
	}
}

// Close ends the use of the queue. Items that are held are given to others after the time of a
// lease.
func (q *Queue) Close() {
	q.purse.flush()
	q.stop()
	q.done.Wait()
}

// The names of what a batch has on the server.
func logStream(name string) string { return "GOLEM-LOG-" + name }
func jobStream(name string) string { return "GOLEM-JOBS-" + name }
func bucket(name string) string    { return "GOLEM-" + name }

// consumer is the name of the consumer that all workers share.
const consumer = "workers"

// The kinds of subjects.
const (
	itemSubject    = "item"
	logSubject     = "log"
	parkedSubject  = "parked"
	jobSubject     = "jobs"
	answerSubject  = "answers"
	controlSubject = "control"
	setupSubject   = "setup"
	joinSubject    = "join"
	namedSubject   = "named"
	budgetSubject  = "budget"
	aliveSubject   = "alive"
	paceSubject    = "pace"
)

func (c *connection) subject(kind string) string { return "golem." + c.name + "." + kind }

func (c *connection) subjectOf(kind, dir string) string { return c.subject(kind) + "." + dir }

// leaseTime returns the time of a lease.
func (o Options) leaseTime() time.Duration { return cmp.Or(o.Lease, usualLease) }
