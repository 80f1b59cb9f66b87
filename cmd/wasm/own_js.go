package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"strings"

	"golem/core/fault"
	"golem/sandbox/opfs"
)

// The person's files about a project (what was trusted, approval rules, the key of its
// state) are in ownDir/ID, outside every project: so no export has them, and no archive can
// bring its own. ID is random and names the project in this browser (SPEC §3); the file
// idsDir/NAME has it. All these files are removed when the project is deleted or made again.
const (
	idsDir    = "ids"
	ownDir    = "own"
	trustName = "trust.json"
	rulesName = "rules.yaml"
	keyName   = "state.key"

	idDigits = 32
	moving   = "?" // after an ID: files of an earlier version are not all moved yet
)

// formerly returns where earlier versions kept these files: old path by file name.
func formerly(project string) map[string]string {
	return map[string]string{trustName: "trust/" + project + ".json", rulesName: "rules/" + project + ".yaml", keyName: "state/" + project + ".key"}
}

// personDirectory returns the page's file system, and in it the directory of the person's files about a
// project. It gives the project an ID if it has none.
func (s *stores) personDirectory(project string) (*opfs.FS, string, error) {
	root, err := s.open()
	if err != nil {
		return nil, "", err
	}
	id, err := readID(root, project)
	if err == nil && (id == "" || strings.HasSuffix(id, moving)) {
		fresh := hex.EncodeToString(s.random(path.Join(idsDir, project), idDigits/2))
		if id, err = settleID(root, project, fresh); errors.Is(err, fault.Quota) {
			id, err = fresh, nil // a project can be opened in a full storage, too
		}
	}
	return root, path.Join(ownDir, id), err
}

// random returns n random bytes as the content of a file that may not be stored, because the
// storage is full. Within this tab it returns the same bytes for the same name.
func (s *stores) random(name string, n int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unkept == nil {
		s.unkept = map[string][]byte{}
	}
	if s.unkept[name] == nil {
		s.unkept[name] = make([]byte, n)
		rand.Read(s.unkept[name])
	}
	return s.unkept[name]
}

// forget makes the next call of random for a file return other bytes.
func (s *stores) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.unkept, name)
}

// readID returns a project's ID, perhaps with the suffix moving. It returns "" if the
// project has none, or the file is damaged.
func readID(root *opfs.FS, project string) (string, error) {
	data, err := fs.ReadFile(root, path.Join(idsDir, project))
	id := string(data)
	if _, wrong := hex.DecodeString(strings.TrimSuffix(id, moving)); errors.Is(err, fs.ErrNotExist) || wrong != nil || len(id) < idDigits {
		return "", ignoreMissing(err)
	}
	return id, err
}

// settleID gives a project the ID fresh if it has none, and moves the files that an earlier version kept by name.
// If the tab dies meanwhile nothing is lost: the next call goes on.
func settleID(root *opfs.FS, project, fresh string) (string, error) {
	release, err := waitLock(context.Background(), root, idsDir)
	if err != nil {
		return "", err
	}
	defer release()
	name := path.Join(idsDir, project)
	id, err := readID(root, project)
	if err == nil && id == "" {
		id = fresh + moving
		err = root.WriteFile(name, []byte(id))
	}
	if id, found := strings.CutSuffix(id, moving); err != nil || !found {
		return id, err
	}
	id = strings.TrimSuffix(id, moving)
	for now, before := range formerly(project) {
		if err := ignoreMissing(root.Rename(before, path.Join(ownDir, id, now))); err != nil {
			return "", err
		}
	}
	return id, root.WriteFile(name, []byte(id))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// disown removes the person's files about a project of this name, and its ID.
func (s *stores) disown(root *opfs.FS, project string) error {
	s.forget(path.Join(idsDir, project))
	id, err := readID(root, project)
	if err == nil && id != "" {
		err = ignoreMissing(root.RemoveAll(path.Join(ownDir, strings.TrimSuffix(id, moving))))
	}
	for _, before := range formerly(project) {
		err = errors.Join(err, ignoreMissing(root.Remove(before)))
	}
	if err != nil {
		return err
	}
	return ignoreMissing(root.Remove(path.Join(idsDir, project)))
}
