package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"syscall/js"

	"golem/cmd/wasm/jsbytes"
	"golem/core"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
	"golem/sandbox/opfs"
)

// toolFound is the reply of addTool: what it found about a module.
type toolFound struct {
	Module wasmtool.Inspection  `json:"module"`
	Was    *wasmtool.Inspection `json:"was,omitempty"` // the module that is at this path now
	Taken  bool                 `json:"taken"`         // a file is at this path now, a module or not
	Beside bool                 `json:"beside"`        // the description is the file that the project already has beside this path
	Pinned string               `json:"pinned"`        // the digest that tools.lock has for this path; "": none
	Others int                  `json:"others"`        // how many other modules of the project a new tools.lock pins too
	State  string               `json:"state"`         // a digest of the lock and the files that are written, and of those that they replace
}

// toolAsked has the parameters of addTool.
type toolAsked struct {
	Project string `json:"project"`
	Name    string `json:"name"` // in tools/, without .wasm
	From    string `json:"from"` // the address that the page fetched; "": a file
	Look    bool   `json:"look"`
	Agreed  string `json:"agreed"` // the State of an earlier reply, which the person accepted
	// Source is the name of a JavaScript or TypeScript source, which comes in place of the module;
	// "": a module comes. Imports are the names of the files that come behind it, from its folder.
	Source  string   `json:"source"`
	Imports []string `json:"imports"`
}

func (n toolAsked) check(c *call) error {
	if err := fromAddress(n.From); err != nil {
		return err
	}
	if !config.IsModuleName(n.Name) {
		return fault.New(fault.Usage, "%s cannot be the name of a module", fault.Quoted(n.Name)).Hinting("give it another name: letters, digits, _, - and .")
	}
	if c.bytes.Type() != js.TypeObject || c.bytes.Length() == 0 {
		return fault.New(fault.Usage, "the content of the module is missing")
	}
	if n.Source == "" {
		if len(n.Imports) > 0 {
			return fault.New(fault.Usage, "only a source has imports").Hinting("name it: source")
		}
		return nil
	}
	if !config.IsToolSource(n.Source) {
		return fault.New(fault.Usage, "%s cannot be the name of a source", fault.Quoted(n.Source)).Hinting("it ends in .js, .ts, .mjs or .mts, and has no directory")
	}
	if c.bytes.Length() != len(n.Imports)+1 {
		return fault.New(fault.Usage, "a source comes with the files that it imports, and without a description: its types describe it")
	}
	return nil
}

// files returns the files that are to be written for a tool at a path: the module that came or
// that is linked of a source, and its description if one came.
func (n toolAsked) files(c *call, inst *core.Instance, name string) (map[string][]byte, error) {
	first := jsbytes.Bytes(c.bytes.Index(0))
	if n.Source == "" {
		files := map[string][]byte{name: first}
		if c.bytes.Length() > 1 {
			files[sidecarOf(name)] = jsbytes.Bytes(c.bytes.Index(1))
		}
		return files, nil
	}
	folder := sandbox.Memory()
	err := folder.WriteFile(n.Source, first)
	for i, other := range n.Imports {
		if err == nil {
			err = sandbox.MkdirAll(folder, path.Dir(other), 0o755)
		}
		if err == nil {
			err = folder.WriteFile(other, jsbytes.Bytes(c.bytes.Index(i+1)))
		}
	}
	if err != nil {
		return nil, fault.New(fault.Usage, "a file that the source imports has no fitting name: %w", err).Hinting("imports has paths from the source's folder, such as lib/one.ts")
	}
	module, err := core.LinkSource(inst, n.Source, folder)
	return map[string][]byte{name: module}, err
}

