package natsqueue

import (
	"crypto/ed25519"
	"crypto/rand"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"golem/core/approval"
	"golem/core/batch"
)

// notices keeps what a Watcher is told.
type notices struct {
	mu      sync.Mutex
	foreign []string
}

// Waiting does nothing.
func (*notices) Waiting(error) {}

// Foreign keeps the reason.
func (n *notices) Foreign(_, why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.foreign = append(n.foreign, why)
}

// told fails unless exactly the reasons with these words were told since the last call.
func (n *notices) told(t *testing.T, words ...string) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	ok := len(words) == len(n.foreign)
	for i := 0; ok && i < len(words); i++ {
		ok = strings.Contains(n.foreign[i], words[i])
	}
	if !ok {
		t.Errorf("told %q, want %q", n.foreign, words)
	}
	n.foreign = nil
}

// pair is a batch with a producer and a worker in this process.
type pair struct {
	server   *server.Server
	conn     *nats.Conn
	options  Options
	producer *Producer
	worker   *Queue
	notices  *notices
}

func newPair(t *testing.T, keys ...string) *pair {
	t.Helper()
	s := newServer(t, filepath.Join(t.TempDir(), "store"), -1)
	p := &pair{server: s, notices: &notices{}}
	var err error
	p.conn, err = nats.Connect(s.ClientURL(), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	must(t, err)
	t.Cleanup(p.conn.Close)
	public, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	p.options = Options{Name: "b", Signer: public, Lease: time.Hour, Watch: p.notices}
	_, _ = rand.Read(p.options.Key[:])
	p.producer, err = Create(t.Context(), p.conn, p.options, private)
	must(t, err)
	t.Cleanup(p.producer.Close)
	for n, key := range keys {
		must(t, p.producer.Add(t.Context(), batch.Item{N: n, Key: key, Input: batch.Input{Text: "secret input"}}))
	}
	p.worker = p.open(t, p.options)
	return p
}

func newServer(t *testing.T, dir string, port int) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true})
	must(t, err)
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

func (p *pair) open(t *testing.T, o Options) *Queue {
	t.Helper()
	q, err := Open(t.Context(), p.conn, o)
	must(t, err)
	t.Cleanup(q.Close)
	return q
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (p *pair) lease(t *testing.T) *batch.Lease {
	t.Helper()
	l, err := p.worker.Lease(t.Context(), "w")
	if err != nil || l == nil {
		t.Fatalf("no item: %v", err)
	}
	return l
}

var ask = batch.QuestionOf(approval.Request{Kind: approval.KindTool, Tool: "secret_tool", Args: []byte(`{"to":"x"}`)})
