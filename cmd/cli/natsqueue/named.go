package natsqueue

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"golem/core/batch"
	"golem/core/fault"
)

// named is what a producer seals for a machine that it named. Signature is by the key From, about
// the subject and the rest.
type named struct {
	From      string            `json:"from"`   // the producer's PublicIdentity
	Signer    ed25519.PublicKey `json:"signer"` // of what the producer decides in this batch
	Key       []byte            `json:"key"`    // of the batch
	Signature []byte            `json:"signature,omitempty"`
}

// signed returns what the signature is about.
func (n named) signed(subject string) []byte {
	n.Signature = nil
	data, _ := json.Marshal(n) // texts and bytes always encode
	return signed(subject, data)
}

// Name makes the key of the batch readable for the machines with these keys, and for nobody else
// who has not read it before: invitations end to count.
func (p *Producer) Name(ctx context.Context, from Identity, machines []PublicIdentity) error {
	for _, subject := range []string{p.subject(joinSubject), p.subjectOf(namedSubject, "*")} {
		if err := p.removeSubject(ctx, subject); err != nil {
			return unreachable(err)
		}
	}
	for _, m := range machines {
		subject := p.subjectOf(namedSubject, m.name())
		n := named{From: from.Public().String(), Signer: p.signer, Key: p.key[:]}
		n.Signature = ed25519.Sign(from.signing, n.signed(subject))
		data, err := json.Marshal(n)
		if err == nil {
			data, err = m.sealFor(subject, data)
		}
		if err != nil {
			return fault.New(fault.Usage, "%s is not the key of a machine: nothing can be sealed for it", fault.Quoted(m.String())).Hinting("golem worker --key prints it there")
		}
		if _, err := p.publish(ctx, message{subject: subject, data: data, only: true}); err != nil {
			return unreachable(err)
		}
	}
	return nil
}

// mostBatches is how many batches of a server are looked at.
const mostBatches = 10_000

// Find returns with what a machine opens the batches of a server that name it and that were begun
// by one of those whom it trusts, in the order of their names. If there are only batches of
// others, the error is E_TRUST and names one of them; if no batch names it, E_NOT_FOUND.
func Find(ctx context.Context, conn *nats.Conn, me Identity, trusted []PublicIdentity) (found []Options, err error) {
	server, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	names, err := naming(ctx, server, me.Public())
	if err != nil {
		return nil, unreachable(err)
	}
	var other error
	for _, name := range names {
		o, err := openNamed(ctx, server, name, me, trusted)
		switch {
		case err == nil:
			found = append(found, o)
		case fault.Of(err, fault.Network).Code == fault.Network:
			return nil, unreachable(err)
		case !errors.Is(other, fault.Trust):
			other = err
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case other != nil:
		return nil, other
	}
	return nil, notNamed(me)
}

func notNamed(me Identity) error {
	return fault.New(fault.NotFound, "the queue has no batch for this machine").Hinting("begin it with golem batch --queue URL --worker %s", me.Public())
}

// naming returns the names of the batches that may have something for a machine.
func naming(ctx context.Context, server jetstream.JetStream, p PublicIdentity) (names []string, err error) {
	c := connection{watch: unwatched{}, server: server}
	err = c.trying(ctx, func(ctx context.Context) error {
		names = nil
		all := server.StreamNames(ctx, jetstream.WithStreamListSubject("golem.*."+namedSubject+"."+p.name()))
		for stream := range all.Name() {
			if name, ok := strings.CutPrefix(stream, logStream("")); ok && batch.IsName(name) && len(names) < mostBatches {
				names = append(names, name)
			}
		}
		return all.Err()
	})
	slices.Sort(names)
	return names, err
}

// openNamed opens what a batch has for a machine.
func openNamed(ctx context.Context, server jetstream.JetStream, name string, me Identity, trusted []PublicIdentity) (o Options, err error) {
	c := connection{name: name, watch: unwatched{}, server: server}
	subject := c.subjectOf(namedSubject, me.Public().name())
	var m *jetstream.RawStreamMsg
	err = c.trying(ctx, func(ctx context.Context) (err error) {
		c.log, err = server.Stream(ctx, logStream(name))
		return err
	})
	if err == nil {
		m, err = c.last(ctx, subject)
	}
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) { // it may be removed meanwhile
		return o, unreachable(err)
	}
	if m == nil {
		return o, notNamed(me)
	}
	forged := fault.New(fault.Trust, "a batch on the queue names this machine, but not as golem does it, so it is ignored").Hinting("look who has the token of the queue's server")
	data, err := me.open(subject, m.Data)
	var n named
	if err != nil || json.Unmarshal(data, &n) != nil || len(n.Key) != KeySize || len(n.Signer) != ed25519.PublicKeySize {
		return o, forged
	}
	from, err := ReadIdentity(n.From)
	if err != nil || !ed25519.Verify(from.Signer, n.signed(subject), n.Signature) {
		return o, forged
	}
	if !slices.ContainsFunc(trusted, from.Equal) {
		return o, fault.New(fault.Trust, "the batch for this machine was begun by %s, whom this machine does not trust", from).Hinting("if you know whose key it is: golem worker URL --from %s", from)
	}
	return Options{Name: name, Key: [KeySize]byte(n.Key), Signer: n.Signer}, nil
}
