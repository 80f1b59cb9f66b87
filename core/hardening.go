package core

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/harden"
	"golem/core/jstool"
	"golem/core/money"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/trace"
	"golem/core/worktest"
)

// HardenRun says how a worker is hardened.
type HardenRun struct {
	Rounds int  // how often the model is asked at most; 0: 4
	Again  bool // the worker is hardened already
	// Person is asked whether the model's provider is trusted. nil: nobody is there.
	Person approval.Approver
	Watch  harden.Watcher // nil: nobody waits
}

// usualRounds is how often the model is asked, unless a person says otherwise.
const usualRounds = 4

// mostRounds is how often the model may be asked.
const mostRounds = 20

// Hardened is code that was written for a worker. Nothing is changed before Apply.
type Hardened struct {
	Report *harden.Report
	of     *Instance
	root   sandbox.FS
	files  map[string][]byte // that Apply writes, by name
	was    map[string][]byte // what they have now; nil: there is no such file
}

// Harden lets a model write code that takes the place of a worker, and says how good it is (SPEC
// §18). It changes no file of the project.
func (i *Instance) Harden(ctx context.Context, worker string, how HardenRun) (*Hardened, error) {
	if _, err := i.project.Workers.Find(worker); errors.Is(err, fault.NotFound) { // a person may write the key first, to say what the code may do
		o := i.options
		o.noModuleYet = true
		if i, err = Open(i.platform, o); err != nil {
			return nil, err
		}
	}
	h, err := i.hardening(ctx, worker, how)
	if err != nil {
		return nil, err
	}
	distinct, conflicts, left, err := h.examples(ctx)
	if err != nil {
		return nil, err
	}
	h.cases, err = harden.Split(distinct)
	if err != nil {
		return nil, err
	}
	if known, err := h.known(ctx); known != nil || err != nil {
		if known != nil {
			known.Conflicts, known.LeftOut, known.Before = conflicts, left, beforeOf(distinct)
		}
		return &Hardened{Report: known}, err
	}
	writer, err := i.codeWriter(ctx, how)
	if err != nil {
		return nil, err
	}
	run := harden.Hardening{
		Worker: h.asked(), Cases: h.cases, Rounds: cmp.Or(how.Rounds, usualRounds), Source: h.currentCode(), Writer: writer, Linker: h, Watch: how.Watch,
	}
	report, err := run.Run(ctx)
	report.Conflicts, report.LeftOut, report.Before = conflicts, left, beforeOf(distinct)
	if err != nil {
		return nil, err
	}
	report.Warning, report.MayCall = report.Doubt(), run.Worker.Calls
	return h.result(ctx, report)
}

// hardening is a worker that is being hardened.
type hardening struct {
	of     *Instance
	how    HardenRun
	engine jstool.Engine
	worker *project.Worker
	root   sandbox.FS
	places harden.Places
	cases  harden.Cases
	text   []byte // of the worker file
	edited []byte
	lock   map[string]string // what tools.lock says; nil: there is none
	from   map[string]string
}

