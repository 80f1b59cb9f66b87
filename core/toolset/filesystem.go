package toolset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"sync"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// Filesystem is the built-in toolset over the run's sandbox view (S0-22,
// S0-46). Every tool takes virtual paths and shows absolute ones; none reaches
// beyond the view.
func Filesystem() Factory {
	return Factory{
		Name:        "filesystem",
		Description: "reads and writes the files of the sandbox",
		Open: func(_ context.Context, env Env, _ any) (tool.Toolset, error) {
			if env.Files == nil {
				return nil, fault.New(fault.Config, "the worker %s has no sandbox for its filesystem toolset", env.Worker)
			}
			f := &files{fs: env.Files, env: env, limit: max(env.OutputLimit, 4096), seen: map[string]string{}}
			return f.tools(), nil
		},
	}
}

// files is the state of one worker's filesystem tools.
type files struct {
	fs    sandbox.FS
	env   Env
	limit int // bytes of one result

	mu   sync.Mutex
	seen map[string]string // call id → digest of the file its preview saw
}

// maxFile is the largest file that is read or changed as a whole, in bytes.
const maxFile = 16 << 20

func (f *files) tools() Tools {
	return Tools{
		fileTool(f, "read_file", tool.Read, descRead, f.read, pathUse[readArgs]("read")),
		fileTool(f, "list_files", tool.Read, descList, f.list, pathUse[listArgs]("read")),
		fileTool(f, "search_files", tool.Read, descSearch, f.search, pathUse[searchArgs]("read")),
		fileTool(f, "file_info", tool.Read, "Tells type, size and time of a file or directory.", f.info, pathUse[pathArgs]("read")),
		fileTool(f, "file_exists", tool.Read, "Tells whether a path exists: true or false.", f.exists, pathUse[pathArgs]("read")),
		fileTool(f, "write_file", tool.Write, descWrite, f.write, f.previewWrite),
		fileTool(f, "edit_file", tool.Write, descEdit, f.edit, f.previewEdit),
		fileTool(f, "move_file", tool.Write, descMove, f.move, previewMove),
		fileTool(f, "make_directory", tool.Write, "Makes a directory and its missing parents.", f.mkdir, pathUse[pathArgs]("write")),
		fileTool(f, "delete_file", tool.Destructive, "Deletes a file or an empty directory.", f.remove, f.previewRemove),
	}
}

const (
	descRead   = "Reads a text file. Long files come in parts: the last line says how to read on. offset is the first line (from 1), limit the number of lines. For a file that is not text it tells type and size."
	descList   = "Lists a directory, sorted; directories end in /. recursive lists everything below; glob (like **/*.md) keeps what matches."
	descSearch = "Searches text files below path for a regular expression (RE2) and shows the lines it is found in. glob keeps files that match, context adds lines around each hit."
	descWrite  = "Writes a text file, replacing it if it exists and making missing directories."
	descEdit   = "Replaces old by new in a text file. old must be in the file exactly once, unless replace_all is true."
	descMove   = "Moves or renames a file or directory, replacing a file at the new place."
)

// use says what a call would touch.
type use[In any] func(f *files, id string, in *In) (tool.Preview, error)

// fsTool is one tool of the set: a typed function and its preview.
type fsTool[In any] struct {
	tool.Tool
	files   *files
	preview use[In]
}

func fileTool[In any](f *files, name string, risk tool.Risk, description string,
	run func(context.Context, string, In) (tool.Output, error), preview use[In]) tool.Tool {
	rule := "sandbox.write"
	if risk == tool.Read {
		rule = "sandbox.read"
	}
	spec := tool.Spec{
		Name: name, Description: description, Risk: risk, Toolset: "filesystem", Provider: "builtin",
		Rules: []string{rule}, Input: schemaOf[In](name),
	}
	return &fsTool[In]{files: f, preview: preview, Tool: callTool[In]{spec, run}}
}

// callTool is tool.Func with the call's id, which ties a write to its preview.
type callTool[In any] struct {
	spec tool.Spec
	run  func(context.Context, string, In) (tool.Output, error)
}

// Spec is the tool's metadata.
func (c callTool[In]) Spec() tool.Spec { return c.spec }

