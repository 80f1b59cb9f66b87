package main

import (
	"errors"
	"io/fs"
	"strconv"
	"syscall/js"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/wasmtool"
)

// lend does one operation on the run's sandbox for cmd/wasm/wazero. Unlike web/tool, that
// program uses io/fs names, and maps errors to WASI's numbers itself.
func (f *toolFiles) lend(m js.Value) map[string]any {
	if f.Files == nil {
		return map[string]any{"failed": "denied"}
	}
	out := map[string]any{}
	var err error
	switch name := m.Get("name").String(); m.Get("what").String() {
	case "open":
		err = f.whole(name, out)
	case "stat":
		var info fs.FileInfo
		if info, err = fs.Stat(f.Files, name); err == nil {
			infoFields(info, out)
		}
	case "list":
		err = f.list(name, out)
	case "may":
		err = sandbox.CanWrite(f.Files, name)
	case "write":
		err = f.Files.WriteFile(name, jsbytes.Bytes(m.Get("data")))
	case "remove":
		err = f.Files.Remove(name)
	case "move":
		err = f.Files.Rename(name, m.Get("to").String())
	case "mkdir":
		err = f.Files.Mkdir(name, 0o755)
	default:
		err = fs.ErrInvalid
	}
	if err != nil {
		return failed(err)
	}
	return out
}

func (f *toolFiles) whole(name string, out map[string]any) error {
	info, err := fs.Stat(f.Files, name)
	if err != nil {
		return err
	}
	infoFields(info, out)
	if info.IsDir() {
		return nil
	}
	data, err := sandbox.ReadFile(f.Files, name, wasmtool.MaxFile)
	out["data"], out["size"] = jsbytes.Array(data), len(data)
	return err
}

func (f *toolFiles) list(name string, out map[string]any) error {
	entries, err := fs.ReadDir(f.Files, name)
	list := []any{}
	for _, e := range entries {
		list = append(list, map[string]any{"name": e.Name(), "dir": e.IsDir(), "size": 0, "modified": "0"})
	}
	out["entries"] = list
	return err
}

func infoFields(info fs.FileInfo, out map[string]any) {
	at := int64(0)
	if !info.ModTime().IsZero() {
		at = info.ModTime().UnixNano()
	}
	out["dir"], out["size"], out["modified"] = info.IsDir(), float64(info.Size()), strconv.FormatInt(at, 10)
}

// failed returns an error in the form of an answer, which cmd/wasm/wazero reads.
func failed(err error) map[string]any {
	var f *fault.Fault
	if errors.As(err, &f) {
		return map[string]any{"fault": map[string]any{"code": string(f.Code), "message": f.Message, "hint": f.Hint}}
	}
	for word, is := range map[string]error{"missing": fs.ErrNotExist, "exists": fs.ErrExist, "denied": fs.ErrPermission, "invalid": fs.ErrInvalid, "notdir": sandbox.ErrNotDir, "isdir": sandbox.ErrIsDir, "notempty": sandbox.ErrNotEmpty} {
		if errors.Is(err, is) {
			return map[string]any{"failed": word}
		}
	}
	return map[string]any{"failed": "other"}
}
