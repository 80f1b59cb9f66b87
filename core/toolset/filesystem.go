package toolset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"reflect"
	"sync"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// Filesystem makes the built-in toolset for Env.Files (S0-22, S0-46). Every tool takes
// virtual paths and shows absolute ones; none reaches a file outside Env.Files.
func Filesystem() Factory { return filesystem(nil) }

func filesystem(buffers Buffers) Factory {
	return Factory{
		Name:    "filesystem",
		Options: func() any { return new(filesystemOptions) },
		Open: func(_ context.Context, env Env, options any) (tool.Toolset, error) {
			if env.Files == nil {
				return nil, fault.New(fault.Config, "the toolset filesystem of worker %s needs a sandbox, and the worker has none", env.Worker)
			}
			f := &files{fs: env.Files, limit: max(env.OutputLimit, 4096), run: env.Run, buffers: buffers}
			o, _ := options.(*filesystemOptions)
			switch o.Offset {
			case "", "lines":
			case "characters":
				f.characterOffsets = true
			default:
				return nil, fault.New(fault.Config, "toolsets.filesystem.offset is %q", o.Offset).Hinting("write lines or characters")
			}
			return f.tools(), nil
		},
	}
}

// filesystemOptions are the keys of toolsets.filesystem.
type filesystemOptions struct {
	// Offset says what read_file counts: "" and lines: lines; characters: characters. The two
	// have schemas of their own, so that the other one's recordings keep their keys.
	Offset string `json:"offset"`
}

// files is the state of one worker's filesystem tools.
type files struct {
	fs    sandbox.FS
	limit int // bytes of one result
	// characterOffsets: read_file counts characters, not lines.
	characterOffsets bool
	looks            looks
	run              Run     // nil: outside a run
	buffers          Buffers // nil: no editor has files open
}

// maxFile is the largest file that is read or changed as a whole, in bytes.
const maxFile = 16 << 20

func (f *files) tools() Tools {
	var read tool.Tool = fileTool("read_file", tool.Read, descRead, f.read, reading[readArgs](f))
	if f.characterOffsets {
		read = fileTool("read_file", tool.Read, descReadCharacters, f.readCharacters, reading[readCharactersArgs](f))
	}
	return Tools{
		read,
		fileTool("list_files", tool.Read, descList, f.list, f.previewList),
		fileTool("search_files", tool.Read, descSearch, f.search, f.previewSearch),
		fileTool("file_info", tool.Read, "Tells type, size and time of a file or directory.", f.info, reading[pathArgs](f)),
		fileTool("file_exists", tool.Read, "Tells whether a path exists: true or false.", f.exists, reading[pathArgs](f)),
		idempotent(fileTool("write_file", tool.Write, descWrite, f.write, f.previewWrite)),
		fileTool("edit_file", tool.Write, descEdit, f.edit, f.previewEdit),
		fileTool("move_file", tool.Write, descMove, f.move, f.previewMove),
		idempotent(fileTool("make_directory", tool.Write, "Makes a directory and its missing parents.", f.mkdir, f.previewMkdir)),
		fileTool("delete_file", tool.Destructive, "Deletes a file or an empty directory.", f.remove, f.previewRemove),
	}
}

const (
	descRead           = "Reads a text file. Long files come in parts: the last line says how to read on. offset is the first line (from 1), limit the number of lines. Of a file that is not text it tells type and size; an image or a PDF is given to be looked at, where the model can."
	descReadCharacters = "Reads a text file. Long files come in parts: the last line says how to read on. offset is how many characters to skip, limit the number of characters. Of a file that is not text it tells type and size; an image or a PDF is given to be looked at, where the model can."

	descList   = "Lists a directory, sorted; directories end in /. recursive lists everything below; glob (like **/*.md) keeps what matches."
	descSearch = "Searches text files below path for a regular expression (RE2) and shows the lines it is found in. glob keeps files that match, context adds lines around each hit."
	descWrite  = "Writes a text file, replacing it if it exists and making missing directories."
	descEdit   = "Replaces old by new in a text file. old must be in the file exactly once, unless replace_all is true."
	descMove   = "Moves or renames a file or directory, replacing a file at the new place."
)

// use is a preview function: it makes the paths in the arguments canonical and returns what
// a call would do. id is the call's.
type use[In any] func(id string, in *In) (tool.Preview, error)

// fsTool is one tool of the set: a typed function and its preview.
type fsTool[In any] struct {
	spec    tool.Spec
	run     func(ctx context.Context, id string, in In) (tool.Output, error)
	preview use[In]
}

// idempotent returns a tool whose second call with the same arguments changes nothing more.
func idempotent[In any](t *fsTool[In]) *fsTool[In] {
	t.spec.Idempotent = true
	return t
}

func fileTool[In any](name string, risk tool.Risk, description string,
	run func(context.Context, string, In) (tool.Output, error), preview use[In]) *fsTool[In] {
	return &fsTool[In]{spec: fileSpec(name, risk, description, reflect.TypeFor[In]()), run: run, preview: preview}
}

