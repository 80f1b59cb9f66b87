package jstool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"golem/core/fault"
)

// SourceSection is the name of the custom section with the Sources of a linked module.
const sourceSection = "golem.source"

// Sources are the files that a module was linked from, as the section golem.source has them.
type Sources struct {
	// Files are the SHA-256 (hex) of the files by their names in the tool's folder; "" for a
	// file that was looked for and was not there.
	Files map[string]string `json:"files"`
}

// SourcesOf returns what the section golem.source of a module says; nil if it has none.
func SourcesOf(module []byte) *Sources {
	sections, err := split(module)
	if err != nil {
		return nil
	}
	for _, s := range sections {
		r := reader{rest: s.body}
		if s.id != 0 || string(r.bytes(r.unsigned())) != sourceSection {
			continue
		}
		out := new(Sources)
		if json.Unmarshal(r.rest, out) != nil || len(out.Files) == 0 {
			return nil
		}
		return out
	}
	return nil
}

// Fit reports whether the files of a folder are those that the module was linked from.
func (s *Sources) Fit(folder fs.FS) bool {
	if len(s.Files) > maxFiles {
		return false
	}
	for name, sum := range s.Files {
		data, err := readSource(folder, name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && sum == "":
		case err != nil, digestOf(data) != sum:
			return false
		}
	}
	return true
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// sources are the files of a tool that were read so far.
type sources struct {
	folder fs.FS
	dir    string             // the folder's path, for errors
	files  map[string]*string // nil: there is no such file
	sums   map[string]string  // the SHA-256 of each file; "": there is no such file
	size   int
	failed error // the first error of add in answer
}

func (s *sources) add(name string) error {
	data, err := readSource(s.folder, name)
	shown := path.Join(s.dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.files[name], s.sums[name] = nil, ""
		return nil
	case err != nil:
		var in *fs.PathError
		if errors.As(err, &in) {
			err = in.Err // the path in it is that of the platform
		}
		var told *fault.Fault
		if errors.As(err, &told) { // of the folder, such as a limit on its files
			return fault.New(fault.ToolModule, "the source %s cannot be read: %s", shown, told.Message).Hinting("%s", told.Hint).At(shown, 0, 0)
		}
		return fault.New(fault.ToolModule, "the source %s cannot be read: %w", shown, err).
			Hinting("a source is a file in the tool's folder, and a link does not lead out of it").At(shown, 0, 0)
	}
	if s.size += len(data); s.size > MaxSources {
		return tooLarge(shown)
	}
	if len(s.files) >= maxFiles {
		return fault.New(fault.ToolModule, "the source imports more than %d files", maxFiles).Hinting("join some of them").At(shown, 0, 0)
	}
	s.sums[name] = digestOf(data)
	text := strings.ToValidUTF8(strings.TrimPrefix(string(data), "\ufeff"), "\ufffd")
	s.files[name] = &text
	return nil
}

// readSource reads a file of at most one byte more than the sources may have. It looks at the
// file before it opens it, because to open a FIFO could wait for ever.
func readSource(folder fs.FS, name string) ([]byte, error) {
	if stat, ok := folder.(fs.StatFS); ok {
		if info, err := stat.Stat(name); err == nil && !info.Mode().IsRegular() {
			return nil, errNotRegular
		}
	}
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	return io.ReadAll(io.LimitReader(f, MaxSources+1))
}

var errNotRegular = errors.New("it is not a regular file")

// answer reads the files that the linker asks for, in the form of golem_call: it calls read with
// {names}, and gets {files: {name: text, or null for one that is not there}}, or an error.
func (s *sources) answer(_ context.Context, name string, args []byte) []byte {
	var asked struct{ Names []string }
	if err := json.Unmarshal(args, &asked); err != nil || name != "read" {
		return fault.New(fault.UnknownTool, "the linker of JavaScript sources has no %s", fault.Quoted(name)).Result()
	}
	out := map[string]*string{}
	for _, n := range asked.Names {
		if _, known := s.files[n]; !known && s.failed == nil {
			s.failed = s.add(n)
		}
		out[n] = s.files[n]
	}
	if s.failed != nil { // ask returns it whole
		return fault.New(fault.ToolModule, "a source cannot be read").Result()
	}
	data, _ := json.Marshal(map[string]any{"files": out}) // it has only texts
	return data
}

// linkerAnswer is what the linker returns.
type linkerAnswer struct {
	Archive archive `json:"archive"`
	Error   *struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	} `json:"error"`
}

// ask runs the linker, which reads the source and what it imports.
func (s *sources) ask(ctx context.Context, run Run, linker []byte, entry string) (archive, error) {
	var a linkerAnswer
	input, err := json.Marshal(map[string]any{"params": map[string]any{"name": "link", "arguments": map[string]any{"entry": entry}}})
	if err != nil {
		return a.Archive, err
	}
	out, err := run(ctx, linker, "call", input, s.answer)
	if s.failed != nil {
		return a.Archive, s.failed
	}
	if err != nil { // of the linker itself: the sources are too deep or too much for it
		f := *fault.Of(err, fault.ToolModule)
		f.Message = "the source cannot be read: " + f.Message
		return a.Archive, f.At(path.Join(s.dir, entry), 0, 0).Because(err)
	}
	var result struct {
		Content json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return a.Archive, err
	}
	if err := json.Unmarshal(result.Content, &a); err != nil {
		return a.Archive, err
	}
	if w := a.Error; w != nil {
		return a.Archive, fault.New(fault.ToolModule, "%s", w.Message).Hinting("%s", w.Hint).At(path.Join(s.dir, w.File), w.Line, w.Column)
	}
	return a.Archive, nil
}

// list returns the files that were read as the content of the section golem.source.
func (s *sources) list() json.RawMessage {
	data, _ := json.Marshal(Sources{Files: s.sums}) // it has only texts
	return bytes.Clone(data)
}
