package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"golem/core/fault"
)

// MaxLock bounds golem.lock, in bytes: some 80,000 files.
const MaxLock = 8 << 20

// DecodeLock reads golem.lock strictly: no unknown key, no key twice, no other
// format. It is a file that golem writes and that a person reads in a diff, so
// nothing in it may mean anything else than it seems to.
func DecodeLock(data []byte) (*Lock, *fault.Fault) {
	d := lockDecoder{json.NewDecoder(bytes.NewReader(data))}
	out := &Lock{Libraries: map[string]LockedLibrary{}, Modules: map[string]string{}}
	kind, version := "", 0
	err := d.object(func(key string) error {
		switch key {
		case "golem":
			return d.Decode(&kind)
		case "v":
			return d.Decode(&version)
		case "libraries":
			return d.object(func(name string) error {
				if problem := LibraryNameProblem(name); problem != "" {
					return fmt.Errorf("%s", problem)
				}
				lib, err := d.library()
				out.Libraries[name] = lib
				return err
			})
		case "modules":
			return d.digests(out.Modules)
		}
		return fmt.Errorf("unknown key %s", fault.Quoted(key))
	})
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = fmt.Errorf("there is more after its end")
		}
	}
	if err == nil && (kind != lockKind || version != lockVersion) {
		err = fmt.Errorf("it is not a lock file of this version of golem")
	}
	if err != nil {
		line := 1 + bytes.Count(data[:min(int(d.InputOffset()), len(data))], []byte("\n"))
		return nil, fault.New(fault.Lock, "%s cannot be read: %w", LockFile, err).At(LockFile, line, 1)
	}
	return out, nil
}

type lockDecoder struct{ *json.Decoder }

// object reads an object. It calls field for each key, and field reads the value.
func (d lockDecoder) object(field func(key string) error) error {
	if err := d.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		if seen[key] {
			return fmt.Errorf("%s is in it twice", fault.Quoted(key))
		}
		seen[key] = true
		if err := field(key); err != nil {
			return err
		}
	}
	return d.delim('}')
}

func (d lockDecoder) delim(want json.Delim) error {
	t, err := d.Token()
	if err == nil && t != want {
		err = fmt.Errorf("expected %s", want)
	}
	return err
}

func (d lockDecoder) library() (LockedLibrary, error) {
	lib := LockedLibrary{Files: map[string]string{}}
	return lib, d.object(func(key string) error {
		switch key {
		case "version":
			return d.Decode(&lib.Version)
		case "files":
			return d.digests(lib.Files)
		}
		return fmt.Errorf("unknown key %s", fault.Quoted(key))
	})
}

// digests reads paths with their SHA-256.
func (d lockDecoder) digests(into map[string]string) error {
	return d.object(func(name string) error {
		plain := strings.TrimPrefix(name, HomePrefix)
		if clean, ok := Inside(plain); !ok || clean != plain {
			return fmt.Errorf("%s is not a path", fault.Quoted(name))
		}
		t, err := d.Token()
		if err != nil {
			return err
		}
		digest, _ := t.(string)
		if problem := digestProblem(digest); problem != "" || digest != strings.ToLower(strings.TrimPrefix(digest, "sha256:")) {
			return fmt.Errorf("%s is not a SHA-256 of 64 hexadecimal digits", fault.Quoted(digest))
		}
		into[name] = digest
		return nil
	})
}

// LockFile is the name of the file that pins what a project uses of others: its
// libraries with all their files, and the modules of tools with their descriptions
// (SPEC §4, §16).
const LockFile = "golem.lock"

// Lock is the content of golem.lock. Digests are SHA-256 in hex.
type Lock struct {
	Libraries map[string]LockedLibrary `json:"libraries"` // by name
	Modules   map[string]string        `json:"modules"`   // by path: NAME.wasm and NAME.tools.yaml, of the project and of $GOLEM_HOME/tools
}

// LockedLibrary is a library in golem.lock.
type LockedLibrary struct {
	Version string            `json:"version,omitempty"`
	Files   map[string]string `json:"files"` // by path in the library
}

// lockKind and lockVersion begin the file (SPEC §16).
const (
	lockKind    = "lock"
	lockVersion = 1
)

// Encode returns the text of the file. The same lock gives the same bytes.
func (l Lock) Encode() ([]byte, error) {
	if l.Libraries == nil {
		l.Libraries = map[string]LockedLibrary{}
	}
	if l.Modules == nil {
		l.Modules = map[string]string{}
	}
	data, err := json.MarshalIndent(struct {
		Golem string `json:"golem"`
		V     int    `json:"v"`
		Lock
	}{lockKind, lockVersion, l}, "", "  ")
	return append(data, '\n'), err
}
