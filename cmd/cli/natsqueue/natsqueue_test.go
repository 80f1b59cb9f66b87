package natsqueue_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"golem/cmd/cli/natsqueue"
	"golem/core/batch"
	"golem/core/batch/batchtest"
)

// start starts a nats-server of this process, with its store in a directory.
func start(t *testing.T, dir string, port int) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
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

func connect(t *testing.T, url string) *nats.Conn {
	t.Helper()
	c, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// remote is a server with one batch.
type remote struct {
	server   *server.Server
	dir      string // of its store
	port     int
	url      string
	options  natsqueue.Options
	private  ed25519.PrivateKey
	producer *natsqueue.Producer
	worker   *natsqueue.Queue
	conn     *nats.Conn // of the queue that was opened last
}

func newRemote(t *testing.T) *remote {
	dir := filepath.Join(t.TempDir(), "store")
	s := start(t, dir, -1)
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &remote{server: s, dir: dir, port: s.Addr().(*net.TCPAddr).Port, url: s.ClientURL(), private: private, options: natsqueue.Options{Name: "b", Signer: public, Lease: time.Hour}}
	_, _ = rand.Read(p.options.Key[:])
	return p
}

func item(n int, key string) batch.Item {
	return batch.Item{N: n, Key: key, Input: batch.Input{Text: "the input of " + key}}
}

func (r *remote) begin(t *testing.T, keys ...string) {
	t.Helper()
	conn := connect(t, r.url)
	var err error
	r.producer, err = natsqueue.Create(t.Context(), conn, r.options, r.private)
	for err != nil && strings.Contains(err.Error(), "obs/workers/o.dat: no such file") {
		// After Again the server removes the files of the consumer before, also after it answered.
		r.producer, err = natsqueue.Create(t.Context(), conn, r.options, r.private)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.producer.Close)
	for n, key := range keys {
		if err := r.producer.Add(t.Context(), item(n, key)); err != nil {
			t.Fatal(err)
		}
	}
}

// another returns the queue for one more process.
func (r *remote) another(t *testing.T) *natsqueue.Queue {
	t.Helper()
	r.conn = connect(t, r.url)
	q, err := natsqueue.Open(t.Context(), r.conn, r.options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// Open implements batchtest.Harness.
func (r *remote) Open(t *testing.T, keys ...string) batch.Queue {
	r.begin(t, keys...)
	r.worker = r.another(t)
	return r.worker
}

// Again implements batchtest.Harness. A new consumer gets all jobs that were not acknowledged, as
// the old one does after the time of a lease.
func (r *remote) Again(t *testing.T) batch.Queue {
	js, err := jetstream.New(connect(t, r.url))
	if err == nil {
		err = js.DeleteConsumer(t.Context(), "GOLEM-JOBS-b", "workers")
	}
	if err != nil {
		t.Fatal(err)
	}
	r.producer.Close()
	r.begin(t)
	r.worker = r.another(t)
	return r.worker
}

// Results implements batchtest.Harness.
func (r *remote) Results(t *testing.T) (out []batch.Result) {
	err := r.producer.Results(t.Context(), func(result batch.Result) error {
		out = append(out, result)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Answer implements batchtest.Harness.
func (r *remote) Answer(t *testing.T, a batch.Answer) {
	if err := r.producer.Answer(t.Context(), a); err != nil {
		t.Fatal(err)
	}
}

func TestConformance(t *testing.T) {
	batchtest.Run(t, func(t *testing.T) batchtest.Harness { return newRemote(t) })
}
