package main

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"syscall/js"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/sandbox"
	"golem/core/toolset/web"
	"golem/core/workspace"
	"golem/sandbox/opfs"
)

// methods has the functions that the page may call, by name. Each returns a result that is
// sent as JSON, bytes or nil, and an error that is sent as a fault.
var methods = map[string]func(c *call) (result any, data []byte, err error){
	"hello":     hello,
	"list":      listProjects,
	"create":    create,
	"init":      initProject,
	"remove":    removeProject,
	"rename":    renameProject,
	"importZip": importZip,
	"exportZip": exportZip,

	"inspectPack": inspectPack,
	"importPack":  importPack,
	"exportPack":  exportPack,

	"files":   listFiles,
	"read":    readFile,
	"write":   writeFile,
	"delete":  deleteFile,
	"move":    moveFile,
	"runs":    listRuns,
	"readRun": readRun,

	"wholeTrace": wholeTrace,
	"otlp":       exportOTLP,
	"prompts":    readPrompts,

	"conversations":      listConversations,
	"conversation":       readConversation,
	"renameConversation": renameConversation,
	"exportConversation": exportConversation,
	"removeConversation": removeConversation,
	"moveConversation":   moveConversation,
	"importConversation": importConversation,

	"open":    openProject,
	"check":   check,
	"workers": listWorkers,
	"offers":  listOffers,
	"models":  listModels,

	"test":      testProject,
	"describe":  describe,
	"plan":      plan,
	"tree":      callTree,
	"harden":    hardenWorker,
	"accept":    acceptRuns,
	"clearance": decideItem,
	"undo":      undoRun,
	"batches":   batches,

	"libraries":      listLibraries,
	"installLibrary": installLibrary,
	"removeLibrary":  removeLibrary,
	"lockLibraries":  lockLibraries,
	"addTool":        addTool,

	"trust":  showTrust,
	"rules":  keptRules,
	"config": checkConfig,
	"run":    runProject,
	"batch":  runBatch,
	"chat":   chatProject,
	"call":   callTool,
}

// provider is a row of the table of model providers, as the page's settings show it.
type provider struct {
	Name    string `json:"name"`
	KeyVar  string `json:"keyVar"`
	NoKey   bool   `json:"noKey"`
	BaseURL string `json:"baseURL"`
}

func hello(c *call) (any, []byte, error) {
	if _, err := c.server.stores.open(); err != nil {
		return nil, nil, err
	}
	var rows []provider
	for _, r := range model.Rows() {
		rows = append(rows, provider{r.Name, r.KeyVar, r.NoKey, r.BaseURL})
	}
	return map[string]any{"version": version, "commit": commit, "date": date, "providers": rows, "searches": web.Providers(), "templates": workspace.Templates(), "kept": c.server.stores.outlive()}, nil, nil
}

type named struct {
	Project string `json:"project"`
	Path    string `json:"path"`
	To      string `json:"to"`
	Name    string `json:"name"`

	From int64   `json:"from"` // of a part of a file
	Size int64   `json:"size"` // 0: up to its end
	Base *string `json:"base"` // for a write: the text that the file must have now

	Repository bool `json:"repository"` // .git is in the zip too
}

// target decodes the parameters and opens the project they name.
func target(c *call) (named, *opfs.FS, error) {
	var n named
	if err := c.decode(&n); err != nil {
		return n, nil, err
	}
	fsys, err := c.server.stores.project(n.Project)
	return n, fsys, err
}

// file is like target, and returns the cleaned path of the message, checked by editable.
func file(c *call) (string, *opfs.FS, error) {
	n, fsys, err := target(c)
	if err != nil {
		return "", nil, err
	}
	name, err := editable(n.Path)
	return name, fsys, err
}

// editable cleans a path. It refuses the project's root and golem's own state (E_PROTECTED).
func editable(name string) (string, error) {
	name, err := sandbox.Clean(name)
	if err == nil && (name == "." || sandbox.Within(sandbox.Fold(name), sandbox.StateDir)) {
		err = fault.New(fault.Protected, "%s is reserved for golem", sandbox.Abs(name))
	}
	return name, err
}

// notGit refuses a path in .git, which only git and a push may change (E_PROTECTED).
func notGit(name string) error {
	if workspace.InGit(name) {
		return fault.New(fault.Protected, "%s is reserved for git", sandbox.Abs(name))
	}
	return nil
}

// changing runs change on the file that a message names, while it holds the project's lock,
// so that no other tab can use the project.
func changing(c *call, change func(name string, fsys *opfs.FS) error) error {
	name, fsys, err := file(c)
	if err != nil {
		return err
	}
	if err := notGit(name); err != nil {
		return err
	}
	release, err := c.server.stores.hold(fsys)
	if err != nil {
		return err
	}
	defer release()
	return change(name, fsys)
}

