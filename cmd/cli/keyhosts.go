package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golem/core/fault"
	"golem/core/run"
)

// keyHosts keeps which key may go to which foreign host: a person confirms
// each pair once (SPEC §3). It lives in $GOLEM_HOME/hosts.json, outside any project.
type keyHosts struct {
	file  string
	shown string // the file's name in messages
	mu    sync.Mutex
}

var _ run.Keys = (*keyHosts)(nil)

// hostsFile is the format of hosts.json.
type hostsFile struct {
	Golem     string     `json:"golem"` // "hosts"
	V         int        `json:"v"`
	Confirmed []hostPair `json:"confirmed"`
}

type hostPair struct {
	Variable string `json:"variable"`
	Host     string `json:"host"`
}

// keyHosts is nil where there is no place to keep anything.
func (h *host) keyHosts() run.Keys {
	home := h.home()
	if home == "" {
		return nil
	}
	return &keyHosts{file: filepath.Join(home, "hosts.json"), shown: "hosts.json in GOLEM_HOME"}
}

// Confirmed reports whether the key in variable may be sent to hostName.
func (c *keyHosts) Confirmed(variable, hostName string) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, err := c.load()
	return err == nil && slices.Contains(known.Confirmed, hostPair{variable, hostName}), err
}

// Confirm keeps a person's yes.
func (c *keyHosts) Confirm(variable, hostName string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, err := c.load()
	if err != nil {
		return err
	}
	pair := hostPair{variable, hostName}
	if slices.Contains(known.Confirmed, pair) {
		return nil
	}
	known.Confirmed = append(known.Confirmed, pair)
	return c.save(known)
}

func (c *keyHosts) load() (hostsFile, error) {
	f := hostsFile{Golem: "hosts", V: 1}
	data, err := os.ReadFile(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil || f.Golem != "hosts" {
		return f, fault.New(fault.Config, "%s cannot be read", c.shown).Hinting("repair it, or delete it and confirm again")
	}
	return f, nil
}

// save replaces the file as a whole, readable by its owner only.
func (c *keyHosts) save(f hostsFile) error {
	data, err := json.MarshalIndent(f, "", "  ")
	if err == nil {
		err = writeAtomic(c.file, append(data, '\n'))
	}
	if err != nil {
		return fault.New(fault.Config, "the confirmation could not be kept in %s: %s", c.shown, cause(err)).Hinting("make GOLEM_HOME writable")
	}
	return nil
}

// writeAtomic leaves the old file or the new one, never a mix (SECURITY 5).
func writeAtomic(name string, data []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".golem-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}
