package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strings"
	"syscall/js"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/project"
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
}

func (n toolAsked) check(c *call) error {
	if err := fromAddress(n.From); err != nil {
		return err
	}
	if !project.IsModuleName(n.Name) {
		return fault.New(fault.Usage, "%s cannot be the name of a module", fault.Quoted(n.Name)).Hinting("give it another name: letters, digits, _, - and .")
	}
	if c.bytes.Type() != js.TypeObject || c.bytes.Length() == 0 {
		return fault.New(fault.Usage, "the content of the module is missing")
	}
	return nil
}

// addTool does what golem tool add does, for a module that the page has, and its
// description. With look it only describes the module, else it writes the module into the
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
	_, inst, _, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	digests, from, fresh, err := inst.Project().ToolPins(guard.MaxSize)
	if err != nil {
		return nil, nil, err
	}
	name := "tools/" + n.Name + ".wasm"
	files := map[string][]byte{name: jsbytes.Bytes(c.bytes.Index(0))}
	if c.bytes.Length() > 1 {
		files[sidecarOf(name)] = jsbytes.Bytes(c.bytes.Index(1))
	}
	here := func() ([]byte, error) { return inst.Project().Sidecar(project.Module{Path: name}) }
	beside := here
	if sidecar, ok := files[sidecarOf(name)]; ok {
		beside = func() ([]byte, error) { return sidecar, nil }
	}
	out := toolFound{Pinned: digests[name]}
	if out.Module, err = inspected(c.ctx, name, files[name], beside); err != nil {
		return nil, nil, err
	}
	out.Beside = out.Module.Source == "sidecar" && len(files) == 1
	if digests[name] = out.Module.SHA256; fresh {
		out.Pinned, out.Others = "", len(digests)-1
	}
	from[name] = n.From
	lock := project.EncodeToolLock(digests, from)
	out.state(fsys, name, lock, files[sidecarOf(name)])
	if now, err := sandbox.ReadFile(fsys, name, guard.MaxSize); err == nil {
		if was, err := inspected(c.ctx, name, now, here); err == nil {
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
	for _, file := range []string{project.ToolLockFile, sidecarOf(name), name} {
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
func inspected(ctx context.Context, name string, module []byte, beside func() ([]byte, error)) (wasmtool.Inspection, error) {
	tree := sandbox.Memory()
	if err := tree.WriteFile("m", module); err != nil {
		return wasmtool.Inspection{}, err
	}
	return (&wasmtool.Library{}).Module(wasmtool.Source{
		Path: name, Open: func() (fs.File, error) { return tree.Open("m") }, Sidecar: beside,
	}).Inspect(ctx)
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
		err = fsys.WriteFile(project.ToolLockFile, lock)
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
