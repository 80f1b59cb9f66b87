package natsqueue

import (
	"context"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"golem/core/batch"
	"golem/core/fault"
)

// Invitation lets a worker join a batch (SPEC §19): it has the producer's public key, which the
// worker trusts by it, and a secret of 128 bits, which nobody sends. The server has the key of
// the batch sealed with a key made of the secret: who opens it has the invitation, and who
// signed what is in it has the producer's private key.
type Invitation struct {
	Name   string // of the batch on the server
	Signer ed25519.PublicKey
	Secret [16]byte
}

// tokenPrefix begins the text of an invitation.
const tokenPrefix = "golem1."

// NewInvitation returns an invitation of a producer.
func NewInvitation(name string, signer ed25519.PublicKey) Invitation {
	i := Invitation{Name: name, Signer: signer}
	_, _ = rand.Read(i.Secret[:]) // never fails
	return i
}

// String returns the text that a person gives to a worker. It is a secret.
func (i Invitation) String() string {
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(append(append(i.Secret[:len(i.Secret):len(i.Secret)], i.Signer...), i.Name...))
}

// ReadInvitation reads the text of an invitation, or returns E_USAGE.
func ReadInvitation(text string) (i Invitation, err error) {
	encoded, ok := strings.CutPrefix(strings.TrimSpace(text), tokenPrefix)
	data, err := base64.RawURLEncoding.DecodeString(encoded)
	const fixed = len(i.Secret) + ed25519.PublicKeySize
	if !ok || err != nil || len(data) < fixed || !batch.IsName(string(data[fixed:])) {
		return i, fault.New(fault.Usage, "this is not the token of a batch").Hinting("golem batch with --queue prints the whole command, with the token")
	}
	copy(i.Secret[:], data)
	i.Signer, i.Name = data[len(i.Secret):fixed], string(data[fixed:])
	return i, nil
}

// sealer returns what seals the key of the batch for those who have the invitation.
func (i Invitation) sealer(private ed25519.PrivateKey) (sealer, error) {
	made, err := hkdf.Key(sha256.New, i.Secret[:], i.Signer, "golem: join "+i.Name, KeySize)
	if err != nil {
		return sealer{}, err
	}
	return newSealer([KeySize]byte(made), private)
}

// Invite makes the key of the batch readable for those who have an invitation of the producer.
// One made before ends to count.
func (p *Producer) Invite(ctx context.Context, i Invitation) error {
	s, err := i.sealer(p.private)
	if err != nil {
		return err
	}
	subject := p.subject(joinSubject)
	content := append(ed25519.Sign(p.private, signed(subject, p.key[:])), p.key[:]...)
	_, err = p.publish(ctx, message{subject: subject, data: s.seal(subject, content), only: true})
	return unreachable(err)
}

// Join returns with what a worker opens the batch of an invitation. If the server has no such
// batch, the error is E_NOT_FOUND; if its key is not sealed for the invitation by the producer,
// E_TRUST.
func Join(ctx context.Context, conn *nats.Conn, i Invitation) (o Options, err error) {
	server, err := jetstream.New(conn)
	if err != nil {
		return o, err
	}
	s, err := i.sealer(nil)
	if err != nil {
		return o, err
	}
	c := connection{name: i.Name, watch: unwatched{}, server: server}
	err = c.trying(ctx, func(ctx context.Context) (err error) {
		c.log, err = server.Stream(ctx, logStream(i.Name))
		return err
	})
	subject := c.subject(joinSubject)
	var m *jetstream.RawStreamMsg
	if err == nil {
		m, err = c.last(ctx, subject)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) || err == nil && m == nil {
		return o, fault.New(fault.NotFound, "the queue has no batch for this token").Hinting("begin it with golem batch --queue, and take the token that it prints")
	}
	if err != nil {
		return o, unreachable(err)
	}
	content, err := s.open(subject, m.Data)
	if err != nil || len(content) != ed25519.SignatureSize+KeySize || !ed25519.Verify(i.Signer, signed(subject, content[ed25519.SignatureSize:]), content[:ed25519.SignatureSize]) {
		return o, fault.New(fault.Trust, "the batch on the queue is not the one of this token").Hinting("the producer may have begun it anew: take the token that golem batch prints now")
	}
	return Options{Name: i.Name, Key: [KeySize]byte(content[ed25519.SignatureSize:]), Signer: i.Signer}, nil
}
