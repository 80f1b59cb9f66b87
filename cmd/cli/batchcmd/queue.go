package batchcmd

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"time"

	"github.com/nats-io/nats.go"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/state"

	"golem/cmd/cli/console"
	"golem/cmd/cli/natsqueue"
)

// queueFile has, in the directory of a batch, where its items wait and the keys of its producer.
const queueFile = "queue.json"

// queueKept is the content of queueFile.
type queueKept struct {
	URL     string `json:"url"`     // of the server, without a token
	Key     []byte `json:"key"`     // of the batch
	Private []byte `json:"private"` // the seed of the producer's key
	Secret  []byte `json:"secret"`  // of the invitation
	// Workers are the keys of the machines that may work for the batch; none: who has the
	// invitation may.
	Workers []string `json:"workers,omitempty"`
}

// description is what the producer tells the workers.
type description struct {
	Golem   string          `json:"golem"` // the version
	Batch   string          `json:"batch"` // its name for people
	Project string          `json:"project"`
	Entry   string          `json:"entry,omitempty"`
	Pack    []byte          `json:"pack"` // the packed project
	Opening options.Opening `json:"opening"`
	Doubt   string          `json:"doubt,omitempty"`
	Retry   int             `json:"retry,omitempty"`
}

// forWorkers returns of the options what counts on another machine. What its person decides is
// not among it: a call that asks parks its item, and is answered here.
func forWorkers(o options.Opening) options.Opening {
	o.Approval, o.Trust, o.Sandbox, o.AllowOutside, o.NoProject = "", false, "", false, false
	return o
}

// connect opens the connection to a server.
func connect(c *console.Console, address string) (*nats.Conn, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "nats" && u.Scheme != "tls") || u.Host == "" {
		return nil, console.Usage("%q is not the address of a queue", withoutToken(address)).Hinting("for example nats://127.0.0.1:4222, or tls://HOST:4222; golem-queue starts such a server")
	}
	opts := []nats.Option{nats.Name("golem " + c.Build.Version), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second), nats.Timeout(10 * time.Second)}
	if token := c.Env[console.QueueVariable]; token != "" && u.User == nil {
		opts = append(opts, nats.Token(token))
	}
	conn, err := nats.Connect(address, opts...)
	if err != nil {
		hint := "start one there with golem-queue, or look at the address"
		if errors.Is(err, nats.ErrAuthorization) {
			hint = "set " + console.QueueVariable + " to the token of the server"
		}
		return nil, fault.New(fault.Network, "there is no queue at %s: %s", withoutToken(address), err).Hinting("%s", hint)
	}
	return conn, nil
}

// withoutToken returns an address without what only its user may know.
func withoutToken(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = nil
	return u.String()
}

// told tells a person what a queue says.
type told struct{ c *console.Console }

var _ natsqueue.Watcher = told{}

// Waiting implements natsqueue.Watcher.
func (t told) Waiting(why error) { t.c.Say("the queue does not answer, golem waits for it: %s", why) }

// Foreign implements natsqueue.Watcher.
func (t told) Foreign(subject, why string) {
	t.c.Say("warning: a message on %s is ignored: %s", subject, why)
}

// refuseFar returns E_USAGE for options that batches on many machines do not have.
func (f *flags) refuseFar() error {
	if f.Approval != "" {
		return console.Usage("--queue does not take --approval or --approve-all: what asks on a worker's machine waits for you").Hinting("answer with golem batch questions")
	}
	return nil
}

// readQueue reads with what the batch of a store uses its server; nil: it uses none.
func readQueue(store *state.Store) (*queueKept, error) {
	data, err := fs.ReadFile(store.Files, queueFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	k := &queueKept{}
	if json.Unmarshal(data, k) != nil || len(k.Key) != natsqueue.KeySize || len(k.Private) != ed25519.SeedSize || len(k.Secret) != 16 {
		return nil, fault.New(fault.Config, "%s of the batch is damaged", queueFile).Hinting("begin another batch with --name")
	}
	return k, nil
}

// queueOf returns with what a batch uses a server, from its directory or new; nil: it uses none.
func (f *flags) queueOf(store *state.Store) (*queueKept, error) {
	k, err := readQueue(store)
	if err != nil || f.Queue == "" {
		return k, err
	}
	if k == nil {
		k = &queueKept{Key: random(natsqueue.KeySize), Private: random(ed25519.SeedSize), Secret: random(16)}
	}
	k.URL = withoutToken(f.Queue)
	if len(f.workers) > 0 {
		k.Workers = f.workers
	}
	return k, nil
}

// remove removes what the server has of the batch.
func (k *queueKept) remove(c *console.Console, name string) error {
	conn, err := connect(c, k.URL)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, stop := context.WithTimeout(context.Background(), endPatience)
	defer stop()
	i, _ := k.invitation(name)
	return natsqueue.Remove(ctx, conn, i.Name)
}

// write writes with what the batch of a store uses its server.
func (k *queueKept) write(store *state.Store) error {
	data, err := json.Marshal(k)
	if err == nil {
		err = store.Files.WriteFile(queueFile, data)
	}
	return err
}

func random(n int) []byte {
	data := make([]byte, n)
	_, _ = rand.Read(data) // never fails
	return data
}

// invitation returns the invitation of the batch, and the private key of its producer. The name
// on the server is made of the producer's key as well: two people may call their batches the same.
func (k *queueKept) invitation(name string) (natsqueue.Invitation, ed25519.PrivateKey) {
	private := ed25519.NewKeyFromSeed(k.Private)
	public := private.Public().(ed25519.PublicKey)
	i := natsqueue.Invitation{Name: batch.DirName(name + " " + hex.EncodeToString(public)), Signer: public}
	copy(i.Secret[:], k.Secret)
	return i, private
}
