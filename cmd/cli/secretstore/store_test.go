package secretstore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"golem/core/fault"

	"golem/cmd/cli/home"
)

// Tests must not use the keyring of the person who runs them.
func TestMain(m *testing.M) {
	keyring.MockInitWithError(errors.New("tests have no keyring"))
	m.Run()
}

func newTestStore(t *testing.T, there error) *Store {
	return &Store{home.File{Name: filepath.Join(t.TempDir(), "secrets.json")}, "golem test", time.Now, func() error { return there }}
}

// A value is in the keyring or in the file, never in both, wherever it was before. A
// value that the keyring has lost, or does not give, is an error.
func TestSecretStore(t *testing.T) {
	keyring.MockInit()
	t.Cleanup(func() { keyring.MockInitWithError(errors.New("tests have no keyring")) })
	s := newTestStore(t, nil)
	file := func() string {
		data, err := os.ReadFile(s.file.Name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	set := func(value, store, want string) {
		t.Helper()
		if used, _, err := s.Set("T", value, store); err != nil || used != want {
			t.Fatalf("%s, %v", used, err)
		}
		if got, ok, err := s.Secret("T"); got != value || !ok || err != nil {
			t.Errorf("%q, %v, %v", got, ok, err)
		}
		if _, err := keyring.Get(s.service, "T"); (err == nil) != (want == InKeyring) || strings.Contains(file(), value) == (want == InKeyring) {
			t.Errorf("%s: in the keyring: %v; the file: %s", want, err, file())
		}
	}
	set("value-one", "", InKeyring)
	set("value-two", InFile, InFile)
	set("value-three", InKeyring, InKeyring)
	if info, err := os.Stat(s.file.Name); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := keyring.Delete(s.service, "T"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Secret("T"); !errors.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "golem secret set T") {
		t.Errorf("%v", err)
	}
	set("value-four", "", InKeyring)
	if had, err := s.Remove("T"); !had || err != nil {
		t.Errorf("%v, %v", had, err)
	}
	if _, err := keyring.Get(s.service, "T"); !errors.Is(err, keyring.ErrNotFound) || strings.Contains(file(), `"T"`) {
		t.Errorf("it is still there: %v, %s", err, file())
	}

	keyring.MockInitWithError(errors.New("locked"))
	if used, why, err := s.Set("T", "value-five", ""); used != InFile || why == nil || err != nil {
		t.Errorf("%s, %v, %v", used, why, err)
	}
	if _, _, err := s.Set("U", "value-six", InKeyring); !errors.Is(err, fault.Platform) {
		t.Errorf("%v", err)
	}
	if values, err := s.Values(); len(values) != 1 || values[0] != "value-five" || err != nil {
		t.Errorf("%v, %v", values, err)
	}
}

// A value is removed from the keyring only after the file has the new one. If the
// keyring does not remove it, the file does not keep the new one.
func TestSecretMovesWhole(t *testing.T) {
	keyring.MockInit()
	t.Cleanup(func() { keyring.MockInitWithError(errors.New("tests have no keyring")) })
	s := newTestStore(t, nil)
	if _, _, err := s.Set("T", "value-one", InKeyring); err != nil {
		t.Fatal(err)
	}
	lock := s.file.Name + ".lock"
	if err := errors.Join(os.RemoveAll(lock), os.Mkdir(lock, 0o700)); err != nil { // as a full disk does
		t.Fatal(err)
	}
	if _, _, err := s.Set("T", "value-two", InFile); !errors.Is(err, fault.Config) {
		t.Errorf("%v", err)
	}
	if got, ok, err := s.Secret("T"); got != "value-one" || !ok || err != nil {
		t.Errorf("%q, %v, %v", got, ok, err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	keyring.MockInitWithError(errors.New("locked"))
	if _, _, err := s.Set("T", "value-two", InFile); !errors.Is(err, fault.Platform) {
		t.Errorf("%v", err)
	}
	if index, err := s.Index(); err != nil || index.Secrets["T"].Store != InKeyring || index.Secrets["T"].Value != "" {
		t.Errorf("%+v, %v", index.Secrets["T"], err)
	}
}

// A file that golem did not write is neither used nor replaced.
func TestSecretIndex(t *testing.T) {
	for _, text := range []string{
		"{", "[]", `{"golem":"trust","v":1,"secrets":{}}`, `{"golem":"secrets","v":2,"secrets":{}}`, `{"golem":"secrets","v":1,"secrets":{"T":null}}`,
		`{"golem":"secrets","v":1,"secrets":{"T":{"store":"elsewhere"}}}`, `{"golem":"secrets","v":1,"secrets":null}`,
	} {
		s := newTestStore(t, errors.New("none"))
		if err := os.WriteFile(s.file.Name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Secret("T"); !errors.Is(err, fault.Config) {
			t.Errorf("%s: %v", text, err)
		}
		if _, _, err := s.Set("T", "value-one", ""); !errors.Is(err, fault.Config) {
			t.Errorf("%s: %v", text, err)
		}
		if data, err := os.ReadFile(s.file.Name); string(data) != text || err != nil {
			t.Errorf("it was replaced: %s, %v", data, err)
		}
	}
}
