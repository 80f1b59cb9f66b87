package main

import (
	"errors"
	"hash/fnv"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall/js"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/wasmtool"
)

// toolFiles is the run's sandbox view as WASI sees it, for a module in another
// worker, which keeps the content of open files. It does what
// wazeroengine/wasifs.go does. Numbers are WASI's errors.
type toolFiles struct {
	files   sandbox.FS   // nil: not granted
	refused *fault.Fault // the first thing that was refused
	lost    error        // why a file could not be written
}

// Errors of WASI preview 1.
const (
	wasiAccess   = 2
	wasiAgain    = 6
	wasiExists   = 20
	wasiInvalid  = 28
	wasiIO       = 29
	wasiIsDir    = 31
	wasiNoEntry  = 44
	wasiNameLong = 37
	wasiNotDir   = 54
	wasiNotEmpty = 55
	wasiPerm     = 63
	wasiReadOnly = 69
)

const (
	wasiHandles  = 128
	wasiFileSize = 64 << 20
	wasiName     = 4096 // bytes of a path
)

func (f *toolFiles) refuse(why *fault.Fault) {
	if f.refused == nil {
		f.refused = why
	}
}

// answer does one operation; errno is 0 where it was done.
func (f *toolFiles) answer(op string, m js.Value) map[string]any {
	out := map[string]any{}
	switch op {
	case "read":
		data, err := sandbox.ReadFile(f.files, m.Get("name").String(), wasiFileSize)
		out["errno"], out["data"] = f.errno(err), jsbytes.Array(data)
	case "write":
		f.lost = f.files.WriteFile(m.Get("name").String(), jsbytes.Bytes(m.Get("data")))
		out["errno"] = f.errno(f.lost)
	case "move":
		out["errno"] = f.errno(f.files.Rename(m.Get("from").String(), m.Get("name").String()))
	case "readdir":
		f.readDir(m.Get("name").String(), out)
	default:
		name, errno := f.at(m)
		if errno == 0 {
			errno = f.do(op, name, m, out)
		}
		out["errno"] = errno
	}
	return out
}

// at is the path that a message names below a directory.
func (f *toolFiles) at(m js.Value) (string, int) {
	name := path.Clean(string(jsbytes.Bytes(m.Get("data"))))
	if !fs.ValidPath(name) {
		return "", wasiPerm
	}
	if wrong := m.Get("wrong").Int(); wrong != 0 {
		return "", wrong
	}
	if dir := m.Get("dir").String(); dir != "" {
		name = dir + "/" + name
	}
	return name, 0
}

func (f *toolFiles) do(op, given string, m js.Value, out map[string]any) int {
	name, errno := f.name(given)
	if errno != 0 {
		return errno
	}
	out["name"] = name
	switch op {
	case "at":
		return 0
	case "stat":
		info, errno := f.info(name)
		if errno == 0 {
			at := int64(0)
			if !info.ModTime().IsZero() {
				at = info.ModTime().UnixNano()
			}
			out["dir"], out["size"], out["modified"], out["inode"] = info.IsDir(), float64(info.Size()), strconv.FormatInt(at, 10), inode(name)
		}
		return errno
	case "open":
		return f.open(name, m, out)
	case "mkdir":
		return f.errno(f.files.Mkdir(name, 0o755))
	case "unlink", "rmdir":
		return f.remove(name, op == "rmdir")
	}
	return wasiInvalid
}

// name is a WASI path as an io/fs name.
func (f *toolFiles) name(p string) (string, int) {
	if len(p) > wasiName {
		return "", wasiNameLong
	}
	p = path.Clean(strings.TrimSuffix(p, "/"))
	if f.files == nil {
		if p == "." {
			return p, 0
		}
		f.refuse(wasmtool.NoFiles(p))
		return "", wasiAccess
	}
	if !fs.ValidPath(p) {
		return "", wasiPerm
	}
	if err := sandbox.Valid(p); err != nil {
		return "", f.errno(err)
	}
	return p, 0
}