// Call decodes the arguments and runs the function.
func (c callTool[In]) Call(ctx context.Context, call tool.Call) (tool.Output, error) {
	var in In
	if err := json.Unmarshal(call.Args, &in); err != nil {
		return tool.Output{}, fault.New(fault.ToolInput, "%s: %w", c.spec.Name, err)
	}
	return c.run(ctx, call.ID, in)
}

// Preview makes paths canonical and tells which the call uses.
func (t *fsTool[In]) Preview(_ context.Context, c tool.Call) (tool.Preview, error) {
	var in In
	if err := json.Unmarshal(c.Args, &in); err != nil {
		return tool.Preview{}, fault.New(fault.ToolInput, "%s: %w", c.Name, err)
	}
	p, err := t.preview(t.files, c.ID, &in)
	if err != nil {
		return p, err
	}
	p.Args, err = marshal(in)
	return p, err
}

// marshal is canonical enough for a preview: no HTML escapes in what people see.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

var schemas sync.Map // tool name → json.RawMessage; inferring takes a while

// schemaOf infers a schema once a program.
func schemaOf[In any](name string) json.RawMessage {
	if s, ok := schemas.Load(name); ok {
		raw, _ := s.(json.RawMessage)
		return raw
	}
	s := tool.Func(tool.Spec{}, func(context.Context, In) (tool.Output, error) { return tool.Output{}, nil }).Spec().Input
	schemas.Store(name, s)
	return s
}

type pathArgs struct {
	Path string `json:"path" jsonschema:"path in the sandbox, like /notes/a.md"`
}

// pather is an argument struct with one path.
type pather interface{ where() *string }

func (p *pathArgs) where() *string { return &p.Path }

// pathUse previews a call that uses its one path and no content.
func pathUse[In any, P interface {
	*In
	pather
}](op string) use[In] {
	return func(f *files, _ string, in *In) (tool.Preview, error) { return f.touch(op, P(in).where()) }
}

// touch makes a path canonical and tells its mount.
func (f *files) touch(op string, paths ...*string) (tool.Preview, error) {
	var p tool.Preview
	for _, at := range paths {
		name, err := sandbox.Clean(*at)
		if err != nil {
			return p, err
		}
		if op != "read" {
			if err := sandbox.CanWrite(f.fs, name); err != nil {
				return p, explain(err)
			}
		}
		*at = sandbox.Abs(name)
		use := tool.PathUse{Op: op, Path: *at}
		if f.env.Mounts != nil {
			use.Mount = f.env.Mounts(name)
		}
		p.Paths = append(p.Paths, use)
	}
	return p, nil
}

// expect remembers what a preview saw, so that the write can compare.
func (f *files) expect(id, digest string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.seen) > 1024 {
		clear(f.seen) // calls that were never made; what is lost is only a comparison that fails closed
	}
	f.seen[id] = digest
}

// unchanged compares a file with what the call's preview saw; a call that had
// none is its own first look.
func (f *files) unchanged(id, name, digest string) error {
	f.mu.Lock()
	saw, ok := f.seen[id]
	delete(f.seen, id)
	f.mu.Unlock()
	if ok && saw != digest {
		return fault.New(fault.Conflict, "%s changed while the call waited for approval; nothing was written", sandbox.Abs(name)).
			Hinting("read the file again and repeat the call")
	}
	return nil
}

// current is a file's content and digest; neither if it does not exist.
func (f *files) current(name string) (data []byte, digest string, err error) {
	data, err = sandbox.ReadFile(f.fs, name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", explain(err)
	}
	return data, digestOf(data), nil
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
	path := ""
	if errors.As(err, &pe) {
		what, path = pe.Err.Error(), pe.Path
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f := fault.New(fault.NotFound, "%s: %s", path, what)
		return f.Hinting("list_files shows what is there")
	case errors.Is(err, fs.ErrExist):
		return fault.New(fault.Conflict, "%s: %s", path, what).Hinting("choose another path, or delete what is there first")
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.ReadOnly, "%s: %s", path, what)
	}
	return fault.New(fault.Tool, "%s: %s", path, what).Hinting("file_info tells what is there")
}
