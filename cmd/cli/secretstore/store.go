// Package secretstore keeps the secrets of a person, and their sign-ins at MCP servers, in
// the keyring of the machine or in a file of GOLEM_HOME.
package secretstore

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

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/home"
)

// Store is the store of the person's secrets: an index of names in
// $GOLEM_HOME/secrets.json, and the values in the keyring of the machine or, if no
// keyring answers, in that file.
type Store struct {
	file    home.File
	service string // the keyring's name for golem's entries
	now     func() time.Time
	there   func() error // returns why there can be no keyring, or nil
}

var _ core.SecretStore = (*Store)(nil)

// The stores of a value.
const (
	InKeyring = "keyring"
	InFile    = "file"
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

// Secrets returns the person's store; nil if there is no GOLEM_HOME.
func Secrets(c *console.Console) core.SecretStore {
	if s := Open(c); s != nil {
		return s
	}
	return nil
}

// Store returns the store of GOLEM_HOME; nil if there is none. Another GOLEM_HOME
// uses other entries of the keyring.
func Open(c *console.Console) *Store {
	dir := c.Home.Dir()
	if dir == "" {
		return nil
	}
	service := "golem"
	if c.Env.Setting("HOME") != "" {
		service += " " + filepath.ToSlash(dir)
	}
	return &Store{home.File{Name: filepath.Join(dir, "secrets.json")}, service, time.Now, ringThere}
}

// Index reads the index. It returns an error if other users can read or write the file.
func (s *Store) Index() (secretIndex, error) {
	info, err := os.Stat(s.file.Name)
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
		if kept == nil || kept.Store != InKeyring && kept.Store != InFile {
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
func (s *Store) change(change func(map[string]*keptSecret)) error {
	if _, err := s.Index(); err != nil { // refuses a file that others can read
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
func (s *Store) Secret(name string) (value string, ok bool, err error) {
	index, err := s.Index()
	if err != nil {
		return "", false, err
	}
	kept := index.Secrets[name]
	if kept == nil {
		return "", false, nil
	}
	if kept.Store == InFile {
		return kept.Value, true, nil
	}
	value, err = s.ring(func() (string, error) { return keyring.Get(s.service, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return "", false, fault.New(fault.NotFound, "the secret %s is not in this machine's keyring any more", name).Hinting("set it again with golem secret set %s", name)
	}
	if err != nil {
		return "", false, fault.New(fault.NotFound, "the keyring of this machine does not give the secret %s: %s", name, disk.Cause(err)).
			Hinting("unlock the keyring, or set the secret again with golem secret set %s --store file", name)
	}
	return value, true, nil
}

// Values returns all secret values, including the tokens of sign-ins.
func (s *Store) Values() ([]string, error) {
	index, err := s.Index()
	var out []string
	for _, name := range slices.Sorted(maps.Keys(index.Secrets)) {
		value, _, verr := s.Secret(name)
		if server, ok := strings.CutPrefix(name, signInPrefix); ok && verr == nil {
			in, ierr := readSignIn(value, server)
			if err = errors.Join(err, ierr); ierr == nil {
				out = append(out, in.Values()...)
			}
			continue
		}
		out, err = append(out, value), errors.Join(err, verr)
	}
	return out, err
}

// Set stores a value in the given store. With "" it uses the keyring, or the file if no
// keyring answers; then why is the keyring's error.
func (s *Store) Set(name, value, store string) (used string, why error, err error) {
	old, err := s.Index() // first, so that the keyring gets no value without an entry in the index
	if err != nil {
		return "", nil, err
	}
	used = InFile
	if store != InFile {
		if _, why = s.ring(func() (string, error) { return "", keyring.Set(s.service, name, value) }); why == nil {
			used, value = InKeyring, ""
		} else if store == InKeyring {
			return "", nil, fault.New(fault.Platform, "the keyring of this machine does not take the secret: %s", disk.Cause(why)).
				Hinting("use --store file, which keeps it in a file that only you can read")
		}
	}
	err = s.change(func(all map[string]*keptSecret) {
		all[name] = &keptSecret{Store: used, Set: s.now().UTC().Truncate(time.Second), Value: value}
	})
	if before := old.Secrets[name]; err == nil && used == InFile && before != nil && before.Store == InKeyring {
		if err = s.forget(name); err != nil { // the value must not remain in both
			err = errors.Join(err, s.change(func(all map[string]*keptSecret) { all[name] = before }))
		}
	}
	return used, why, err
}

// forget removes a value from the keyring.
func (s *Store) forget(name string) error {
	_, err := s.ring(func() (string, error) { return "", keyring.Delete(s.service, name) })
	if err == nil || errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return fault.New(fault.Platform, "the secret %s is still in the keyring of this machine: %s", name, disk.Cause(err)).
		Hinting("unlock the keyring and try again, or remove the entry of %s with the keyring's own program", s.service)
}

// Remove removes a secret, and reports whether it existed.
func (s *Store) Remove(name string) (had bool, err error) {
	index, err := s.Index()
	if err != nil || index.Secrets[name] == nil {
		return false, err
	}
	if index.Secrets[name].Store == InKeyring {
		if err := s.forget(name); err != nil {
			return true, err
		}
	}
	return true, s.change(func(all map[string]*keptSecret) { delete(all, name) })
}

// ringWait is how long golem waits for the keyring, which a person may have to unlock.
const ringWait = 2 * time.Minute

// ring calls the keyring's library with a time limit, because the library has none.
func (s *Store) ring(ask func() (string, error)) (string, error) {
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
