package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"golem/core"
	"golem/core/fault"
)

// secretStore is the store of the person's secrets: an index of names in
// $GOLEM_HOME/secrets.json, and the values in the keyring of the machine or, if no
// keyring answers, in that file.
type secretStore struct {
	file    trustFile
	service string // the keyring's name for golem's entries
	now     func() time.Time
	there   func() error // returns why there can be no keyring, or nil
}

var _ core.SecretStore = (*secretStore)(nil)

// The stores of a value.
const (
	inKeyring = "keyring"
	inFile    = "file"
)

// secretIndex is the content of secrets.json.
type secretIndex struct {
	Golem   string                 `json:"golem"` // "secrets"
	V       int                    `json:"v"`
	Secrets map[string]*keptSecret `json:"secrets"`
}

// keptSecret is an entry of the index. Value is set only if the value is stored in the
// file.
type keptSecret struct {
	Store string    `json:"store"`
	Set   time.Time `json:"set"`
	Value string    `json:"value,omitempty"`
}

// secrets returns the person's store; nil if there is no GOLEM_HOME.
func (h *host) secrets() core.SecretStore {
	if s := h.secretStore(); s != nil {
		return s
	}
	return nil
}

// secretStore returns the store of GOLEM_HOME; nil if there is none. Another GOLEM_HOME
// uses other entries of the keyring.
func (h *host) secretStore() *secretStore {
	home := h.home()
	if home == "" {
		return nil
	}
	service := "golem"
	if h.setting("HOME") != "" {
		service += " " + filepath.ToSlash(home)
	}
	return &secretStore{trustFile{filepath.Join(home, "secrets.json")}, service, time.Now, ringThere}
}

// index reads the index. It returns an error if other users can read or write the file.
func (s *secretStore) index() (secretIndex, error) {
	info, err := os.Stat(s.file.name)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return secretIndex{}, fault.New(fault.Protected, "secrets.json in GOLEM_HOME is not used: other users of this machine can read or write it (mode %04o)", info.Mode().Perm()).
			Hinting("chmod 600 the file, and replace secrets that others may have read")
	}
	data, err := s.file.Read()
	if err != nil {
		return secretIndex{}, err
	}
	return readIndex(data)
}

func readIndex(data []byte) (secretIndex, error) {
	out := secretIndex{Golem: "secrets", V: 1, Secrets: map[string]*keptSecret{}}
	if len(data) == 0 {
		return out, nil
	}
	err := json.Unmarshal(data, &out)
	for _, kept := range out.Secrets {
		if kept == nil || kept.Store != inKeyring && kept.Store != inFile {
			err = errors.New("a secret without a store")
		}
	}
	if err != nil || out.Golem != "secrets" || out.V != 1 || out.Secrets == nil {
		return secretIndex{}, fault.New(fault.Config, "secrets.json in GOLEM_HOME cannot be read: golem did not write it, or a newer version did").
			Hinting("repair the file, or remove it and set your secrets again")
	}
	return out, nil
}

// change reads the index, lets the given function change it, and writes it.
func (s *secretStore) change(change func(map[string]*keptSecret)) error {
	if _, err := s.index(); err != nil { // refuses a file that others can read
		return err
	}
	return s.file.Change(func(data []byte) ([]byte, error) {
		index, err := readIndex(data)
		if err != nil {
			return nil, err
		}
		change(index.Secrets)
		out, err := json.MarshalIndent(index, "", "  ")
		return append(out, '\n'), err
	})
}

// Secret returns the value of a name. ok is false if there is no such secret.
func (s *secretStore) Secret(name string) (value string, ok bool, err error) {
	index, err := s.index()
	if err != nil {
		return "", false, err
	}
	kept := index.Secrets[name]
	if kept == nil {
		return "", false, nil
	}
	if kept.Store == inFile {
		return kept.Value, true, nil
	}
	value, err = s.ring(func() (string, error) { return keyring.Get(s.service, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return "", false, fault.New(fault.NotFound, "the secret %s is not in this machine's keyring any more", name).Hinting("set it again with golem secret set %s", name)
	}
	if err != nil {
		return "", false, fault.New(fault.NotFound, "the keyring of this machine does not give the secret %s: %s", name, cause(err)).
			Hinting("unlock the keyring, or set the secret again with golem secret set %s --store file", name)
	}
	return value, true, nil
}

// Values returns all secret values, including the tokens of sign-ins.
func (s *secretStore) Values() ([]string, error) {
	index, err := s.index()
	var out []string
	for _, name := range slices.Sorted(maps.Keys(index.Secrets)) {
		value, _, verr := s.Secret(name)
		if server, ok := strings.CutPrefix(name, signInPrefix); ok && verr == nil {
			in, ierr := readSignIn(value, server)
			if err = errors.Join(err, ierr); ierr == nil {
				out = append(out, in.values()...)
			}
			continue
		}
		out, err = append(out, value), errors.Join(err, verr)
	}
	return out, err
}

// set stores a value in the given store. With "" it uses the keyring, or the file if no
// keyring answers; then why is the keyring's error.
func (s *secretStore) set(name, value, store string) (used string, why error, err error) {
	old, err := s.index() // first, so that the keyring gets no value without an entry in the index
	if err != nil {
		return "", nil, err
	}
	used = inFile
	if store != inFile {
		if _, why = s.ring(func() (string, error) { return "", keyring.Set(s.service, name, value) }); why == nil {
			used, value = inKeyring, ""
		} else if store == inKeyring {
			return "", nil, fault.New(fault.Platform, "the keyring of this machine does not take the secret: %s", cause(why)).
				Hinting("use --store file, which keeps it in a file that only you can read")
		}
	}
	err = s.change(func(all map[string]*keptSecret) {
		all[name] = &keptSecret{Store: used, Set: s.now().UTC().Truncate(time.Second), Value: value}
	})
	if before := old.Secrets[name]; err == nil && used == inFile && before != nil && before.Store == inKeyring {
		if err = s.forget(name); err != nil { // the value must not remain in both
			err = errors.Join(err, s.change(func(all map[string]*keptSecret) { all[name] = before }))
		}
	}
	return used, why, err
}

// forget removes a value from the keyring.
func (s *secretStore) forget(name string) error {
	_, err := s.ring(func() (string, error) { return "", keyring.Delete(s.service, name) })
	if err == nil || errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return fault.New(fault.Platform, "the secret %s is still in the keyring of this machine: %s", name, cause(err)).
		Hinting("unlock the keyring and try again, or remove the entry of %s with the keyring's own program", s.service)
}

// remove removes a secret, and reports whether it existed.
func (s *secretStore) remove(name string) (had bool, err error) {
	index, err := s.index()
	if err != nil || index.Secrets[name] == nil {
		return false, err
	}
	if index.Secrets[name].Store == inKeyring {
		if err := s.forget(name); err != nil {
			return true, err
		}
	}
	return true, s.change(func(all map[string]*keptSecret) { delete(all, name) })
}

// ringWait is how long golem waits for the keyring, which a person may have to unlock.
const ringWait = 2 * time.Minute

// ring calls the keyring's library with a time limit, because the library has none.
func (s *secretStore) ring(ask func() (string, error)) (string, error) {
	if err := s.there(); err != nil {
		return "", err
	}
	type answer struct {
		value string
		err   error
	}
	got := make(chan answer, 1)
	go func() {
		value, err := ask()
		got <- answer{value, err}
	}()
	select {
	case a := <-got:
		return a.value, a.err
	case <-time.After(ringWait):
		return "", fmt.Errorf("it did not answer within %v", ringWait)
	}
}
