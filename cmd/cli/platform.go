package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"time"

	"golem/core"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/toolset"
	"golem/sandbox/osfs"
)

// open reads the project of a place on this machine.
func (h *host) open(p place, f *flags, t *tools) (*core.Instance, error) {
	files, err := osfs.Open(p.root)
	if err != nil {
		return nil, fault.Of(err, fault.Project)
	}
	o := f.options()
	o.Files, o.Name = files, filepath.Base(p.root)
	if p.file {
		o.Entry = p.entry
	}
	work := files
	if p.work != "" {
		if work, err = osfs.Open(p.work); err != nil {
			return nil, fault.Of(err, fault.NotFound)
		}
	}
	if p.shelf {
		o.WorkersRoot = "."
	}
	keys, err := dotenvKeys(files)
	if err != nil {
		return nil, err
	}
	config, err := h.config()
	if err != nil {
		return nil, err
	}
	o.Reach, o.TrustDigest = h.reach(p, o.NoProject), h.setting("TRUST")
	return core.Open(core.Platform{
		Name: "native", Version: buildVersion(), Env: h.env, DotEnv: keys,
		Config: config, Home: filepath.ToSlash(h.userHome()), Trust: h.trusted(), TrustKey: realPath(p.root), State: h.stateOf(work, p.sandbox()),
		HTTP:       newHTTPClient(),
		Mount:      mounter(work, p.sandbox(), o.AllowOutside),
		Closed:     h.closed(),
		ReadScript: func(name string) ([]byte, error) { return h.readFile(name, maxScript) },
		Toolsets:   []toolset.Factory{shellToolset(h, p.sandbox(), o.MemorySandbox)},
		Tools:      t.forProject,
		ToolFiles:  h.homeTools(),

		OtherToolsets: map[string][]string{"shell": {"native"}},
	}, o)
}

// closed is what no worker reaches: $GOLEM_HOME, by its real path and, where
// that is not there yet, by where it will lie.
func (h *host) closed() []string {
	home := h.home()
	if home == "" {
		return nil
	}
	rest := ""
	for at := home; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return []string{filepath.ToSlash(filepath.Join(real, rest))}
		}
		if at == filepath.Dir(at) {
			return []string{filepath.ToSlash(home)}
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// mounter opens the project's root for the sandbox, and, only with
// --allow-outside, directories elsewhere. The core asks for nothing else
// without the flag, and it is refused here again.
func mounter(files *osfs.FS, root string, outside bool) func(string) (sandbox.FS, error) {
	return func(source string) (sandbox.FS, error) {
		if path.Clean(source) == "." {
			return files, nil
		}
		if !outside {
			return nil, fault.New(fault.Path, "the mount source %s is outside the project", source).
				Hinting("move it into the project, or run with --allow-outside")
		}
		if !filepath.IsAbs(source) {
			source = filepath.Join(root, source)
		}
		return osfs.Open(source)
	}
}

// newRunID names a run: sortable by time, and unlike any other.
func newRunID() string {
	var b [3]byte
	rand.Read(b[:])
	return fmt.Sprintf("%s-%s", time.Now().UTC().Format("20060102-150405"), hex.EncodeToString(b[:]))
}
