package natsqueue

import (
	"bytes"
	"context"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/crypto/chacha20poly1305"

	"golem/core/fault"
)

// KeySize is the size of a batch's key in bytes.
const KeySize = chacha20poly1305.KeySize

// version is the first byte of all that is sealed.
const version = 1

// sealer seals what one process writes: XChaCha20-Poly1305 with the key of the batch, and within
// it a signature with the key of the process.
type sealer struct {
	aead    cipher.AEAD
	naming  []byte // the key of names that say nothing to others
	private ed25519.PrivateKey
}

func newSealer(key [KeySize]byte, private ed25519.PrivateKey) (s sealer, err error) {
	s.private = private
	if s.aead, err = chacha20poly1305.NewX(key[:]); err != nil {
		return s, err
	}
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte("golem: names of objects"))
	s.naming = mac.Sum(nil)
	return s, nil
}

// public returns the key by which others know what this process wrote.
func (s sealer) public() ed25519.PublicKey { return s.private.Public().(ed25519.PublicKey) }

// ignored says why a message does not count.
type ignored string

// Error returns the reason.
func (i ignored) Error() string { return string(i) }

// ignores reports whether an error says that a message of a subject does not count, and then tells
// the Watcher of the message.
func (c *connection) ignores(subject string, err error) bool {
	var why ignored
	if !errors.As(err, &why) {
		return false
	}
	c.watch.Foreign(subject, string(why))
	return true
}

// seal returns data sealed for a place, which is a subject or an object.
func (s sealer) seal(place string, data []byte) []byte {
	out := make([]byte, 1+chacha20poly1305.NonceSizeX, 1+chacha20poly1305.NonceSizeX+len(data)+s.aead.Overhead())
	out[0] = version
	_, _ = rand.Read(out[1:]) // never fails
	return s.aead.Seal(out, out[1:], data, []byte(place))
}

// open returns what was sealed for a place; if it was not, the error is ignored.
func (s sealer) open(place string, sealed []byte) ([]byte, error) {
	if len(sealed) < 1+chacha20poly1305.NonceSizeX {
		return nil, ignored("it is not sealed")
	}
	if sealed[0] != version {
		return nil, ignored(fmt.Sprintf("it is written in the form %d, and this golem reads the form %d: use one version of golem on all machines", sealed[0], version))
	}
	data, err := s.aead.Open(nil, sealed[1:1+chacha20poly1305.NonceSizeX], sealed[1+chacha20poly1305.NonceSizeX:], []byte(place))
	if err != nil {
		return nil, ignored("it is not sealed with the key of the batch for this place")
	}
	return data, nil
}

// objectName returns the name of the object with a content that an item names by its digest.
func (s sealer) objectName(dir, digest string) string {
	mac := hmac.New(sha256.New, s.naming)
	mac.Write([]byte(dir + "\x00" + digest))
	return hex.EncodeToString(mac.Sum(nil))
}

// mostInline is the size in bytes above which a message has its content in an object (SPEC §19).
const mostInline = 256 << 10

// body is what a message has after it was opened.
type body struct {
	place     string
	signature []byte
	data      []byte
	object    string // where the data were; "": in the message
}

// signedBy reports whether the body was signed with a key.
func (b body) signedBy(key ed25519.PublicKey) bool {
	return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, signed(b.place, b.data), b.signature)
}

// signed returns what a signature of data at a place is about.
func signed(place string, data []byte) []byte {
	digest := sha256.Sum256(data)
	return append([]byte("golem "+place+"\x00"), digest[:]...)
}

// pack returns the sealed message with a value for a subject. The content of a large one becomes
// an object, whose name is returned.
func (c *connection) pack(ctx context.Context, subject string, v any, private ed25519.PrivateKey) (sealed []byte, object string, err error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, "", err
	}
	signature := ed25519.Sign(private, signed(subject, data))
	inline := append([]byte{0}, signature...)
	if len(data) > mostInline {
		name := make([]byte, sha256.Size)
		_, _ = rand.Read(name) // never fails
		object = hex.EncodeToString(name)
		if err := c.putObject(ctx, object, data); err != nil {
			return nil, "", err
		}
		inline[0], data = 1, []byte(object)
	}
	return c.sealer.seal(subject, append(inline, data...)), object, nil
}

// unpack opens a message of a subject. What it has may be signed by anybody who has the key of
// the batch.
func (c *connection) unpack(ctx context.Context, subject string, sealed []byte) (body, error) {
	b := body{place: subject}
	plain, err := c.sealer.open(subject, sealed)
	if err != nil {
		return b, err
	}
	if len(plain) < 1+ed25519.SignatureSize {
		return b, ignored("it is too short")
	}
	b.signature, b.data = plain[1:1+ed25519.SignatureSize], plain[1+ed25519.SignatureSize:]
	if plain[0] == 1 {
		b.object = string(b.data)
		if b.data, err = c.object(ctx, b.object); errors.Is(err, fault.NotFound) {
			err = ignored("its content is gone")
		}
	}
	return b, err
}

// putObject keeps data in the bucket of the batch.
func (c *connection) putObject(ctx context.Context, name string, data []byte) error {
	sealed := c.sealer.seal(c.objectPlace(name), data)
	limit := patience + time.Duration(len(sealed)/slowest)*time.Second
	return c.tryingWithin(ctx, limit, func(ctx context.Context) error {
		_, err := c.objects.PutBytes(ctx, name, sealed)
		return err
	})
}

// object returns what putObject kept: E_NOT_FOUND if it is not there, ignored if it was changed.
func (c *connection) object(ctx context.Context, name string) (data []byte, err error) {
	var about *jetstream.ObjectInfo
	err = c.trying(ctx, func(ctx context.Context) error {
		about, err = c.objects.GetInfo(ctx, name)
		return err
	})
	if err == nil {
		limit := patience + time.Duration(about.Size/slowest)*time.Second
		err = c.tryingWithin(ctx, limit, func(ctx context.Context) error {
			data, err = c.objects.GetBytes(ctx, name)
			return err
		})
	}
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, fault.New(fault.NotFound, "the queue has no such object")
	}
	if err != nil {
		return nil, err
	}
	return c.sealer.open(c.objectPlace(name), bytes.Clone(data))
}

func (c *connection) objectPlace(name string) string { return "object " + c.name + " " + name }

// removeObjects removes objects that nothing names any more. One that stays costs room only.
func (c *connection) removeObjects(ctx context.Context, names []string) {
	for _, name := range names {
		_ = c.objects.Delete(ctx, name)
	}
}
