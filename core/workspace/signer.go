package workspace

import (
	"archive/zip"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"slices"

	"aead.dev/minisign"

	"golem/core/fault"
)

// Signer identifies who signed a packed project: a person who has the private key of
// Key. Nothing else is known about this person.
type Signer struct {
	Key     string `json:"key"`     // the public key, as minisign writes it: RW…
	Comment string `json:"comment"` // the signature's trusted comment, safe to show
}

// signer verifies the signature of an index (minisign, Ed25519) and returns its signer.
func signer(index []byte, signature, key *zip.File) (*Signer, error) {
	sig, err := entry(signature, maxSignature)
	if err != nil {
		return nil, err
	}
	text, err := entry(key, maxSignature)
	if err != nil {
		return nil, err
	}
	var pub minisign.PublicKey
	var s minisign.Signature
	if pub.UnmarshalText(text) != nil || s.UnmarshalText(sig) != nil {
		return nil, packFault("its signature or public key cannot be read")
	}
	if smallOrder(pub) {
		return nil, packFault("it is signed with a key that fits signatures of anybody")
	}
	if !minisign.Verify(pub, index, sig) {
		return nil, packFault("its signature is wrong: the files are not those that %s signed", pub.String())
	}
	return &Signer{Key: pub.String(), Comment: safeName(s.TrustedComment)}, nil
}

// SignedBy returns E_LOCK unless the packed project is signed by the key, which is a
// public key of minisign, as text or as the content of its file. A key that cannot be
// read is E_USAGE.
func (p *Pack) SignedBy(key string) error {
	var pub minisign.PublicKey
	if err := pub.UnmarshalText([]byte(key)); err != nil {
		return fault.New(fault.Usage, "the public key cannot be read").Hinting("name a key of minisign, such as RW…, or its file")
	}
	if smallOrder(pub) {
		return fault.New(fault.Usage, "the public key is not a key of one person: without a secret key, anybody can make signatures that fit it").Hinting("ask the author for their key")
	}
	switch {
	case p.Signer == nil:
		return packFault("it is not signed")
	case p.Signer.Key != pub.String():
		return packFault("it is signed by another key, %s", p.Signer.Key)
	}
	return nil
}

// IsPublicKey reports whether a text is a public key of minisign, so that it is not taken
// for the name of a file.
func IsPublicKey(text string) bool {
	var pub minisign.PublicKey
	return pub.UnmarshalText([]byte(text)) == nil
}

// smallPoints are the y coordinates of the eight points of Ed25519 whose order divides 8,
// with those that are not reduced. For such a key, signatures can be made without a secret
// key. The sign bit of a key does not matter.
var smallPoints = []string{
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
}

// smallOrder reports whether a key is one of these points.
func smallOrder(pub minisign.PublicKey) bool {
	raw, err := base64.StdEncoding.DecodeString(pub.String())
	if err != nil || len(raw) < ed25519.PublicKeySize {
		return true // unreachable: it is 2 bytes of the algorithm, 8 of the id, and the key
	}
	return SmallOrder(raw[len(raw)-ed25519.PublicKeySize:])
}

// SmallOrder reports whether an Ed25519 key fits signatures that anybody can make.
func SmallOrder(key ed25519.PublicKey) bool {
	point := slices.Clone(key)
	point[len(point)-1] &= 0x7f
	return slices.Contains(smallPoints, hex.EncodeToString(point))
}
