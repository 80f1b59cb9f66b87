package main

import (
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
	f := &toolFiles{}
	f.WASIView = wasmtool.NewWASIView(files, func(why *fault.Fault) {
		if f.refused == nil {
			f.refused = why
		}
	})
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
		return f.Rename(m.Get("from").String(), m.Get("name").String(), m.Get("slash").Truthy())
	case "read", "write":
		if f.Files == nil { // not reached: nothing is open without a grant
			return wasmtool.ErrnoAccess
		}
		return f.content(op, m.Get("name").String(), m, out)
	case "readdir":
		return f.readDir(m.Get("name").String(), out)
	case "fstat": // of an open file or directory
		name, dir := m.Get("name").String(), m.Get("directory").Truthy()
		if dir {
			tellStat(name, f.StatDirectory(name), out)
			return 0
		}
		return f.stat(name, false, out)
	case "ftimes":
		return f.SetTimes(m.Get("name").String(), false, fileTime(m.Get("accessed")), fileTime(m.Get("modified")))
	}
	name, errno := f.pathOf(m)
	if errno != 0 {
		return errno
	}
	return f.perform(op, name, m, out)
}

// content does the operations that take a file's name in the sandbox, not a path that the
// module gave.
func (f *toolFiles) content(op, name string, m js.Value, out map[string]any) wasmtool.Errno {
	if op == "read" {
		data, err := sandbox.ReadFile(f.Files, name, wasmtool.MaxFile)
		out["data"] = jsbytes.Array(data)
		return f.Errno(err)
	}
	f.lost = f.WriteFile(name, jsbytes.Bytes(m.Get("data")))
	return f.Errno(f.lost)
}

// pathOf returns the path that the module gave, joined to the directory of the descriptor.
func (f *toolFiles) pathOf(m js.Value) (string, wasmtool.Errno) {
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

func (f *toolFiles) perform(op, given string, m js.Value, out map[string]any) wasmtool.Errno {
	name, errno := f.Name(given)
	if errno != 0 {
		return errno
	}
	slash := strings.HasSuffix(given, "/")
	out["name"], out["slash"] = name, slash
	switch op {
	case "at":
		return 0
	case "stat":
		return f.stat(name, slash, out)
	case "times":
		return f.SetTimes(name, slash, fileTime(m.Get("accessed")), fileTime(m.Get("modified")))
	case "open":
		return f.open(name, slash, m, out)
	case "mkdir":
		return f.Mkdir(name)
	case "unlink", "rmdir":
		if _, errno := f.Stat(name, op == "unlink" && slash); errno != 0 {
			return errno
		}
		return f.Remove(name, op == "rmdir")
	}
	return wasmtool.ErrnoInvalid
}

func (f *toolFiles) stat(name string, slash bool, out map[string]any) wasmtool.Errno {
	st, errno := f.Stat(name, slash)
	if errno == 0 {
		tellStat(name, st, out)
	}
	return errno
}

func tellStat(name string, st wasmtool.WASIStat, out map[string]any) {
	out["dir"], out["size"], out["inode"] = st.Dir, float64(st.Size), inode(name)
	out["accessed"], out["modified"] = strconv.FormatInt(st.Accessed, 10), strconv.FormatInt(st.Modified, 10)
}

// fileTime reads a time in nanoseconds, which is text because JavaScript's numbers cannot have
// 64 bits; none means that the time stays.
func fileTime(v js.Value) int64 {
	if v.Type() != js.TypeString {
		return wasmtool.KeepTime
	}
	at, err := strconv.ParseInt(v.String(), 10, 64)
	if err != nil {
		return wasmtool.KeepTime
	}
	return at
}

// Flags and rights of WASI's path_open. The rights say whether a file is opened for
// reading or writing.
const (
	openCreate, openDir, openExclusive, openTruncate = 1, 2, 4, 8
	openAppend                                       = 1
	rightRead, rightWrite                            = 1 << 1, 1 << 6
)

// open does path_open: it says what is opened, and for what. It does not read the file. A new
// file exists from now on, also for others.
func (f *toolFiles) open(name string, slash bool, m js.Value, out map[string]any) wasmtool.Errno {
	flags, rights := m.Get("oflags").Int(), m.Get("rights").Int()&(rightRead|rightWrite)
	o := wasmtool.WASIOpening{
		Directory: flags&openDir != 0, Create: flags&openCreate != 0, Exclusive: flags&openExclusive != 0 && flags&openDir == 0, Truncate: flags&openTruncate != 0,
		Read: rights != rightWrite, Write: rights&rightWrite != 0, Slash: slash,
	}
	app := m.Get("fdflags").Int()&openAppend != 0
	if rights == 0 && (o.Create || o.Truncate || app) { // as wazero has it: the flags say what the rights do not
		o.Write = true
	}
	if m.Get("empty").Truthy() || o.Directory && o.Create {
		return wasmtool.ErrnoInvalid
	}
	if m.Get("open").Int() >= wasmtool.MaxHandles {
		return wasmtool.ErrnoAgain
	}
	opened, errno := f.Open(name, o)
	if errno != 0 {
		return errno
	}
	if opened.Dir {
		out["dir"] = true
		if name == "." {
			out["name"] = ""
		}
		return 0
	}
	out["app"], out["read"], out["write"], out["empty"], out["made"] = app, o.Read, o.Write, opened.New || o.Truncate, opened.New
	if opened.New {
		return f.Errno(f.WriteFile(name, nil))
	}
	return 0
}

func (f *toolFiles) readDir(name string, out map[string]any) wasmtool.Errno {
	entries, errno := f.Entries(name)
	list := []any{}
	for _, e := range entries {
		list = append(list, map[string]any{"name": e.Name(), "inode": inode(path.Join(name, e.Name())), "dir": e.IsDir()})
	}
	out["inode"], out["entries"] = inode(name), list
	return errno
}

// inode returns a file's inode number as text: JavaScript's numbers cannot have 64 bits.
func inode(name string) string { return strconv.FormatUint(wasmtool.Inode(name), 10) }
