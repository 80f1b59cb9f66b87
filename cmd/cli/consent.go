package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/ui"
)

// consent keeps which key may go to which foreign host: a person confirms each
// pair once (SPEC §3). It lives in $GOLEM_HOME/hosts.json, outside any project.
type consent struct {
	file      string // "": nowhere to keep it
	shown     string // the file's name in messages
	questions ui.Questions
	tell      func(format string, args ...any) // what the caller's message cannot say

	mu sync.Mutex
}

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

func (h *host) newConsent(q ui.Questions) *consent {
	c := &consent{questions: q, tell: h.say, shown: "hosts.json in GOLEM_HOME"}
	if home := h.home(); home != "" {
		c.file = filepath.Join(home, "hosts.json")
	}
	return c
}

// key returns nil if the key in variable may be sent to hostName.
func (c *consent) key(ctx context.Context, variable, hostName string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, err := c.load()
	if err != nil {
		c.tell("%s", err)
		return err
	}
	pair := hostPair{variable, hostName}
	if slices.Contains(known.Confirmed, pair) {
		return nil
	}
	refused := fault.New(fault.Model, "nobody has confirmed that the key in %s may be sent to %s", variable, hostName)
	if c.questions.Person == nil {
		return refused.Hinting("run once on a terminal and answer yes; it is kept in %s", c.shown)
	}
	rec, err := approval.NewGate("", c.questions).Ask(ctx, approval.Question{
		Kind:  approval.KindKey,
		Title: fmt.Sprintf("Send the key in %s to %s, now and from now on?", variable, hostName),
		Lines: []approval.Line{{Path: variable, Value: hostName, Means: "the project chose this host; it is not the provider's built-in address"}},
	})
	if err != nil {
		return fault.New(fault.Model, "%s: %w", refused.Message, err).Hinting("answer yes when golem asks")
	}
	if !rec.Run {
		return fault.New(fault.Model, "the key in %s was not sent to %s: you said no", variable, hostName).Hinting("use another model, or answer yes")
	}
	known.Confirmed = append(known.Confirmed, pair)
	if err := c.save(known); err != nil { // the answer holds for this run
		c.tell("warning: %s", err)
	}
	return nil
}

func (c *consent) load() (hostsFile, error) {
	f := hostsFile{Golem: "hosts", V: 1}
	if c.file == "" {
		return f, nil
	}
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
func (c *consent) save(f hostsFile) error {
	if c.file == "" {
		return nil
	}
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
