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

// method is a function that the page may call. It returns a result that is sent as JSON, bytes
// or nil, and an error that is sent as a fault.
type method func(c *call) (result any, data []byte, err error)

// onParams decodes the parameters of a call for a method.
func onParams[P any](do func(c *call, params P) (any, []byte, error)) method {
	return func(c *call) (any, []byte, error) {
		var params P
		if err := c.decode(&params); err != nil {
			return nil, nil, err
		}
		return do(c, params)
	}
}

// onData is onParams for a method that also gets the bytes that came with the message.
func onData[P any](do func(c *call, params P, data []byte) (any, []byte, error)) method {
	return onParams(func(c *call, params P) (any, []byte, error) {
		data, err := given(c)
		if err != nil {
			return nil, nil, err
		}
		return do(c, params, data)
	})
}

// onFiles opens the files of the project that a call names.
func onFiles(do func(c *call, n named, fsys *opfs.FS) (any, []byte, error)) method {
	return func(c *call) (any, []byte, error) {
		n, fsys, err := target(c)
		if err != nil {
			return nil, nil, err
		}
		return do(c, n, fsys)
	}
}

// onProject opens the project that a call names.
func onProject(do func(c *call, o opened) (any, []byte, error)) method {
	return func(c *call) (any, []byte, error) {
		o, err := instance(c)
		if err != nil {
			return nil, nil, err
		}
		return do(c, o)
	}
}

// onFaulty does the same, and also opens a project that has faults.
func onFaulty(do func(c *call, o opened) (any, []byte, error)) method {
	return func(c *call) (any, []byte, error) {
		o, err := instance(c)
		if o.inst == nil {
			return nil, nil, err
		}
		return do(c, o)
	}
}

// methods has the functions that the page may call, by name.
var methods = map[string]method{
	"hello":     hello,
	"list":      listProjects,
	"create":    onParams(create),
	"init":      onParams(initProject),
	"remove":    onParams(removeProject),
	"rename":    onParams(renameProject),
	"importZip": onData(importZip),
	"exportZip": onFiles(exportZip),

	"inspectPack": onData(inspectPack),
	"importPack":  onData(importPack),
	"exportPack":  onProject(exportPack),

	"files":   onFiles(listFiles),
	"read":    onFiles(readFile),
	"write":   onData(writeFile),
	"delete":  deleteFile,
	"move":    onParams(moveFile),
	"runs":    onFiles(listRuns),
	"readRun": readRun,

	"wholeTrace": onParams(wholeTrace),
	"otlp":       onData(exportOTLP),
	"prompts":    readPrompts,

	"conversations":      onState(listConversations),
	"conversation":       onState(readConversation),
	"renameConversation": onState(renameConversation),
	"exportConversation": onState(exportConversation),
	"removeConversation": onState(removeConversation),
	"moveConversation":   onParams(moveConversation),
	"importConversation": onData(importConversation),

	"open":    onFaulty(openProject),
	"check":   onFaulty(check),
	"workers": onFaulty(listWorkers),
	"offers":  onProject(listOffers),
	"models":  onFaulty(listModels),

	"test":      onParams(testProject),
	"describe":  onProject(describe),
	"plan":      onProject(plan),
	"tree":      onFaulty(callTree),
	"harden":    onParams(hardenWorker),
	"accept":    onParams(acceptRuns),
	"clearance": onParams(decideItem),
	"undo":      onParams(undoRun),
	"batches":   onParams(batches),

	"libraries":      listLibraries,
	"installLibrary": onParams(installLibrary),
	"removeLibrary":  onParams(removeLibrary),
	"lockLibraries":  onParams(lockLibraries),
	"addTool":        addTool,

	"trust":  onFaulty(showTrust),
	"rules":  onParams(keptRules),
	"config": onParams(checkConfig),
	"run":    runProject,
	"batch":  onParams(runBatch),
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
	Search  string `json:"search"` // words, for conversations
	Title   string `json:"title"`  // of a conversation

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

// lockProject takes the lock of a project that a message names, so that no other tab can change the
// project until release is called. It fails with E_BUSY if another tab has it.
func (c *call) lockProject(project string) (release func(), err error) {
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

// createAsked has the parameters of create.
type createAsked struct {
	Project string            `json:"project"`
	Texts   map[string]string `json:"texts"`
	Names   []string          `json:"names"` // of the bytes, in order
}

// create makes a project from files: texts in the parameters, and bytes that came with
// the message.
func create(c *call, n createAsked) (any, []byte, error) {
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

// initAsked has the parameters of initProject.
type initAsked struct {
	Project  string `json:"project"`
	Template string `json:"template"`
}

// initProject makes a project from a template.
func initProject(c *call, n initAsked) (any, []byte, error) {
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

func removeProject(c *call, n named) (any, []byte, error) {
	return nil, nil, c.server.stores.remove(n.Project)
}

func importZip(c *call, n named, data []byte) (any, []byte, error) {
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

func exportZip(c *call, n named, fsys *opfs.FS) (any, []byte, error) {
	if n.Repository {
		data, err := workspace.ZipRepository(workspace.Over(fsys))
		return nil, data, err
	}
	data, err := workspace.Zip(workspace.Over(fsys), nil)
	return nil, data, err
}