// hardening finds the worker and says what would be written.
func (i *Instance) hardening(ctx context.Context, worker string, how HardenRun) (*hardening, error) {
	root, ok := i.options.Files.(sandbox.FS)
	switch {
	case !ok:
		return nil, fault.New(fault.Platform, "the files of a packed project cannot be changed, so its workers cannot be hardened").Hinting("unpack the project first")
	case !i.platform.State.Kept():
		return nil, fault.New(fault.Platform, "golem keeps nothing of this project here, so a worker cannot be hardened").Hinting("set GOLEM_HOME to a directory outside the project")
	}
	w, err := i.project.Workers.Find(worker)
	if err != nil {
		return nil, err
	}
	switch {
	case w.Source != "project":
		return nil, fault.New(fault.Usage, "only a worker of the project can be hardened, and %s is of %s", w.ID, w.Source).Hinting("copy it into the project, and harden the copy")
	case w.Mode == "chat":
		return nil, fault.New(fault.Usage, "%s has mode: chat, so its answers depend on what was said before", w.ID).Hinting("harden a worker that answers once")
	case w.Hardened != nil && !w.Hardened.Missing && !how.Again:
		return nil, fault.New(fault.Usage, "%s is hardened already", w.ID).Hinting("golem harden %s --again goes on from its code, with the inputs that the worker answered since", w.ID)
	case (w.Hardened == nil || w.Hardened.Missing) && how.Again:
		return nil, fault.New(fault.Usage, "%s is not hardened yet", w.ID).Hinting("leave --again out")
	}
	if how.Rounds < 0 || how.Rounds > mostRounds {
		return nil, fault.New(fault.Usage, "rounds: %d is not between 1 and %d", how.Rounds, mostRounds)
	}
	if i.platform.JavaScript == nil {
		return nil, fault.New(fault.Platform, "this platform cannot run JavaScript, and hardened code is JavaScript")
	}
	engine, err := i.platform.JavaScript.Engine(ctx)
	if err != nil {
		return nil, err
	}
	h := &hardening{of: i, how: how, engine: engine, worker: w, root: root}
	module := ""
	if w.Hardened != nil {
		module = w.Hardened.Module.Path
	}
	h.places = harden.PlacesOf(w.File, w.ID, firstRoot(i.project.Manifest.WorkersRoots), module)
	if h.text, err = sandbox.ReadFile(root, w.File, config.MaxFile); err != nil {
		return nil, fault.Of(err, fault.NotFound)
	}
	if h.edited = h.text; w.Hardened == nil {
		if h.edited, err = harden.Edit(w.File, h.text, harden.Rights{Module: h.places.Module}); err != nil {
			return nil, err
		}
	}
	var faults fault.List
	h.lock, h.from, faults = i.project.Modules.Lock()
	return h, faults.Err()
}

func firstRoot(roots []string) string {
	if len(roots) == 0 {
		return "workers"
	}
	return roots[0]
}

// examples returns the cases of the worker: those of its tests and of genuine conversations.
func (h *hardening) examples(ctx context.Context) (distinct []worktest.Example, conflicts []worktest.Conflict, left []worktest.LeftOut, err error) {
	tests, err := h.of.Tests()
	if err != nil {
		return nil, nil, nil, err
	}
	all, left, err := tests.Examples(ctx, h.worker.ID)
	if err != nil {
		return nil, nil, nil, err
	}
	kept, without := worktest.FromConversations(h.of.Conversations(), h.worker.ID, h.worker.Input != nil)
	distinct, conflicts = worktest.Distinct(append(all, kept...))
	return distinct, conflicts, append(left, without...), nil
}

// beforeOf returns what a call of the worker cost where that is known.
func beforeOf(cases []worktest.Example) (c harden.Cost) {
	var cost trace.Usage
	timed := int64(0)
	for _, e := range cases {
		if e.MS > 0 {
			c.MS, timed = c.MS+e.MS, timed+1
		}
		if u := e.Usage; u.In+u.Out > 0 {
			c.Calls++
			cost.In, cost.Out, cost.Cost = cost.In+u.In, cost.Out+u.Out, cost.Cost.Plus(u.Cost)
			c.Unpriced = c.Unpriced || u.CostPartial
		}
	}
	if c.Calls > 0 {
		c.MS /= max(timed, 1)
		c.In, c.Out, c.Cost = cost.In/c.Calls, cost.Out/c.Calls, cost.Cost/money.USD(c.Calls)
	}
	return c
}

// asked returns what the model is told of the worker.
func (h *hardening) asked() harden.Worker {
	w := h.worker
	out := harden.Worker{ID: w.ID, Tool: tool.ToolName(w.ID), Description: w.Description, Instructions: w.Instructions, Input: w.Input, Output: w.Output}
	if w.Hardened != nil {
		out.Files, out.Calls = w.Hardened.Files, w.Hardened.Calls
	}
	return out
}

// currentCode returns the code that the worker has; "" if it has none.
func (h *hardening) currentCode() string {
	if h.worker.Hardened == nil {
		return ""
	}
	data, err := sandbox.ReadFile(h.root, h.places.Source, jstool.MaxSources)
	if err != nil {
		return "" // it was written by other means: the model begins anew
	}
	return string(data)
}

// filesFor returns the files that a source and its module make of the project.
func (h *hardening) filesFor(source string, module []byte) (map[string][]byte, error) {
	list, err := harden.ListOf(module, h.cases).Encode()
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{h.places.Source: []byte(source), h.places.Module: module, h.places.Cases(): list}
	if string(h.edited) != string(h.text) {
		out[h.places.Worker] = h.edited
	}
	if h.lock != nil {
		digests := map[string]string{h.places.Module: sha256Of(module)}
		for name, d := range h.lock {
			if name != h.places.Module {
				digests[name] = d
			}
		}
		out[config.ToolLockFile] = config.EncodeToolLock(digests, h.from)
	}
	return out, nil
}

