package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
)

// stateDir is what golem keeps of a project, in its root.
const stateDir = ".golem"

// keptRuns is how many trace files of a project are kept (SPEC §14).
const keptRuns = 200

// openTrace opens the trace of a run: the file of --trace, or a new one below
// .golem/runs. Where the latter cannot be written there is a warning and no
// file.
func (h *host) openTrace(f *flags, root, id string) (io.WriteCloser, error) {
	if f.given("trace") {
		file, err := os.OpenFile(h.path(f.trace), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, usage("--trace %s cannot be written: %s", f.trace, cause(err)).Hinting("name a file in an existing directory that you may write")
		}
		return file, nil
	}
	file, err := newRunFile(root, id)
	if err != nil {
		h.say("warning: the trace cannot be kept in %s/runs: %s (--trace FILE writes it elsewhere)", stateDir, cause(err))
		return nil, nil
	}
	return file, nil
}

// newRunFile makes .golem/runs/<id>.jsonl. All of it goes through one handle of
// the project, so that no link in a cloned project leads the trace elsewhere.
func newRunFile(root, id string) (*os.File, error) {
	project, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer project.Close()
	runs := path.Join(stateDir, "runs")
	for _, dir := range []string{stateDir, runs} {
		if err := project.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		info, err := project.Lstat(dir)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("%s is not a directory", dir)
		}
	}
	dir, err := project.OpenRoot(runs)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	prune(dir, keptRuns-1)
	return dir.OpenFile(id+".jsonl", os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
}

// prune removes all but the newest trace files. Names begin with the time of
// the run; what has another name is not golem's and stays.
func prune(dir *os.Root, keep int) {
	list, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return // there is always the next run
	}
	var names []string
	for _, e := range list {
		if ok, _ := path.Match("[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]-*.jsonl", e.Name()); ok && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	for len(names) > keep {
		dir.Remove(names[0]) // another golem may have been faster
		names = names[1:]
	}
}

// tee writes each line to all its writers; one that fails is left out from
// then on, and told about once.
type tee struct {
	mu      sync.Mutex
	writers []io.Writer
	failed  func(error)
}

func (t *tee) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writers = slices.DeleteFunc(t.writers, func(w io.Writer) bool {
		if _, err := w.Write(p); err != nil {
			t.failed(err)
			return true
		}
		return false
	})
	return len(p), nil
}

// artifacts keeps whole prompts, inputs and outputs in a directory (S3-22).
func (h *host) artifacts(f *flags) (func(name string, data []byte) error, func(), error) {
	if !f.given("artifacts") {
		return nil, func() {}, nil
	}
	dir := h.path(f.artifacts)
	err := os.MkdirAll(dir, 0o700)
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, nil, usage("--artifacts %s cannot be written: %s", f.artifacts, cause(err)).Hinting("name a directory that you may write")
	}
	keep := func(name string, data []byte) error {
		if strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name) {
			return fault.New(fault.Path, "the artifact name %q is no file name", name)
		}
		return root.WriteFile(name, data, 0o600)
	}
	return keep, func() { root.Close() }, nil
}

// recording opens the file of --record.
func (h *host) recording(f *flags) (io.WriteCloser, error) {
	if !f.given("record") {
		return nil, nil
	}
	file, err := os.OpenFile(h.path(f.record), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, usage("--record %s cannot be written: %s", f.record, cause(err)).Hinting("name a file in an existing directory that you may write")
	}
	return file, nil
}
