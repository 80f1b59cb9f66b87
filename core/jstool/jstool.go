// Package jstool makes tool modules of JavaScript and TypeScript sources (SPEC §6): a tool is
// golem's JavaScript engine, which is a module itself, with the sources in it. So a source
// passes the same guard, fuel, grants and trace as every other module, natively and in the
// page, without a compiler. Types are taken off, imports joined and descriptions made by the
// linker, which runs in the engine, too.
package jstool

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golem/core/config"
	"golem/core/fault"
)

// Engine is the JavaScript engine as a platform has it. Both parts belong together: make
// jsengine builds them.
type Engine struct {
	Module  []byte // QuickJS-NG as a module, with an empty slot for an archive
	Linker  []byte // the linker, compiled by this engine
	Version string // a digest of both
}

// Limits of a tool's sources.
const (
	MaxSources = 1 << 20 // bytes, with all imports: the size of the engine's slot
	maxFiles   = 1000

	linkTime = 30 * time.Second // how long linking may take
)

// ErrNoTools is in the chain of the fault of a source that exports no tools: it can only be
// imported.
var ErrNoTools = errors.New("no tools")

// toolsSection is the section in which golem looks for the description of a module.
const toolsSection = "golem.tools"

// Run calls an export of a module without any grant: "call" or "describe", in the form that
// mcp.run's servlets have. answer answers what the module asks with golem_call, in JSON; with nil
// it can call nothing.
type Run func(ctx context.Context, module []byte, export string, input []byte, answer Answering) ([]byte, error)

// Answering answers a call of golem_call with JSON.
type Answering = func(ctx context.Context, name string, args []byte) []byte

// IsSource reports whether a file may be the source of a tool.
func IsSource(name string) bool { return config.IsToolSource(path.Base(name)) }

// archive is what the engine runs: plain JavaScript, without types.
type archive struct {
	Entry    string                       `json:"entry"`
	Files    map[string]string            `json:"files"`
	Tools    []map[string]json.RawMessage `json:"tools,omitempty"` // made from types; empty: the entry exports them
	Compiled bool                         `json:"compiled,omitempty"`
}

// Link returns the module of a tool. entry is the path of its source, as errors show it; folder
// has the files of the source's directory and below it. The same sources give the same bytes.
// A mistake in a source is E_TOOL_MODULE with its place.
func (e Engine) Link(ctx context.Context, run Run, entry string, folder fs.FS) ([]byte, error) {
	l := e.link(ctx, run, entry, folder)
	return e.built(l, entry)
}

// linked is what linking found out about a source; the module is made of it.
type linked struct {
	Archive json.RawMessage `json:"archive"`
	Tools   json.RawMessage `json:"tools,omitempty"` // the description; none: the source has no tools
	Sources json.RawMessage `json:"sources"`         // the files that were read, see Sources
	err     error
}

// built returns the module of what was linked.
func (e Engine) built(l linked, entry string) ([]byte, error) {
	if l.err != nil {
		return nil, l.err
	}
	if len(l.Tools) == 0 {
		return nil, noTools(entry)
	}
	module, err := withSlot(e.Module, l.Archive)
	if err != nil {
		return nil, err
	}
	return withCustom(withCustom(module, toolsSection, l.Tools), sourceSection, l.Sources), nil
}

func noTools(entry string) error {
	return fault.New(fault.ToolContract, "%s exports %w: it has neither a list named tools nor a function with types", entry, ErrNoTools).
		Hinting("write the types of an exported function, in TypeScript or as @param {TYPE} NAME in a comment above it; or export const tools = [{name, description, inputSchema}]").
		At(entry, 0, 0)
}

// link reads and links the sources of a tool.
func (e Engine) link(ctx context.Context, run Run, entry string, folder fs.FS) (l linked) {
	s := sources{folder: folder, dir: path.Dir(entry), files: map[string]*string{}, sums: map[string]string{}}
	defer func() { l.Sources = s.list() }()
	ctx, cancel := context.WithTimeoutCause(ctx, linkTime, fault.New(fault.Timeout, "linking the source and its imports took longer than %v", linkTime).
		Hinting("run fewer programs beside golem, or give the tool less source: leave out what it does not need").At(entry, 0, 0))
	defer cancel()
	a, err := e.joined(ctx, run, &s, entry)
	if err != nil {
		return linked{err: err}
	}
	if l.Archive, err = slotted(a, nil); err != nil {
		return linked{err: err}
	}
	module, err := withSlot(e.Module, l.Archive)
	if err == nil {
		l.Tools, err = described(ctx, run, entry, a, module)
	}
	l.err = err
	return l
}

// joined returns the archive of a source with all that it imports.
func (e Engine) joined(ctx context.Context, run Run, s *sources, entry string) (archive, error) {
	var none archive
	slot, err := slotted(archive{Entry: "link.js", Files: map[string]string{}, Compiled: true}, e.Linker)
	if err != nil {
		return none, err
	}
	linker, err := withSlot(e.Module, slot)
	if err != nil {
		return none, err
	}
	name := path.Base(entry)
	if err := s.add(name); err != nil {
		return none, err
	}
	if s.files[name] == nil {
		return none, fault.New(fault.NotFound, "%s: there is no such file", entry).At(entry, 0, 0)
	}
	return s.ask(ctx, run, linker, name)
}

// slotted returns the content of the engine's slot: an archive, and compiled code behind it.
func slotted(a archive, compiled []byte) ([]byte, error) {
	data, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	if compiled != nil {
		data = append(append(data, 0), compiled...)
	}
	if len(data) > MaxSources {
		return nil, tooLarge(a.Entry)
	}
	return data, nil
}

func tooLarge(entry string) error {
	return fault.New(fault.ToolModule, "the sources of %s have more than %d bytes with their imports", entry, MaxSources).
		Hinting("leave out what the tool does not need, or make several tools").At(entry, 0, 0)
}

// stackLine is the place in a line of a stack trace.
var stackLine = regexp.MustCompile(`(?m)^    at .*?([^ ()]+):(\d+):(\d+)\)?$`)

// loading returns the fault of a source that fails at its top level, at the place that the
// stack trace names first.
func loading(why *fault.Fault, entry string, a archive) *fault.Fault {
	f := *why
	what, stack, _ := strings.Cut(f.Message, "\n")
	f.Message = "the source fails when it is loaded: " + what
	for _, at := range stackLine.FindAllStringSubmatch(stack, -1) {
		line, _ := strconv.Atoi(at[2])
		column, _ := strconv.Atoi(at[3])
		if _, ours := a.Files[at[1]]; ours {
			return f.At(path.Join(path.Dir(entry), at[1]), line, column)
		}
	}
	return f.At(entry, 0, 0)
}

// described returns the description of a linked tool as the JSON of its section: from its
// types, or from the list that it exports; none if it has neither.
func described(ctx context.Context, run Run, entry string, a archive, module []byte) ([]byte, error) {
	if len(a.Tools) == 0 {
		out, err := run(ctx, module, "describe", nil, nil)
		if err != nil {
			return nil, loading(fault.Of(err, fault.Tool), entry, a)
		}
		var list struct {
			Tools []json.RawMessage `json:"tools"`
		}
		if json.Unmarshal(out, &list) != nil || len(list.Tools) == 0 {
			return nil, nil
		}
		return out, nil
	}
	tools := make([]map[string]json.RawMessage, len(a.Tools))
	for i, t := range a.Tools {
		tools[i] = maps.Clone(t)
		delete(tools[i], "positional") // only the engine needs it
	}
	return json.Marshal(map[string]any{"tools": tools})
}