// result keeps the draft in .golem/harden, and returns what Apply would write.
func (h *hardening) result(ctx context.Context, report *harden.Report) (*Hardened, error) {
	out := &Hardened{Report: report, of: h.of, root: h.root, was: map[string][]byte{}}
	if report.Source == "" {
		return out, nil
	}
	whole, module, err := h.link(ctx, report.Source)
	if err != nil {
		return nil, err
	}
	report.Source = whole
	if out.files, err = h.filesFor(whole, module); err != nil {
		return nil, err
	}
	report.Files = sortedNames(out.files)
	report.Draft = sha256Of(append([]byte(whole), h.edited...))
	for _, name := range report.Files {
		data, err := sandbox.ReadFile(h.root, name, largestModule)
		switch {
		case err == nil:
			out.was[name] = data
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fault.Of(err, fault.Path)
		}
	}
	if was := out.was[h.places.Worker]; out.files[h.places.Worker] != nil && string(was) != string(h.text) {
		return nil, fault.New(fault.Conflict, "%s has changed since it was read", h.places.Worker).Hinting("give the command again")
	}
	return out, h.draft(whole, module)
}

// draft keeps the source and its module in .golem/harden, for a person to look at.
func (h *hardening) draft(source string, module []byte) error {
	files, dir := h.of.platform.State.Files, "harden/"+tool.ToolName(h.worker.ID)
	err := sandbox.MkdirAll(files, dir, 0o700)
	if err == nil {
		err = files.WriteFile(dir+"/tool.js", []byte(source))
	}
	if err == nil {
		err = files.WriteFile(dir+"/"+tool.ToolName(h.worker.ID)+".wasm", module)
	}
	if err != nil {
		return fault.Of(err, fault.Path)
	}
	return nil
}

// Apply writes the source, the module and the worker file, all or none. It fails with E_CONFLICT
// if one of them was changed since Harden read it.
func (h *Hardened) Apply(ctx context.Context) error {
	if len(h.files) == 0 {
		return fault.New(fault.Usage, "there is nothing to apply")
	}
	store := &h.of.platform.State
	release, err := store.Hold(ctx, harden.Lock)
	if err != nil {
		return err
	}
	defer release()
	if err := (harden.Journal{Root: h.root, State: store}).Write(h.files, h.was); err != nil {
		return fault.Of(err, fault.Path)
	}
	h.Report.Applied = true
	return nil
}

// codeWriter asks the built-in worker harden.
type codeWriter struct {
	of     *Instance
	worker *project.Worker
	gate   *approval.Gate
	front  quietFront
}

// codeWriter finds the worker that writes code, and asks the person what its model needs.
func (i *Instance) codeWriter(ctx context.Context, how HardenRun) (*codeWriter, error) {
	w, err := i.project.Workers.InFile("builtin:harden.worker") // not one of that name in the project
	if err != nil {
		return nil, err
	}
	var person approval.Approver = nobodyThere{}
	if how.Person != nil {
		person = how.Person
	}
	c := &codeWriter{i, w, i.gate(person, nil), quietFront{trace.Sinks{}}}
	_, err = i.consent.Before(ctx, w, c.gate, c.front)
	return c, err
}

// link returns the whole source of what a model wrote, and its module.
func (h *hardening) link(ctx context.Context, written string) (source string, module []byte, err error) {
	if source, err = harden.Whole(h.asked(), written); err != nil {
		return "", nil, harden.Broken{Err: err}
	}
	folder := sandbox.Memory()
	if err = folder.WriteFile(path.Base(h.places.Source), []byte(source)); err != nil {
		return "", nil, harden.Broken{Err: err}
	}
	library, err := h.of.library()
	if err == nil && library == nil {
		err = fault.New(fault.Platform, "this platform cannot run tool modules")
	}
	if err != nil {
		return "", nil, harden.Broken{Err: err}
	}
	module, err = h.engine.Link(ctx, library.Ungranted, h.places.Source, folder)
	return source, module, err
}

// largestModule is the size of the largest module that golem runs, in bytes (guard.MaxSize).
const largestModule = 32 << 20

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func sortedNames(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }
