package natsqueue

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Pace shares among the processes of a batch what providers say about their limits: one message
// for each host says whether it refuses requests. Who replaces it after the wait, at the sequence
// that he knows, tries again; all others wait for what he says. Times count from when a process
// got the message, so that clocks do not matter.
type Pace struct {
	queue *Queue
	mu    sync.Mutex
	hosts map[string]*hostPace // by subject
}

// hostPace is what is known of a host.
type hostPace struct {
	subject string
	last    uint64 // the sequence of the message
	slow    bool
	until   time.Time     // no request goes out before
	changed chan struct{} // closed when something else is known
	refused int           // how often this process was refused
}

// paceRecord is the message of a host.
type paceRecord struct {
	Slow   bool  `json:"slow"`
	WaitMS int64 `json:"wait_ms,omitempty"`
}

// longestWait is the longest time that a message can let others wait, and the time after which
// somebody else tries again if the one who does is silent.
const longestWait = time.Minute

// Pace returns the pace that the queue's processes share. It is followed until the queue is closed.
func (q *Queue) Pace(ctx context.Context) (*Pace, error) {
	p := &Pace{queue: q, hosts: map[string]*hostPace{}}
	var following jetstream.ConsumeContext
	err := q.trying(ctx, func(ctx context.Context) error {
		messages, err := q.log.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{q.subjectOf(paceSubject, "*")}, DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy,
		})
		if err == nil {
			following, err = messages.Consume(p.hear)
		}
		return err
	})
	if err != nil {
		return nil, unreachable(err)
	}
	q.done.Go(func() {
		<-q.life.Done()
		following.Stop()
	})
	return p, nil
}

// hear learns from a message of another process.
func (p *Pace) hear(m jetstream.Msg) {
	if about, err := m.Metadata(); err == nil {
		p.learn(m.Subject(), about.Sequence.Stream, m.Data())
	}
}

func (p *Pace) learn(subject string, sequence uint64, data []byte) {
	b, err := p.queue.unpack(p.queue.life, subject, data)
	var r paceRecord
	if err == nil && json.Unmarshal(b.data, &r) != nil {
		err = ignored("it does not say how fast requests are")
	}
	if err != nil {
		p.queue.ignores(subject, err)
		r = paceRecord{Slow: true} // who writes it cannot let requests out faster
	}
	p.know(p.host(subject), sequence, r)
}

// host returns what is known of the host of a subject.
func (p *Pace) host(subject string) *hostPace {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts[subject] == nil {
		p.hosts[subject] = &hostPace{subject: subject, changed: make(chan struct{})}
	}
	return p.hosts[subject]
}

// hostOf returns what is known of a host. Its name says nothing to the server.
func (p *Pace) hostOf(name string) *hostPace {
	return p.host(p.queue.subjectOf(paceSubject, p.queue.sealer.objectName("pace", name)))
}

// know changes what is known of a host, unless something later is known. A refusal makes no wait
// shorter.
func (p *Pace) know(h *hostPace, sequence uint64, r paceRecord) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sequence <= h.last {
		return
	}
	h.last, h.slow = sequence, r.Slow
	h.until = time.Now().Add(min(max(0, time.Duration(r.WaitMS)*time.Millisecond), longestWait))
	p.wakeWaiting(h)
}

// wakeWaiting wakes those who wait for something else to be known. The caller holds mu.
func (p *Pace) wakeWaiting(h *hostPace) {
	close(h.changed)
	h.changed = make(chan struct{})
}

// Enter waits until a request to a host may go out. leave must be called after the answer; room
// says whether other requests may go out too.
func (p *Pace) Enter(ctx context.Context, name string) (leave func(room bool), err error) {
	h := p.hostOf(name)
	for {
		p.mu.Lock()
		slow, wait, changed, last := h.slow, time.Until(h.until), h.changed, h.last
		p.mu.Unlock()
		if !slow {
			return func(bool) {}, nil
		}
		if wait <= 0 {
			won, err := p.say(ctx, h, paceRecord{Slow: true, WaitMS: longestWait.Milliseconds()}, &last)
			if err != nil {
				return nil, unreachable(err)
			}
			if won {
				return p.leaving(h), nil
			}
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		timer.Stop()
	}
}

// leaving returns what the one who tries again calls after the answer.
func (p *Pace) leaving(h *hostPace) func(room bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := h.refused
	return func(room bool) {
		p.mu.Lock()
		refused := h.refused > before
		p.mu.Unlock()
		if refused {
			return // HoldBack said so
		}
		p.sayNow(h, paceRecord{Slow: !room})
	}
}

// HoldBack says that a host refuses requests, and for how long they wait.
func (p *Pace) HoldBack(name string, wait time.Duration) {
	h := p.hostOf(name)
	p.mu.Lock()
	h.refused++
	h.slow = true
	if until := time.Now().Add(min(wait, longestWait)); until.After(h.until) {
		h.until = until
	}
	p.wakeWaiting(h)
	p.mu.Unlock()
	p.sayNow(h, paceRecord{Slow: true, WaitMS: wait.Milliseconds()})
}

// sayNow tells the other processes about a host, whatever they said before. If the server does
// not answer, they learn it from their own requests.
func (p *Pace) sayNow(h *hostPace, r paceRecord) {
	ctx, stop := context.WithTimeout(p.queue.life, patience)
	defer stop()
	_, _ = p.say(ctx, h, r, nil)
}

// say replaces the message of a host; with after, unless another one is there than that.
func (p *Pace) say(ctx context.Context, h *hostPace, r paceRecord, after *uint64) (said bool, err error) {
	data, _, err := p.queue.pack(ctx, h.subject, r, p.queue.sealer.private)
	if err != nil {
		return false, err
	}
	sequence, err := p.queue.publish(ctx, message{subject: h.subject, data: data, after: after, only: true})
	switch {
	case err == nil:
		p.know(h, sequence, r)
		return true, nil
	case !errors.Is(err, errMoved):
		return false, err
	}
	m, err := p.queue.last(ctx, h.subject)
	if err == nil && m != nil {
		p.learn(h.subject, m.Sequence, m.Data)
	}
	return false, err
}
