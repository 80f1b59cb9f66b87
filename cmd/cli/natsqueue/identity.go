package natsqueue

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hpke"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"golem/core/fault"
)

// Identity has the private keys of a machine, by which others name it: one signs the batches that
// it begins, one opens what is sealed for it.
type Identity struct {
	signing ed25519.PrivateKey
	opening hpke.PrivateKey
	public  PublicIdentity
}

// NewIdentity makes the keys of a machine of its secret of 32 bytes.
func NewIdentity(secret []byte) (i Identity, err error) {
	seed, err := hkdf.Key(sha256.New, secret, nil, "golem: who begins batches", ed25519.SeedSize)
	if err != nil {
		return i, err
	}
	scalar, err := hkdf.Key(sha256.New, secret, nil, "golem: who works for batches", boxSize)
	if err != nil {
		return i, err
	}
	private, err := ecdh.X25519().NewPrivateKey(scalar)
	if err != nil {
		return i, err
	}
	if i.opening, err = hpke.NewDHKEMPrivateKey(private); err != nil {
		return i, err
	}
	i.signing = ed25519.NewKeyFromSeed(seed)
	i.public = PublicIdentity{Signer: i.signing.Public().(ed25519.PublicKey), Box: private.PublicKey().Bytes()}
	return i, nil
}

// Public returns what others may know.
func (i Identity) Public() PublicIdentity { return i.public }

// PublicIdentity names a machine to others. It is no secret.
type PublicIdentity struct {
	Signer ed25519.PublicKey // by which the batches that it begins are known
	Box    []byte            // the X25519 key for which the keys of batches are sealed
}

const boxSize = 32

// keyPrefix begins the text of a PublicIdentity.
const keyPrefix = "golemkey1."

// String returns the text that people give to each other.
func (p PublicIdentity) String() string {
	return keyPrefix + base64.RawURLEncoding.EncodeToString(append(p.Signer[:len(p.Signer):len(p.Signer)], p.Box...))
}

// Equal reports whether both name one machine.
func (p PublicIdentity) Equal(o PublicIdentity) bool { return p.String() == o.String() }

// ReadIdentity reads the text of a PublicIdentity, or returns E_USAGE.
func ReadIdentity(text string) (p PublicIdentity, err error) {
	encoded, ok := strings.CutPrefix(strings.TrimSpace(text), keyPrefix)
	data, err := base64.RawURLEncoding.DecodeString(encoded)
	if !ok || err != nil || len(data) != ed25519.PublicKeySize+boxSize {
		return p, fault.New(fault.Usage, "%s is not the key of a machine", fault.Quoted(text)).Hinting("golem worker --key prints it there; it begins with %s", keyPrefix)
	}
	return PublicIdentity{Signer: data[:ed25519.PublicKeySize], Box: data[ed25519.PublicKeySize:]}, nil
}

// name returns the name of the machine on the server.
func (p PublicIdentity) name() string {
	sum := sha256.Sum256([]byte(p.String()))
	return hex.EncodeToString(sum[:])
}

// boxInfo binds a sealed key to its subject.
func boxInfo(subject string) []byte { return []byte("golem: key of a batch\x00" + subject) }

// sealFor seals data for a machine, to be opened at a subject.
func (p PublicIdentity) sealFor(subject string, data []byte) ([]byte, error) {
	key, err := ecdh.X25519().NewPublicKey(p.Box)
	if err != nil {
		return nil, err
	}
	box, err := hpke.NewDHKEMPublicKey(key)
	if err != nil {
		return nil, err
	}
	return hpke.Seal(box, hpke.HKDFSHA256(), hpke.ChaCha20Poly1305(), boxInfo(subject), data)
}

// open opens what was sealed for this machine and a subject.
func (i Identity) open(subject string, sealed []byte) ([]byte, error) {
	return hpke.Open(i.opening, hpke.HKDFSHA256(), hpke.ChaCha20Poly1305(), boxInfo(subject), sealed)
}
