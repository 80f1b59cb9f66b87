package workspace

import (
	"archive/zip"

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
	if !minisign.Verify(pub, index, sig) {
		return nil, packFault("its signature is wrong: the files are not those that %s signed", pub.String())
	}
	return &Signer{Key: pub.String(), Comment: shown(s.TrustedComment)}, nil
}

// SignedBy returns E_LOCK unless the packed project is signed by the key, which is a
// public key of minisign, as text or as the content of its file. A key that cannot be
// read is E_USAGE.
func (p *Pack) SignedBy(key string) error {
	var pub minisign.PublicKey
	if err := pub.UnmarshalText([]byte(key)); err != nil {
		return fault.New(fault.Usage, "the public key cannot be read").Hinting("name a key of minisign, such as RW…, or its file")
	}
	switch {
	case p.Signer == nil:
		return packFault("it is not signed")
	case p.Signer.Key != pub.String():
		return packFault("it is signed by another key, %s", p.Signer.Key)
	}
	return nil
}