// errno is an error of the sandbox as a number; what it refuses is noted.
func (f *toolFiles) errno(err error) int {
	var flt *fault.Fault
	if errors.As(err, &flt) {
		switch flt.Code {
		case fault.NotFound:
			return wasiNoEntry
		case fault.ReadOnly:
			f.refuse(flt)
			return wasiReadOnly
		case fault.Quota:
			f.refuse(flt)
			return wasiIO
		case fault.Path, fault.Protected, fault.Limit, fault.Escalation:
			f.refuse(flt)
			return wasiPerm
		}
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, fs.ErrNotExist):
		return wasiNoEntry
	case errors.Is(err, fs.ErrExist):
		return wasiExists
	case errors.Is(err, fs.ErrPermission):
		return wasiAccess
	case errors.Is(err, fs.ErrInvalid):
		return wasiInvalid
	}
	return wasiIO
}

func (f *toolFiles) info(name string) (fs.FileInfo, int) {
	if f.files == nil { // the root alone
		return sandbox.Info{Base: ".", Perm: fs.ModeDir | 0o555}, 0
	}
	info, err := fs.Stat(f.files, name)
	return info, f.errno(err)
}

func inode(name string) string {
	h := fnv.New64a()
	h.Write([]byte(name))
	return strconv.FormatUint(h.Sum64()|1, 10)
}

// Flags of path_open, and the rights that tell what a file is opened for.
const (
	openCreate, openDir, openExclusive, openTruncate = 1, 2, 4, 8
	openAppend                                       = 1
	rightRead, rightWrite                            = 1 << 1, 1 << 6
)

// open decides about path_open: what is opened, and whether for writing.
func (f *toolFiles) open(name string, m js.Value, out map[string]any) int {
	oflags, app := m.Get("oflags").Int(), m.Get("fdflags").Int()&openAppend != 0
	create, truncate, dir := oflags&openCreate != 0, oflags&openTruncate != 0, oflags&openDir != 0
	if m.Get("empty").Bool() || dir && create {
		return wasiInvalid
	}
	if m.Get("open").Int() >= wasiHandles {
		return wasiAgain
	}
	rights := m.Get("rights").Int() & (rightRead | rightWrite)
	changes := create || truncate || app
	info, errno := f.info(name)
	if errno != 0 && (errno != wasiNoEntry || !create) {
		return errno
	}
	if errno == 0 && info.IsDir() {
		if (changes || rights == rightWrite) && name != "." {
			return wasiIsDir
		}
		out["dir"] = true
		if name == "." {
			out["name"] = ""
		}
		return 0
	}
	if dir {
		return wasiNotDir
	}
	out["app"] = app
	if !changes && rights&rightWrite == 0 {
		return 0
	}
	if errno == 0 && create && oflags&openExclusive != 0 {
		return wasiExists
	}
	return f.writable(name, errno != 0, truncate, out)
}

// writable prepares for writing: the sandbox is asked now, not at the end.
func (f *toolFiles) writable(name string, isNew, truncate bool, out map[string]any) int {
	if isNew {
		if err := sandbox.ValidNew(name); err != nil {
			return f.errno(err)
		}
	}
	if err := sandbox.CanWrite(f.files, name); err != nil {
		return f.errno(err)
	}
	out["write"], out["empty"], out["made"] = true, isNew || truncate, isNew
	if isNew { // it is there from now on, also for others
		return f.errno(f.files.WriteFile(name, nil))
	}
	return 0
}

func (f *toolFiles) remove(name string, dir bool) int {
	info, errno := f.info(name)
	switch {
	case errno != 0:
		return errno
	case dir && !info.IsDir():
		return wasiNotDir
	case !dir && info.IsDir():
		return wasiIsDir
	}
	if dir {
		if entries, err := fs.ReadDir(f.files, name); err == nil && len(entries) > 0 {
			return wasiNotEmpty
		}
	}
	return f.errno(f.files.Remove(name))
}

func (f *toolFiles) readDir(name string, out map[string]any) {
	if f.files == nil {
		_, out["errno"] = f.name("any")
		return
	}
	entries, err := fs.ReadDir(f.files, name)
	list := []any{}
	for _, e := range entries {
		list = append(list, map[string]any{"name": e.Name(), "inode": inode(name + "/" + e.Name()), "dir": e.IsDir()})
	}
	out["errno"], out["inode"], out["entries"] = f.errno(err), inode(name), list
}
