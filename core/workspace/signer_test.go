package workspace

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
)

// A key of small order is refused: its signatures can be made without a secret key.
func TestSmallOrderKeys(t *testing.T) {
	for _, point := range smallPoints {
		for _, sign := range []byte{0, 0x80} {
			raw, err := hex.DecodeString(point)
			if err != nil {
				t.Fatal(err)
			}
			raw[31] |= sign
			key := base64.StdEncoding.EncodeToString(append([]byte("Ed12345678"), raw...))
			if !IsPublicKey(key) {
				t.Errorf("%s is not read as a key", point)
			}
			err = (&Pack{Signer: &Signer{Key: key}}).SignedBy(key)
			if !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), "not a key of one person") {
				t.Errorf("%s: %v", point, err)
			}
		}
	}
	good := "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3" // of the documentation of minisign
	if err := (&Pack{Signer: &Signer{Key: good}}).SignedBy(good); err != nil || !IsPublicKey(good) || IsPublicKey("my.key.pub") {
		t.Error(err)
	}
}