// fileSpec returns the metadata of a tool of the set, whose arguments have the type in.
func fileSpec(name string, risk tool.Risk, description string, in reflect.Type) tool.Spec {
	rule := "sandbox.write"
	if risk == tool.Read {
		rule = "sandbox.read"
	}
	return tool.Spec{
		Name: name, Description: description, Risk: risk, Toolset: "filesystem", Provider: "builtin",
		Rules: []string{rule}, Input: schemaOf(in),
	}
}

// Spec returns the tool's metadata.
func (t *fsTool[In]) Spec() tool.Spec { return t.spec }

// Call decodes the arguments and runs the function. The call's id connects a
// write with its preview.
func (t *fsTool[In]) Call(ctx context.Context, c tool.Call) (tool.Output, error) {
	var in In
	if err := c.Args.Into(t.spec.Name, &in); err != nil {
		return tool.Output{}, err
	}
	return t.run(ctx, c.ID, in)
}

// Preview returns the arguments with canonical paths, and what the call would do.
func (t *fsTool[In]) Preview(_ context.Context, c tool.Call) (tool.Preview, error) {
	var in In
	if err := c.Args.Into(t.spec.Name, &in); err != nil {
		return tool.Preview{}, err
	}
	p, err := t.preview(c.ID, &in)
	if err != nil {
		return p, err
	}
	p.Args, err = c.Args.With(&in)
	return p, err
}

var schemas sync.Map // type of the arguments → json.RawMessage; inferring takes a while

// schemaOf infers the schema of a type of arguments once a program.
func schemaOf(of reflect.Type) json.RawMessage {
	if s, ok := schemas.Load(of); ok {
		raw, _ := s.(json.RawMessage)
		return raw
	}
	s, _ := tool.InputOf(of) // the types of these arguments have one
	schemas.Store(of, s)
	return s
}

type pathArgs struct {
	Path string `json:"path" jsonschema:"path in the sandbox, like /notes/a.md"`
}

// pather is an argument struct with one path.
type pather interface{ where() *string }

func (p *pathArgs) where() *string { return &p.Path }

// reading returns the preview of a tool that reads at one path.
func reading[In any, P interface {
	*In
	pather
}](f *files) use[In] {
	return func(_ string, in *In) (tool.Preview, error) { return f.touch("read", P(in).where()) }
}

// readingAll is reading for a call that reads everything below the path, so it also returns
// the mounts there.
func (f *files) readingAll(at *string) (tool.Preview, error) {
	p, err := f.touch("read", at)
	if err == nil {
		p.Paths[0].Deep = true
		p.Paths = append(p.Paths, Below(f.fs, "read", nameOf(*at))...)
	}
	return p, err
}

// instructions is the name, as sandbox.Fold returns it, of files that workers are given as
// instructions (SPEC §21).
const instructions = "agents.md"

// touch makes a path canonical and returns a preview with the operation and the mount. If
// the path can never be written, it returns an error, so that nobody is asked.
func (f *files) touch(op string, at *string) (tool.Preview, error) {
	name, err := sandbox.Clean(*at)
	if err != nil {
		return tool.Preview{}, err
	}
	*at = sandbox.Abs(name)
	use := tool.PathUse{Op: op, Path: *at, Mount: sandbox.MountOf(f.fs, name)}
	if op != "read" {
		at, lost := sandbox.PlaceOf(f.fs, name) // a path outside all mounts is not staged
		use.Staged, use.Outside, use.Instructs = at.Staged, at.Outside || lost != nil, sandbox.Fold(path.Base(name)) == instructions
	}
	p := tool.Preview{Paths: []tool.PathUse{use}}
	if op == "write" {
		err = sandbox.ValidNew(name)
	}
	if err == nil && op != "read" {
		err = sandbox.CanWrite(f.fs, name)
	}
	if errors.Is(err, sandbox.ErrNotDir) { // on the disk CanWrite finds it, elsewhere only look
		return p, isFile(f.fileAbove(name))
	}
	if err != nil {
		return p, explain(err)
	}
	return p, nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// explain turns a file system's error into a fault with a remedy.
func explain(err error) error {
	var flt *fault.Fault
	if errors.As(err, &flt) {
		return flt
	}
	var pe *fs.PathError
	what := err.Error()
	if errors.As(err, &pe) {
		what = pe.Path + ": " + pe.Err.Error()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, sandbox.ErrNotDir):
		return fault.New(fault.NotFound, "%s", what).Hinting("list_files shows what is there")
	case errors.Is(err, fs.ErrExist):
		return fault.New(fault.Conflict, "%s", what).Hinting("choose another path, or delete what is there first")
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.ReadOnly, "%s", what)
	}
	return fault.New(fault.Tool, "%s", what).Hinting("file_info tells what is there")
}