// held takes the lock of a project that a message names, so that no other tab can change the
// project until release is called. It fails with E_BUSY if another tab has it.
func (c *call) held(project string) (release func(), err error) {
	fsys, err := c.server.stores.project(project)
	if err != nil {
		return nil, err
	}
	return c.server.stores.hold(fsys)
}

type listing struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
}

func listProjects(c *call) (any, []byte, error) {
	root, err := c.server.stores.open()
	if err != nil {
		return nil, nil, err
	}
	c.server.stores.finishRenaming(root)
	out := []listing{}
	entries, err := fs.ReadDir(root, projectsDir)
	if err != nil {
		return out, nil, nil // nothing was made yet
	}
	for _, e := range entries {
		if !e.IsDir() || projectName(e.Name()) != nil {
			continue
		}
		dir, err := c.server.stores.project(e.Name())
		if err != nil {
			continue // it was deleted meanwhile, or is incomplete
		}
		all, err := list(dir)
		if err != nil {
			continue
		}
		l := listing{Name: e.Name()}
		for i := range all.Length() {
			if f := all.Index(i); f.Get("dir").IsUndefined() {
				l.Files++
				l.Bytes += int64(f.Get("size").Float())
			}
		}
		out = append(out, l)
	}
	return out, nil, nil
}

// create makes a project from files: texts in the parameters, and bytes that came with
// the message.
func create(c *call) (any, []byte, error) {
	var n struct {
		Project string            `json:"project"`
		Texts   map[string]string `json:"texts"`
		Names   []string          `json:"names"` // of the bytes, in order
	}
	if err := c.decode(&n); err != nil {
		return nil, nil, err
	}
	if len(n.Names) > 0 && (c.bytes.Type() != js.TypeObject || c.bytes.Length() != len(n.Names)) {
		return nil, nil, fault.New(fault.Usage, "the content of the files is missing")
	}
	return nil, nil, c.server.stores.make(n.Project, func(dir *opfs.FS) error {
		for i, name := range slices.Sorted(maps.Keys(n.Texts)) {
			if err := c.put(dir, name, []byte(n.Texts[name]), i); err != nil {
				return err
			}
		}
		for i, name := range n.Names {
			if err := c.put(dir, name, jsbytes.Bytes(c.bytes.Index(i)), len(n.Texts)+i); err != nil {
				return err
			}
		}
		return nil
	})
}

// initProject makes a project from a template.
func initProject(c *call) (any, []byte, error) {
	var n struct {
		Project  string `json:"project"`
		Template string `json:"template"`
	}
	if err := c.decode(&n); err != nil {
		return nil, nil, err
	}
	return nil, nil, c.server.stores.make(n.Project, func(dir *opfs.FS) error {
		return workspace.Init(workspace.Over(dir), ".", n.Template)
	})
}

// put writes a file of a new project. before is the number of files that were written
// before; progress reports it. put leaves out golem's own state and the files of .git that
// workspace.Travels refuses.
func (c *call) put(dir *opfs.FS, name string, data []byte, before int) error {
	if err := c.progress(before); err != nil {
		return err
	}
	clean, err := sandbox.Clean(name)
	if err != nil || !workspace.Travels(clean, false) {
		return err
	}
	return dir.WriteFile(clean, workspace.Travelling(clean, data))
}

// progress tells the page how many files are written, every 20 files. It returns an error
// if the call was cancelled: then no more files are to be written.
func (c *call) progress(before int) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	if before%20 == 0 {
		c.post("progress", before)
	}
	return nil
}

func removeProject(c *call) (any, []byte, error) {
	n, _, err := target(c)
	if err != nil {
		return nil, nil, err
	}
	return nil, nil, c.server.stores.remove(n.Project)
}

func importZip(c *call) (any, []byte, error) {
	var n named
	if err := c.decode(&n); err != nil {
		return nil, nil, err
	}
	data, err := given(c)
	if err != nil {
		return nil, nil, err
	}
	unzip := workspace.Unzip
	if n.Repository {
		unzip = workspace.UnzipRepository
	}
	return nil, nil, c.server.stores.make(n.Project, func(dir *opfs.FS) error {
		done := 0
		return unzip(workspace.Over(dir.Telling(func() error { done++; return c.progress(done - 1) })), data)
	})
}

// given returns a copy of the bytes that came with the message.
func given(c *call) ([]byte, error) {
	if c.bytes.IsUndefined() || !c.bytes.InstanceOf(js.Global().Get("Uint8Array")) {
		return nil, fault.New(fault.Usage, "the content of the message is missing")
	}
	return jsbytes.Bytes(c.bytes), nil
}

func exportZip(c *call) (any, []byte, error) {
	n, fsys, err := target(c)
	if err != nil {
		return nil, nil, err
	}
	if n.Repository {
		data, err := workspace.ZipRepository(workspace.Over(fsys))
		return nil, data, err
	}
	data, err := workspace.Zip(workspace.Over(fsys), nil)
	return nil, data, err
}
