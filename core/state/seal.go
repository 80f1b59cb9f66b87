package state

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"golem/core/fault"
)

// mac returns the HMAC-SHA-256 of a file's kind, version, project and name and of parts
// of the file. Each of them is preceded by its length, so that no two sequences give the
// same input.
func (s *Store) mac(f Format, name string, parts ...[]byte) ([]byte, error) {
	key, err := s.key()
	if err != nil {
		return nil, err
	}
	h := hmac.New(sha256.New, key)
	for _, part := range append([][]byte{[]byte(f.Kind), fmt.Append(nil, f.Version), []byte(s.Project), []byte(name)}, parts...) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return h.Sum(nil), nil
}

// Sum returns the MAC of parts of something that is no file of the store, such as a name
// that somebody else keeps for golem. It differs for each kind, version, project and name.
func (s *Store) Sum(f Format, name string, parts ...[]byte) ([]byte, error) {
	return s.mac(f, name, parts...)
}

// head is the first line of a sealed file.
type head struct {
	Golem string `json:"golem"` // Format.Kind
	V     int    `json:"v"`
	MAC   string `json:"mac"` // hex
}

// Seal returns the content of a sealed file: one line with kind, version and MAC, then
// body unchanged. name is the file's path in .golem; the MAC is valid only for a file of
// this name.
func (s *Store) Seal(f Format, name string, body []byte) ([]byte, error) {
	sum, err := s.mac(f, name, body)
	if err != nil {
		return nil, err
	}
	first, err := json.Marshal(head{f.Kind, f.Version, hex.EncodeToString(sum)})
	if err != nil {
		return nil, err
	}
	return append(append(first, '\n'), body...), nil
}

// Unseal returns the body of a sealed file. For a file that this machine did not write
// in this project it returns E_TRUST and also the body, which may only be shown. A newer
// version, and a file that is not of this kind, are E_CONFIG without a body.
func (s *Store) Unseal(f Format, name string, file []byte) (body []byte, err error) {
	first, body, ok := bytes.Cut(file, []byte{'\n'})
	var h head
	if !ok || json.Unmarshal(first, &h) != nil || h.Golem != f.Kind || h.V < 1 {
		return nil, notOne(f, name)
	}
	if h.V > f.Version {
		return nil, newer(f, name, h.V)
	}
	want, err := s.mac(Format{f.Kind, h.V}, name, body)
	if err != nil {
		return body, err
	}
	if got, err := hex.DecodeString(h.MAC); err != nil || !hmac.Equal(got, want) {
		return body, foreign(f, name)
	}
	return body, nil
}

// notOne returns the error for a file that is not of the kind f.
func notOne(f Format, name string) error {
	return fault.New(fault.Config, "%s is damaged: its first line does not say that it is a golem %s", name, f.Kind).
		Hinting("remove the file, or put it back from a copy")
}

func newer(f Format, name string, v int) error {
	return fault.New(fault.Config, "%s was written by a newer golem: version %d of the format %s, and this golem reads up to %d", name, v, f.Kind, f.Version).
		Hinting("use a newer golem; the file was not changed")
}

func foreign(f Format, name string) error {
	return fault.New(fault.Trust, "%s was not written by golem on this machine in this project, or it was changed since", name).
		Hinting("it can be looked at, but golem does not go on with a %s that it did not write here itself", f.Kind)
}
