package natsqueue

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"golem/core/fault"
)

// patience is how long one request to the server may take before it is tried again. Contents of
// objects have a second more for each slowest bytes.
const (
	patience = 5 * time.Second
	slowest  = 100 << 10
)

// trying calls do until it succeeds or fails for good. While the server does not answer or has
// no room it waits, and tells the Watcher once.
func (c *connection) trying(ctx context.Context, do func(context.Context) error) error {
	return c.tryingWithin(ctx, patience, do)
}

// tryingWithin is trying for requests that take at most a time each.
func (c *connection) tryingWithin(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = 50*time.Millisecond, 5*time.Second
	told := false
	var removed time.Time // since when the server says that it has no such batch
	for {
		err := c.tryConnected(ctx, limit, do)
		if err == nil || ctx.Err() != nil || !passes(err) {
			return err
		}
		switch {
		case !c.removed(ctx, limit):
			removed = time.Time{}
		case removed.IsZero():
			removed = time.Now()
		case time.Since(removed) >= patience: // a server that starts again may not have read its store
			return fault.New(fault.NotFound, "the queue has this batch no more").Hinting("golem batch remove removed it, or the queue was emptied")
		}
		if !told {
			c.watch.Waiting(err)
			told = true
		}
		timer := time.NewTimer(wait.NextBackOff())
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
		}
	}
}

// removed reports whether the server answers, and does not have the batch.
func (c *connection) removed(ctx context.Context, limit time.Duration) bool {
	err := c.tryConnected(ctx, limit, func(ctx context.Context) error {
		_, err := c.server.Stream(ctx, logStream(c.name))
		return err
	})
	return errors.Is(err, jetstream.ErrStreamNotFound)
}

// tryConnected calls do, unless the connection to the server is broken.
func (c *connection) tryConnected(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	switch conn := c.server.Conn(); {
	case conn.IsClosed():
		return nats.ErrConnectionClosed
	case !conn.IsConnected(): // nats.go connects again
		return nats.ErrDisconnected
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return do(ctx)
}

// passes reports whether the same request may succeed later: the server is away, restarts, or
// has no room.
func passes(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.Code >= 500
	}
	for _, e := range []error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrReconnectBufExceeded,
		jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat, jetstream.ErrServerShutdown, jetstream.ErrConsumerLeadershipChanged,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// errMoved says that a subject has a later message than the writer knew of.
var errMoved = errors.New("the subject has a later message")

// message is what is published.
type message struct {
	subject string
	data    []byte
	id      string // two messages with one id within two minutes are one; "": a new id
	after   *uint64
	only    bool // earlier messages of the subject are removed
	ends    bool // the item ends or asks, which the producer waits for
}

// endsHeader marks a message with which an item ends or asks. It is a hint: what counts is in
// the log.
const endsHeader = "Golem-Ends"

// publish publishes a message, and returns its sequence. If the subject has another last message
// than after, it is errMoved. If the server's reply to an attempt was lost, publish reads the
// last message to find out whether it is this one.
func (c *connection) publish(ctx context.Context, m message) (sequence uint64, err error) {
	msg := nats.NewMsg(m.subject)
	msg.Data = m.data
	if m.id == "" {
		m.id = nuid.Next()
	}
	msg.Header.Set(jetstream.MsgIDHeader, m.id)
	if m.only {
		msg.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	}
	if m.ends {
		msg.Header.Set(endsHeader, "1")
	}
	var how []jetstream.PublishOpt
	if m.after != nil {
		how = append(how, jetstream.WithExpectLastSequencePerSubject(*m.after))
	}
	tries := 0
	err = c.trying(ctx, func(ctx context.Context) error {
		tries++
		ack, err := c.server.PublishMsg(ctx, msg, how...)
		if err == nil {
			sequence = ack.Sequence
		}
		return err
	})
	if !moved(err) {
		return sequence, err
	}
	if tries > 1 {
		last, err := c.last(ctx, m.subject)
		if err != nil {
			return 0, err
		}
		if last != nil && last.Header.Get(jetstream.MsgIDHeader) == m.id {
			return last.Sequence, nil
		}
	}
	return 0, errMoved
}

func moved(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) &&
		(api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// last returns the last message of a subject of the log; nil: it has none.
func (c *connection) last(ctx context.Context, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = c.trying(ctx, func(ctx context.Context) error {
		m, err = c.log.GetLastMsgForSubject(ctx, subject)
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, err
}

// next returns the first message of a subject of the log behind a sequence; nil: there is none.
func (c *connection) next(ctx context.Context, subject string, behind uint64) (m *jetstream.RawStreamMsg, err error) {
	err = c.trying(ctx, func(ctx context.Context) error {
		m, err = c.log.GetMsg(ctx, behind+1, jetstream.WithGetMsgSubject(subject))
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, err
}

// removeSubject removes the messages of a subject of the log.
func (c *connection) removeSubject(ctx context.Context, subject string) error {
	return c.trying(ctx, func(ctx context.Context) error { return c.log.Purge(ctx, jetstream.WithPurgeSubject(subject)) })
}

// unreachable returns for people why the queue cannot be used.
func unreachable(err error) error {
	if err == nil || errors.As(err, new(*fault.Fault)) {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return fault.New(fault.Interrupted, "golem was stopped while it waited for the queue: %w", err)
	}
	return fault.New(fault.Network, "the queue does not work: %w", err).Hinting("look at the log of the nats-server")
}
