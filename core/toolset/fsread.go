package toolset

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"strings"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

type readArgs struct {
	Path   string `json:"path" jsonschema:"path in the sandbox, like /notes/a.md"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line to read, from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many lines"`
}

func (r *readArgs) where() *string { return &r.Path }

// read reads a part of a text file line by line, so that the file need not fit in memory.
func (f *files) read(ctx context.Context, _ string, in readArgs) (out tool.Output, err error) {
	switch {
	case in.Offset < 0:
		return out, fault.New(fault.ToolInput, "/offset: lines are counted from 1").Hinting("leave offset out to read from the first line")
	case in.Limit < 0:
		return out, fault.New(fault.ToolInput, "/limit: a negative number of lines cannot be read").Hinting("leave limit out to read as many lines as fit")
	}
	return f.reading(ctx, in.Path, func(r *bufio.Reader, path string) (string, error) {
		return f.lines(r, path, max(in.Offset, 1), in.Limit)
	})
}

type readCharactersArgs struct {
	Path   string `json:"path" jsonschema:"path in the sandbox, like /notes/a.md"`
	Offset int    `json:"offset,omitempty" jsonschema:"how many characters to skip"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many characters"`
}

func (r *readCharactersArgs) where() *string { return &r.Path }

// readCharacters is read for a worker whose offsets count characters.
func (f *files) readCharacters(ctx context.Context, _ string, in readCharactersArgs) (out tool.Output, err error) {
	switch {
	case in.Offset < 0:
		return out, fault.New(fault.ToolInput, "/offset: a negative number of characters cannot be skipped").Hinting("leave offset out to read from the first character")
	case in.Limit < 0:
		return out, fault.New(fault.ToolInput, "/limit: a negative number of characters cannot be read").Hinting("leave limit out to read as many characters as fit")
	}
	return f.reading(ctx, in.Path, func(r *bufio.Reader, path string) (string, error) {
		return f.characters(r, path, in.Offset, in.Limit)
	})
}

// reading opens a file and gives it to part if it is text.
func (f *files) reading(ctx context.Context, at string, part func(r *bufio.Reader, path string) (string, error)) (out tool.Output, err error) {
	name, err := sandbox.Clean(at)
	if err != nil {
		return out, err
	}
	file, err := f.fs.Open(name)
	if err != nil {
		return out, explain(err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return out, explain(err)
	}
	if info.IsDir() {
		return out, fault.New(fault.NotFound, "%s is a directory", sandbox.Abs(name)).Hinting("use list_files")
	}
	r := bufio.NewReaderSize(patient(ctx, file), 64<<10)
	start, err := r.Peek(sample)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return out, explain(err)
	}
	if !isText(start) {
		return f.notText(name, start, info.Size())
	}
	if f.buffers != nil && info.Size() <= maxFile {
		if disk, err := sandbox.ReadFile(f.fs, name, maxFile); err == nil {
			if shown, source := f.unsaved(ctx, name, disk); source != "" {
				r = bufio.NewReader(bytes.NewReader(shown))
			}
		}
	}
	text, err := part(r, sandbox.Abs(name))
	return tool.Output{Text: text}, err
}

// maxPart is the largest image or PDF that a model gets, in bytes.
const maxPart = 5_000_000

// notText returns the type and size of a file that is not text. It adds an image or a PDF as
// a part; the row of the provider says whether the model gets it.
func (f *files) notText(name string, start []byte, size int64) (tool.Output, error) {
	if encoding := tool.Encoding(start); encoding != "" {
		return tool.Text("%s is text in %s, %d bytes, and only UTF-8 text can be read: attach it, or convert it to UTF-8", sandbox.Abs(name), encoding, size), nil
	}
	kind := tool.MediaType(start)
	out := tool.Text("%s is not a text file: %s, %d bytes", sandbox.Abs(name), kind, size)
	part := tool.Part{Type: "resource", MIME: kind, Name: path.Base(name)}
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		part.Type = "image"
	case "application/pdf":
	default:
		return out, nil
	}
	if size > maxPart {
		out.Text += fmt.Sprintf("; a model is given at most %d bytes", maxPart)
		return out, nil
	}
	data, err := sandbox.ReadFile(f.fs, name, maxPart)
	if err != nil {
		return tool.Output{}, explain(err)
	}
	part.Data = data
	out.Parts = []tool.Part{part}
	return out, nil
}

// maxLine is how many bytes of one line are read into a result.
const maxLine = 1 << 20