// addTool does what golem tool add does, for a module that the page has, and its
// description, or for a source, which it links. With look it only describes the module, else it writes the module into the
// project and pins it. agreed is the State that a call with look returned: addTool fails
// with E_CONFLICT if it would write something else now, or replace something else.
func addTool(c *call) (any, []byte, error) {
	var n toolAsked
	err := c.decode(&n)
	if err == nil {
		err = n.check(c)
	}
	if err != nil {
		return nil, nil, err
	}
	fsys, err := c.server.stores.project(n.Project)
	if err != nil {
		return nil, nil, err
	}
	release, err := c.server.stores.hold(fsys)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	kept := c.server.stores.state(fsys, n.Project)
	one, err := kept.Hold(c.ctx, "tools-lock") // another call in this tab may add a module too
	if err != nil {
		return nil, nil, err
	}
	defer one()
	o, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	digests, from, fresh, err := o.inst.Project().ToolPins(guard.MaxSize)
	if err != nil {
		return nil, nil, err
	}
	name := "tools/" + n.Name + ".wasm"
	files, err := n.files(c, o.inst, name)
	if err != nil {
		return nil, nil, err
	}
	added := core.Incoming(o.inst, name, files[name], files[sidecarOf(name)])
	out := toolFound{Pinned: digests[name]}
	if out.Module, err = inspected(c.ctx, name, added); err != nil {
		return nil, nil, err
	}
	out.Beside = out.Module.Source == "sidecar" && len(files) == 1
	if digests[name] = out.Module.SHA256; fresh {
		out.Pinned, out.Others = "", len(digests)-1
	}
	from[name] = n.From
	lock := config.EncodeToolLock(digests, from)
	out.state(fsys, name, lock, files[sidecarOf(name)])
	if now, err := sandbox.ReadFile(fsys, name, guard.MaxSize); err == nil {
		if was, err := inspected(c.ctx, name, core.Incoming(o.inst, name, now, nil)); err == nil {
			out.Was = &was
		}
	}
	switch {
	case n.Agreed != "" && n.Agreed != out.State:
		return nil, nil, fault.New(fault.Conflict, "%s, or what the project has in its place, has changed since you looked at it", name).Hinting("look again")
	case n.Look:
		return out, nil, nil
	case out.Module.Refused != "":
		return nil, nil, fault.New(fault.ToolModule, "golem would not run the module: %s", out.Module.Refused)
	}
	return out, nil, putModule(fsys, files, lock)
}

// state sets State and Taken.
func (f *toolFound) state(fsys *opfs.FS, name string, lock, sidecar []byte) {
	sum := sha256.New()
	part := func(data []byte) {
		one := sha256.Sum256(data)
		sum.Write(one[:])
	}
	part(lock)
	part(sidecar)
	for _, file := range []string{config.ToolLockFile, sidecarOf(name), name} {
		now, err := sandbox.ReadFile(fsys, file, guard.MaxSize) // a file that cannot be read counts as empty
		part(now)
		f.Taken = !errors.Is(err, fs.ErrNotExist) // the last file is the module, whose value stays
	}
	f.State = hex.EncodeToString(sum.Sum(nil))
}

// sidecarOf returns the path of the description beside a module.
func sidecarOf(name string) string { return strings.TrimSuffix(name, "wasm") + "tools.yaml" }

// fromAddress returns an error for an address that golem must not keep or that a page cannot
// fetch. "" is accepted. The messages are those of golem tool add.
func fromAddress(from string) error {
	scheme, _, found := strings.Cut(strings.ToLower(from), "://")
	u, err := url.Parse(from)
	switch {
	case from == "":
		return nil
	case scheme == "oci":
		return fault.New(fault.Platform, "a web page cannot ask a registry for a module (oci://)").Hinting("use golem tool add of the command line, or download the .wasm file and add that")
	case err != nil || !found || u.Host == "" || u.User != nil:
		return fault.New(fault.Network, "the address has no host, or a name or password in it").Hinting("for example https://example.org/tool.wasm")
	case scheme == "https", scheme == "http" && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"):
		return nil
	}
	return fault.New(fault.Network, "%s: golem fetches modules over https only", u.Host).Hinting("http is for this machine's own addresses")
}

// inspected describes a module and its description file. It does not run the module and
// starts no engine.
func inspected(ctx context.Context, name string, file wasmtool.File) (wasmtool.Inspection, error) {
	return (&wasmtool.Library{}).Module(wasmtool.Source{Path: name, File: file}).Inspect(ctx)
}

// putModule writes the files of a module, and tools.lock. It first writes each file under a
// temporary name, then the lock, then renames the files. So a tab that dies meanwhile
// leaves at worst a module that the lock refuses, never one that is not pinned.
func putModule(fsys *opfs.FS, files map[string][]byte, lock []byte) error {
	err := fsys.Mkdir("tools", 0o755)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	const beside = ".new"
	for name, data := range files {
		if err == nil {
			err = fsys.WriteFile(name+beside, data)
		}
	}
	if err == nil {
		err = fsys.WriteFile(config.ToolLockFile, lock)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) { // the description before the module
		if err == nil {
			err = fsys.Rename(name+beside, name)
		} else {
			fsys.Remove(name + beside) // it may not be there
		}
	}
	return err
}
