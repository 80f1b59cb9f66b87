package main

import (
	"cmp"
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

// toolFiles gives a module in another worker access to the run's sandbox. The worker keeps
// the content of open files itself. Error numbers are those of WASI preview 1.
type toolFiles struct {
	wasmtool.WASIView
	refused *fault.Fault // why the first refused operation was refused
	lost    error        // the error of the last write; nil: it was written
}

func newToolFiles(files sandbox.FS) *toolFiles {
	f := &toolFiles{WASIView: wasmtool.WASIView{Files: files}}
	f.Refuse = func(why *fault.Fault) {
		if f.refused == nil {
			f.refused = why
		}
	}
	return f
}

// answer does one operation and returns the message to the worker; errno is 0 on success.
func (f *toolFiles) answer(op string, m js.Value) map[string]any {
	out := map[string]any{}
	out["errno"] = int(f.operation(op, m, out))
	return out
}

func (f *toolFiles) operation(op string, m js.Value, out map[string]any) wasmtool.Errno {
	switch op {
	case "move":
		return f.Rename(m.Get("from").String(), m.Get("name").String())
	case "read", "write":
		if f.Files == nil { // not reached: nothing is open without a grant
			return wasmtool.ErrnoAccess
		}
		return f.content(op, m.Get("name").String(), m, out)
	case "readdir":
		return f.readDir(m.Get("name").String(), out)
	}
	name, errno := f.at(m)
	if errno != 0 {
		return errno
	}
	return f.do(op, name, m, out)
}

// content does the operations that take a file's name in the sandbox, not a path that the
// module gave.
func (f *toolFiles) content(op, name string, m js.Value, out map[string]any) wasmtool.Errno {
	if op == "read" {
		data, err := sandbox.ReadFile(f.Files, name, wasmtool.MaxFile)
		out["data"] = jsbytes.Array(data)
		return f.Errno(err)
	}
	f.lost = f.Files.WriteFile(name, jsbytes.Bytes(m.Get("data")))
	return f.Errno(f.lost)
}

// at returns the path that the module gave, joined to the directory of the descriptor.
func (f *toolFiles) at(m js.Value) (string, wasmtool.Errno) {
	given := string(jsbytes.Bytes(m.Get("data")))
	name := path.Clean(given)
	if !fs.ValidPath(name) {
		return "", wasmtool.ErrnoPermission
	}
	if strings.HasSuffix(given, "/") {
		name += "/"
	}
	if wrong := m.Get("wrong").Int(); wrong != 0 {
		return "", wasmtool.Errno(wrong)
	}
	if dir := m.Get("dir").String(); dir != "" {
		name = dir + "/" + name
	}
	return name, 0
}

func (f *toolFiles) do(op, given string, m js.Value, out map[string]any) wasmtool.Errno {
	name, errno := f.Name(given)
	if errno != 0 {
		return errno
	}
	out["name"] = name
	switch op {
	case "at":
		return 0
	case "stat":
		info, errno := f.Info(name)
		if errno == 0 {
			at := int64(0)
			if !info.ModTime().IsZero() {
				at = info.ModTime().UnixNano()
			}
			out["dir"], out["size"], out["modified"], out["inode"] = info.IsDir(), float64(wasmtool.FileSize(info)), strconv.FormatInt(at, 10), inode(name)
		}
		return errno
	case "open":
		return f.open(name, m, out)
	case "mkdir":
		return f.Mkdir(name)
	case "unlink", "rmdir":
		if op == "unlink" && strings.HasSuffix(given, "/") { // only a directory may be named so
			if info, errno := f.Info(name); errno != 0 || !info.IsDir() {
				return cmp.Or(errno, wasmtool.ErrnoNotDir)
			}
		}
		return f.Remove(name, op == "rmdir")
	}
	return wasmtool.ErrnoInvalid
}

// Flags and rights of WASI's path_open. The rights say whether a file is opened for
// reading or writing.
const (
	openCreate, openDir, openExclusive, openTruncate = 1, 2, 4, 8
	openAppend                                       = 1
	rightRead, rightWrite                            = 1 << 1, 1 << 6
)

// open does path_open: it says what is opened, and whether for writing. It does not read
// the file.
func (f *toolFiles) open(name string, m js.Value, out map[string]any) wasmtool.Errno {
	oflags, app := m.Get("oflags").Int(), m.Get("fdflags").Int()&openAppend != 0
	create, truncate, dir := oflags&openCreate != 0, oflags&openTruncate != 0, oflags&openDir != 0
	if m.Get("empty").Truthy() || dir && create {
		return wasmtool.ErrnoInvalid
	}
	if m.Get("open").Int() >= wasmtool.MaxHandles {
		return wasmtool.ErrnoAgain
	}
	rights := m.Get("rights").Int() & (rightRead | rightWrite)
	changes := create || truncate || app
	info, errno := f.Info(name)
	if errno != 0 && (errno != wasmtool.ErrnoNoEntry || !create) {
		return errno
	}
	if errno == 0 && info.IsDir() {
		if (changes || rights == rightWrite) && name != "." {
			return wasmtool.ErrnoIsDir
		}
		out["dir"] = true
		if name == "." {
			out["name"] = ""
		}
		return 0
	}
	if dir {
		return wasmtool.ErrnoNotDir
	}
	out["app"] = app
	if !changes && rights&rightWrite == 0 {
		return 0
	}
	if errno == 0 && create && oflags&openExclusive != 0 {
		return wasmtool.ErrnoExists
	}
	return f.writable(name, errno != 0, truncate, out)
}

// writable checks that the module may write a file, and makes the file if it is new.
func (f *toolFiles) writable(name string, isNew, truncate bool, out map[string]any) wasmtool.Errno {
	if errno := f.CanWrite(name, isNew); errno != 0 {
		return errno
	}
	out["write"], out["empty"], out["made"] = true, isNew || truncate, isNew
	if isNew { // the file exists from now on, also for others
		return f.Errno(f.Files.WriteFile(name, nil))
	}
	return 0
}

func (f *toolFiles) readDir(name string, out map[string]any) wasmtool.Errno {
	entries, errno := f.Entries(name)
	list := []any{}
	for _, e := range entries {
		list = append(list, map[string]any{"name": e.Name(), "inode": inode(name + "/" + e.Name()), "dir": e.IsDir()})
	}
	out["inode"], out["entries"] = inode(name), list
	return errno
}

// inode returns a file's inode number as text: JavaScript's numbers cannot have 64 bits.
func inode(name string) string { return strconv.FormatUint(wasmtool.Inode(name), 10) }
