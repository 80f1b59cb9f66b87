package natsqueue

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// watchClock looks regularly whether the clock of the server was set back, and renews the leases
// then. A server counts the time of a lease by its clock, from when it heard of the holder: after a
// restart with an earlier clock, the job of a holder that is gone would come again only when the
// clock is where it was.
func (p *Producer) watchClock(ctx context.Context) {
	tick := time.NewTicker(p.leaseTime() / aliveParts)
	defer tick.Stop()
	seen := p.log.CachedInfo().State.LastTime
	for {
		about, err := p.jobs.Info(ctx)
		if err == nil && about.TimeStamp.Before(seen) {
			err = p.renew(about)
		}
		if err == nil { // else the server is away, and is asked again
			seen = about.TimeStamp
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// renew tells the server that all jobs that it gave are worked on. A holder that is gone has its
// item for the time of one more lease.
func (c *connection) renew(about *jetstream.ConsumerInfo) error {
	conn := c.server.Conn()
	for n := about.AckFloor.Stream + 1; n <= about.Delivered.Stream; n++ {
		// The reply of NATS to a message: of its numbers, the server reads the sequence.
		if err := conn.Publish(fmt.Sprintf("$JS.ACK.%s.%s.1.%d.1.0.0", jobStream(c.name), consumer, n), []byte("+WPI")); err != nil {
			return err
		}
	}
	return conn.Flush()
}

// hearing has when processes were alive by the clock of the server, and since when this process
// knows that.
type hearing map[string]struct{ at, since time.Time }

// silent reports whether a process that was alive at a time, by the clock of the server, has been
// silent for the time of a lease: by the clock of the server, where it is now, or by the clock of
// this process, where it is here, because that of the server may have been set back.
func (h *hearing) silent(id string, at, now, here time.Time, lease time.Duration) bool {
	if *h == nil {
		*h = hearing{}
	}
	known, ok := (*h)[id]
	if !ok || !known.at.Equal(at) {
		known.at, known.since = at, here
		(*h)[id] = known
	}
	return now.Sub(at) >= lease || here.Sub(known.since) >= lease
}
