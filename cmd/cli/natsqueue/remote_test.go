package natsqueue

import (
	"bytes"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/sandbox"
)

// slowReply is a connection on which nothing is read any more once a request with a text was
// written, until the test opens it.
type slowReply struct {
	net.Conn
	text   []byte
	closed chan struct{} // closed when the text was written
	open   chan struct{} // closed by the test
	once   sync.Once
}

// Write implements net.Conn.
func (s *slowReply) Write(data []byte) (int, error) {
	if bytes.Contains(data, s.text) {
		s.once.Do(func() { close(s.closed) })
	}
	return s.Conn.Write(data)
}

// Read implements net.Conn.
func (s *slowReply) Read(data []byte) (int, error) {
	n, err := s.Conn.Read(data)
	select {
	case <-s.closed:
		<-s.open
	default:
	}
	return n, err
}

// dialed makes the connection of a client.
type dialed struct{ conn *slowReply }

// Dial implements nats.CustomDialer.
func (d dialed) Dial(network, address string) (net.Conn, error) {
	var err error
	d.conn.Conn, err = net.Dial(network, address)
	return d.conn, err
}

// TestItemThatEndsAtOnceRunsOnce tests an item that a worker ends before its producer learns that
// the server has its job, because the answer of the server came late. It has ended, and does not
// begin anew.
func TestItemThatEndsAtOnceRunsOnce(t *testing.T) {
	p := newPair(t)
	slow := &slowReply{text: []byte(p.producer.subject(jobSubject) + " "), closed: make(chan struct{}), open: make(chan struct{})}
	conn, err := nats.Connect(p.server.ClientURL(), nats.SetCustomDialer(dialed{slow}))
	must(t, err)
	t.Cleanup(conn.Close)
	producer, err := Create(t.Context(), conn, p.options, p.producer.private)
	must(t, err)
	t.Cleanup(producer.Close)
	local := &oneItem{item: batch.Item{Key: "a", Input: batch.Input{Text: "x"}}}
	r, err := producer.Remote(t.Context(), local, nil, sandbox.Memory())
	must(t, err)
	t.Cleanup(r.Close)
	done := make(chan batch.Outcome, 1)
	go func() { done <- r.Run(t.Context(), &batch.Lease{Item: local.item, Attempt: 1, Holder: local}) }()
	<-slow.closed
	var l *batch.Lease
	for l == nil {
		l, err = p.worker.Lease(t.Context(), "w")
		must(t, err)
	}
	must(t, l.Finish(t.Context(), batch.Result{Status: batch.OK}))
	close(slow.open)
	for {
		select {
		case out := <-done:
			if out.Result.Status != batch.OK {
				t.Errorf("%+v", out)
			}
			return
		default:
		}
		if l, err := p.worker.Lease(t.Context(), "w"); err != nil || l != nil {
			t.Fatalf("the item is given out again: %+v, %v", l, err)
		}
	}
}

// What an item staged on another machine reaches the one that began the batch as it was, unless it
// was changed on the server: then the item ends as E_TRUST.
func TestRemoteStaged(t *testing.T) {
	staged := []batch.Change{{Name: "notes/a.md", Data: []byte("new")}, {Name: "notes/empty", Data: []byte{}}, {Name: "notes/old.md", Removed: true}}
	for _, damaged := range []bool{false, true} {
		p := newPair(t)
		local := &oneItem{item: batch.Item{Key: "a", Input: batch.Input{Text: "x"}}}
		r, err := p.producer.Remote(t.Context(), local, nil, sandbox.Memory())
		must(t, err)
		t.Cleanup(r.Close)
		must(t, r.send(t.Context(), local.item, true))
		l := p.lease(t)
		must(t, l.Finish(t.Context(), batch.Result{Status: batch.OK, Staged: staged}))
		if damaged {
			end, err := p.producer.readLog(t.Context(), "a")
			must(t, err)
			must(t, p.worker.putObject(t.Context(), end.staged[0].Object, []byte("other")))
		}
		out, ended, err := r.look(t.Context(), local.item)
		must(t, err)
		switch {
		case !ended:
			t.Error("the item has not ended")
		case damaged && (out.Result.Status != batch.Failed || out.Result.Error.Code != fault.Trust || out.Result.Staged != nil):
			t.Errorf("changed on the server: %+v", out)
		case !damaged && (out.Result.Status != batch.OK || fmt.Sprintf("%v", out.Result.Staged) != fmt.Sprintf("%v", staged)):
			t.Errorf("%+v, want %v", out, staged)
		}
	}
}