// readFunc is a function that implements io.Reader.
type readFunc func(b []byte) (int, error)

// Read calls the function.
func (f readFunc) Read(b []byte) (int, error) { return f(b) }

// patient returns a reader that fails when ctx ends, so that reading a long file can be
// stopped.
func patient(ctx context.Context, r io.Reader) io.Reader {
	return readFunc(func(b []byte) (int, error) {
		if err := pause(ctx); err != nil {
			return 0, err
		}
		return r.Read(b)
	})
}

// pause lets other goroutines and timers run, which a platform with one thread needs, and
// returns an error if the call was stopped.
func pause(ctx context.Context) error {
	runtime.Gosched()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// lines returns the lines from number first on: at most limit lines (0: no limit), and as
// many as fit in a result.
func (f *files) lines(r *bufio.Reader, path string, first, limit int) (string, error) {
	var b strings.Builder
	room := f.limit - 200 // the rest is for the line that says how to read on
	for n := 1; n < first; n++ {
		found, err := skipLine(r)
		switch {
		case err != nil:
			return "", explain(err)
		case !found:
			return "", tooFar(path, n-1)
		}
	}
	for n := first; ; n++ {
		most := room
		if b.Len() == 0 {
			most = maxLine // the first line may be longer than a page; the caller pages the result
		}
		line, err := readLine(r, most)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", explain(err)
		}
		if line == "" && err != nil {
			if n == first && first > 1 {
				return "", tooFar(path, n-1)
			}
			return b.String(), nil
		}
		line = strings.ToValidUTF8(line, "\uFFFD")
		if limit > 0 && n-first >= limit || b.Len() > 0 && b.Len()+len(line) > room {
			return b.String() + fmt.Sprintf("[more: go on with offset %d]", n), nil
		}
		b.WriteString(line)
	}
}

// characters skips characters and returns those that follow: at most limit (0: no limit),
// and as many as fit in a result. A byte that is not UTF-8 counts as one character.
func (f *files) characters(r *bufio.Reader, path string, skip, limit int) (string, error) {
	var b strings.Builder
	room := f.limit - 200 // the rest is for the line that says how to read on
	for n := 0; ; n++ {
		c, size, err := r.ReadRune()
		switch {
		case errors.Is(err, io.EOF) && n < skip:
			return "", fault.New(fault.ToolInput, "%s has only %s", path, fault.Count(n, "character")).Hinting("offset is how many characters to skip")
		case errors.Is(err, io.EOF):
			return b.String(), nil
		case err != nil:
			return "", explain(err)
		case n < skip:
		case limit > 0 && n-skip >= limit || b.Len()+size > room:
			return b.String() + fmt.Sprintf("\n[more: go on with offset %d]", n), nil
		default:
			b.WriteRune(c)
		}
	}
}

func tooFar(path string, lines int) error {
	return fault.New(fault.ToolInput, "%s has only %s", path, fault.Count(lines, "line")).Hinting("offset counts lines from 1")
}

// skipLine reads one line and drops it; found is false at the end of the file.
func skipLine(r *bufio.Reader) (found bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		found = found || len(part) > 0
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return found, nil
		}
		return found, err
	}
}

// readLine reads one line with its line end. If the line has more than most bytes, it
// returns the beginning with a note and skips the rest.
func readLine(r *bufio.Reader, most int) (string, error) {
	var line []byte
	cut := 0
	for {
		part, err := r.ReadSlice('\n')
		if keep := min(len(part), most-len(line)); keep > 0 {
			line = append(line, part[:keep]...)
			part = part[keep:]
		}
		cut += len(part)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if cut > 0 {
			for len(line) > 0 && !utf8.Valid(line[max(0, len(line)-utf8.UTFMax):]) && len(line) > most-utf8.UTFMax {
				line = line[:len(line)-1]
			}
			return string(line) + fmt.Sprintf(" [line cut: %d more bytes]\n", cut), err
		}
		return string(line), err
	}
}

// sample is how many bytes of a file isText gets.
const sample = 3072

// isText reports whether the start of a file is text: UTF-8 without NUL. The last
// character may be incomplete.
func isText(start []byte) bool {
	for i := 0; i < len(start); {
		r, size := utf8.DecodeRune(start[i:])
		if r == utf8.RuneError && size == 1 {
			return !utf8.FullRune(start[i:])
		}
		if r == 0 {
			return false
		}
		i += size
	}
	return true
}
