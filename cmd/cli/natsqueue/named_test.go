package natsqueue

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
)

func identityOf(t *testing.T, secret byte) Identity {
	t.Helper()
	i, err := NewIdentity(bytes.Repeat([]byte{secret}, 32))
	must(t, err)
	return i
}

// A machine that the producer named opens the batch, if it trusts the producer; nobody else does.
func TestNamedMachines(t *testing.T) {
	p := newPair(t, "a")
	from, me, other := identityOf(t, 1), identityOf(t, 2), identityOf(t, 3)
	trusted := []PublicIdentity{other.Public(), from.Public()}
	must(t, p.producer.Invite(t.Context(), NewInvitation("b", p.options.Signer)))
	must(t, p.producer.Name(t.Context(), from, []PublicIdentity{me.Public()}))
	found, err := Find(t.Context(), p.conn, me, trusted)
	must(t, err)
	if len(found) != 1 || found[0].Name != "b" || found[0].Key != p.options.Key || !found[0].Signer.Equal(p.options.Signer) {
		t.Errorf("%+v", found)
	}
	if l, err := p.open(t, found[0]).Lease(t.Context(), "w"); err != nil || l == nil || l.Item.Key != "a" {
		t.Errorf("%v %v", l, err)
	}
	if m, err := p.producer.last(t.Context(), p.producer.subject(joinSubject)); m != nil || err != nil {
		t.Errorf("the invitation counts: %v %v", m, err)
	}
	if _, err := Find(t.Context(), p.conn, other, trusted); !errors.Is(err, fault.NotFound) {
		t.Errorf("a machine that is not named: %v", err)
	}
	if _, err := Find(t.Context(), p.conn, me, []PublicIdentity{other.Public()}); !errors.Is(err, fault.Trust) || !strings.Contains(err.Error(), from.Public().String()) {
		t.Errorf("another signer: %v", err)
	}
	if _, err := Find(t.Context(), p.conn, me, nil); !errors.Is(err, fault.Trust) {
		t.Errorf("nobody is trusted: %v", err)
	}
	must(t, p.producer.Name(t.Context(), from, []PublicIdentity{other.Public()}))
	if _, err := Find(t.Context(), p.conn, me, trusted); !errors.Is(err, fault.NotFound) {
		t.Errorf("it is not named any more: %v", err)
	}
}

// SECURITY 29: what others write where a machine looks for batches does not count: without the
// key of one whom it trusts, from another batch, from another machine, and changed.
func TestForgedNamesAreIgnored(t *testing.T) {
	p := newPair(t)
	from, me, other := identityOf(t, 1), identityOf(t, 2), identityOf(t, 3)
	trusted := []PublicIdentity{from.Public()}
	must(t, p.producer.Name(t.Context(), from, []PublicIdentity{me.Public(), other.Public()}))
	mine, others := p.worker.subjectOf(namedSubject, me.Public().name()), p.worker.subjectOf(namedSubject, other.Public().name())
	read := func(subject string) []byte {
		m, err := p.worker.last(t.Context(), subject)
		must(t, err)
		return m.Data
	}
	genuine := read(mine)
	forged := func(change func(n *named)) []byte {
		data, err := me.open(mine, genuine)
		must(t, err)
		var n named
		must(t, json.Unmarshal(data, &n))
		change(&n)
		data, err = json.Marshal(n)
		must(t, err)
		sealed, err := me.Public().sealFor(mine, data)
		must(t, err)
		return sealed
	}
	// Another batch on the server, made by somebody with its token.
	_, private, err := ed25519.GenerateKey(nil)
	must(t, err)
	evil := p.options
	evil.Name = "evil"
	hostile, err := Create(t.Context(), p.conn, evil, private)
	must(t, err)
	defer hostile.Close()
	for name, c := range map[string]struct {
		subject string
		data    []byte
	}{
		"garbage":                      {mine, []byte("no key")},
		"for another machine":          {mine, read(others)},
		"changed":                      {mine, append(bytes.Clone(genuine[:len(genuine)-1]), genuine[len(genuine)-1]^1)},
		"from another batch":           {hostile.subjectOf(namedSubject, me.Public().name()), genuine},
		"another key":                  {mine, forged(func(n *named) { n.Key[0] ^= 1 })},
		"another signer of the batch":  {mine, forged(func(n *named) { n.Signer = private.Public().(ed25519.PublicKey) })},
		"signed by somebody else":      {mine, forged(func(n *named) { n.Signature = ed25519.Sign(private, n.signed(mine)) })},
		"with another producer's name": {mine, forged(func(n *named) { n.From = other.Public().String() })},
	} {
		_, err := p.worker.publish(t.Context(), message{subject: c.subject, data: c.data, only: true})
		must(t, err)
		found, err := Find(t.Context(), p.conn, me, trusted)
		if c.subject == mine && (len(found) > 0 || !errors.Is(err, fault.Trust)) {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
		for _, o := range found {
			if o.Name != "b" || o.Key != p.options.Key {
				t.Errorf("%s: %+v", name, o)
			}
		}
		_, err = p.worker.publish(t.Context(), message{subject: mine, data: genuine, only: true})
		must(t, err)
	}
	if found, err := Find(t.Context(), p.conn, me, trusted); err != nil || len(found) != 1 {
		t.Errorf("%+v %v", found, err)
	}
	if bytes.Contains(genuine, p.options.Key[:]) {
		t.Error("the key of the batch is readable")
	}
}

// The text of a key is read as it was written, and nothing else is a key.
func TestKeysOfMachines(t *testing.T) {
	me := identityOf(t, 2).Public()
	if again, err := ReadIdentity(" " + me.String() + "\n"); err != nil || !again.Equal(me) || me.Equal(identityOf(t, 3).Public()) {
		t.Errorf("%v %v", again, err)
	}
	for _, text := range []string{"", "golem1.AAAA", keyPrefix, keyPrefix + "!", me.String()[:len(me.String())-4], me.String() + "AAAA"} {
		if _, err := ReadIdentity(text); !errors.Is(err, fault.Usage) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := (PublicIdentity{Signer: me.Signer, Box: make([]byte, boxSize)}).sealFor("s", []byte("x")); err == nil {
		t.Error("it seals for a key that anybody can open")
	}
}
