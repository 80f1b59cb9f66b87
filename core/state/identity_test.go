package state_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

// What is sealed for a directory, a packed project or an item of a batch is genuine only
// there, and no two of them are one.
func TestSealsNameWhatTheyBelongTo(t *testing.T) {
	places := []string{"/home/a/p", state.PackIdentity("sha256:aa"), state.PackIdentity("sha256:ab"), state.ItemIdentity("b", "one"), state.ItemIdentity("b", "two"), state.ItemIdentity("c", "one"), "/batch:b/one"}
	for _, wrote := range places {
		s := state.Memory(sandbox.Memory())
		s.Project = wrote
		written(t, &s, "log", `{"n":1}`)
		sealed, err := s.Seal(kind, "a", []byte("body"))
		if err != nil {
			t.Fatal(err)
		}
		for _, reads := range places {
			other := s
			other.Project = reads
			_, err := other.Unseal(kind, "a", sealed)
			r, rerr := other.ReadLog(kind, "log")
			if rerr != nil {
				t.Fatal(rerr)
			}
			if same := wrote == reads; same != (err == nil) || same != (r.Err == nil) || !same && !errors.Is(err, fault.Trust) {
				t.Errorf("written for %s, read for %s: %v, %v", wrote, reads, err, r.Err)
			}
		}
	}
}

// oldMAC is the MAC of golem 371b1eff, written once more: of the kind, the version, the real
// path of the project, the name, and then parts, each after its length.
func oldMAC(project, name string, parts ...string) string {
	h := hmac.New(sha256.New, make([]byte, 32))
	for _, part := range append([]string{"note", "2", project, name}, parts...) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return string(h.Sum(nil))
}

// What an older golem sealed for a directory is genuine there and nowhere else, and can be
// written on.
func TestSealsOfOlderGolems(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	s.Project = "/home/a/p"
	log, last := "", ""
	for _, payload := range []string{`{"golem":"note","v":2}`, `{"n":1}`} {
		last = oldMAC(s.Project, "log", last, payload)
		log += `{"mac":"` + hex.EncodeToString([]byte(last)) + `","line":` + payload + "}\n"
	}
	sealed := `{"golem":"note","v":2,"mac":"` + hex.EncodeToString([]byte(oldMAC(s.Project, "a", "body"))) + "\"}\nbody"
	put(t, &s, "log", []byte(log))
	put(t, &s, "a", []byte(sealed))
	if body, err := s.Unseal(kind, "a", []byte(sealed)); err != nil || string(body) != "body" {
		t.Errorf("the sealed file: %q %v", body, err)
	}
	r, err := s.ReadLog(kind, "log")
	if err != nil || r.Err != nil || len(r.Lines) != 1 {
		t.Fatalf("the log: %+v %v", r, err)
	}
	l, err := s.Reopen(kind, "log", r)
	if err == nil {
		err = errors.Join(l.Append([]byte(`{"n":2}`)), l.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if r, err = s.ReadLog(kind, "log"); err != nil || r.Err != nil || len(r.Lines) != 2 {
		t.Errorf("the log that goes on: %+v %v", r, err)
	}
	moved := s
	moved.Project = state.PackIdentity("sha256:aa")
	if r, err = moved.ReadLog(kind, "log"); err != nil || !errors.Is(r.Err, fault.Trust) {
		t.Errorf("elsewhere: %+v %v", r, err)
	}
	if can, err := moved.Adoptable([]string{"/home/a/p"}); err != nil || len(can) != 2 {
		t.Errorf("adoptable from there: %v %v", can, err)
	}
}
