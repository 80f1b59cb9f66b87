//go:build unix

package faults

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/crypto/chacha20poly1305"

	"golem/cmd/cli/natsqueue"
)

// hostileWorker plays a batch with a worker that joined it and appends to the logs of items that
// others hold, without a lease: lines, ends, questions and so on, sealed with the key of the
// batch and signed with a key of its own. What it writes must change nothing, and golem must name
// it.
func hostileWorker(p Plan) (string, error) {
	p.Delay = max(p.Delay, 20*time.Millisecond) // so that items are held when it writes
	return p.farmed(0, 0, func(f *farm, q *queue, _ []*exec.Cmd) (string, error) {
		i, err := joinAs(f, q)
		if err != nil {
			return "", err
		}
		defer i.conn.Close()
		written, err := i.untilEnd(f)
		if err != nil {
			return "", err
		}
		if written < 10*len(i.forgeries()) {
			return "", fmt.Errorf("it appended only %d records", written)
		}
		for _, why := range []string{"its writer does not hold the item", "is ignored"} {
			if !strings.Contains(f.said.String(), why) {
				return "", fmt.Errorf("no golem said that %s: %s", why, f.said.String())
			}
		}
		return fmt.Sprintf("a worker without a lease appended %d records to items of others, which were ignored and named", written), nil
	})
}

// intruder is a process with the token of a batch that follows no rule.
type intruder struct {
	conn    *nats.Conn
	server  jetstream.JetStream
	stream  jetstream.Stream
	batch   natsqueue.Options
	private ed25519.PrivateKey
	other   []byte // a message of another item
}

// joinAs joins the batch of a farm.
func joinAs(f *farm, q *queue) (*intruder, error) {
	invitation, err := natsqueue.ReadInvitation(f.token)
	if err != nil {
		return nil, err
	}
	i := &intruder{}
	if i.conn, err = nats.Connect(q.url); err != nil {
		return nil, err
	}
	ctx := context.Background()
	i.batch, err = natsqueue.Join(ctx, i.conn, invitation)
	if err == nil {
		_, i.private, err = ed25519.GenerateKey(rand.Reader)
	}
	if err == nil {
		i.server, err = jetstream.New(i.conn)
	}
	if err == nil {
		i.stream, err = i.server.Stream(ctx, "GOLEM-LOG-"+i.batch.Name)
	}
	if err != nil {
		i.conn.Close()
	}
	return i, err
}

// untilEnd appends a record behind each fifth message of an item's log, until the batch ends or
// would need another one. It returns how many were appended.
func (i *intruder) untilEnd(f *farm) (written int, err error) {
	seen := make(chan *nats.Msg, 1<<16)
	sub, err := i.conn.ChanSubscribe("golem."+i.batch.Name+".log.*", seen)
	if err != nil {
		return 0, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	forged := i.forgeries()
	for n := 0; ; n++ {
		select {
		case err := <-f.ended:
			f.ended = closed(err)
			return written, nil
		case m := <-seen:
			if n%5 != 0 {
				continue
			}
			ok, err := i.forge(m.Subject, forged[written%len(forged)])
			if err != nil {
				return written, err
			}
			if ok {
				written++
			}
			i.other = m.Data
		}
	}
}

// closed returns a channel that has an error.
func closed(err error) <-chan error {
	c := make(chan error, 1)
	c <- err
	return c
}

// forge appends a record to a log, behind its last message. ok is false if another came first.
func (i *intruder) forge(subject string, record func(after uint64) []byte) (ok bool, err error) {
	ctx := context.Background()
	last, err := i.stream.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	data := record(last.Sequence)
	if data == nil {
		data = i.other // sealed for another item
	} else if sealed, err := i.seal(subject, data); err != nil {
		return false, err
	} else {
		data = sealed
	}
	_, err = i.server.Publish(ctx, subject, data, jetstream.WithExpectLastSequencePerSubject(last.Sequence))
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return false, nil // a holder was faster
	}
	return err == nil, err
}

// forgeries returns what it writes in turn.
func (i *intruder) forgeries() []func(after uint64) []byte {
	key := i.private.Public()
	forged := []func(after uint64) []byte{func(uint64) []byte { return nil }}
	for _, r := range []map[string]any{
		{"kind": "lines", "lines": []any{map[string]any{"type": "answer", "text": "of nobody"}}},
		{"kind": "note", "lines": []any{"of nobody"}},
		{"kind": "release"},
		{"kind": "ask", "question": map[string]any{"key": "1", "request": map[string]any{"kind": "input", "title": "What is your password?"}}},
		{"kind": "end", "key": key, "result": map[string]any{"item": "item-1", "status": "ok", "output": "of nobody"}},
		{"kind": "open", "key": key, "attempt": 1},
		{"kind": "lease", "key": key, "attempt": 1000, "worker": "nobody"},
	} {
		forged = append(forged, func(after uint64) []byte {
			r["after"] = after
			data, _ := json.Marshal(r) // such values always encode
			return data
		})
	}
	return forged
}

// seal seals a record as a worker of the batch does: with the key of the batch, for its subject,
// and signed.
func (i *intruder) seal(subject string, data []byte) ([]byte, error) {
	aead, err := chacha20poly1305.NewX(i.batch.Key[:])
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(data)
	signature := ed25519.Sign(i.private, append([]byte("golem "+subject+"\x00"), digest[:]...))
	plain := append(append([]byte{0}, signature...), data...)
	out := make([]byte, 1+aead.NonceSize())
	out[0] = 1
	_, _ = rand.Read(out[1:]) // never fails
	return aead.Seal(out, out[1:], plain, []byte(subject)), nil
}

// heard collects what several processes say.
type heard struct {
	mu  sync.Mutex
	all strings.Builder
}

// Write implements io.Writer.
func (h *heard) Write(data []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all.Write(data)
}

// String returns what was said.
func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all.String()
}
