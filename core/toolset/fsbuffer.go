package toolset

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"golem/core/sandbox"
)

// Buffers are the files that a person has open in an editor, maybe with changes that are not
// saved. Its methods must be safe for concurrent use.
type Buffers interface {
	// Read returns the text of a file as the editor shows it. source is its real path, with
	// slashes. ok is false if the editor cannot tell: then the file on the disk counts.
	Read(ctx context.Context, source string) (text string, ok bool)
	// Write gives the editor the new text of a file, which is on the disk already.
	Write(ctx context.Context, source, text string) error
}

// FilesystemBeside makes the built-in toolset for a platform with an editor: read_file,
// write_file and edit_file work on what the editor shows. buffers may be nil.
func FilesystemBeside(buffers Buffers) Factory { return filesystem(buffers) }

// unsaved returns the text of a file in the editor, if it is not that on the disk, with the line
// ends and the byte order mark of the disk. source is "" if the text on the disk counts. The
// view has read the file, so that nothing is asked about a file that the worker does not see.
func (f *files) unsaved(ctx context.Context, name string, disk []byte) (text []byte, source string) {
	if f.buffers == nil || !utf8.Valid(disk) || !isText(disk) {
		return nil, ""
	}
	at, err := sandbox.PlaceOf(f.fs, name)
	if err != nil || at.Staged {
		return nil, ""
	}
	if source = sandbox.SourceAt(f.fs, name); source == "" {
		return nil, ""
	}
	shown, ok := f.buffers.Read(ctx, source)
	if !ok || len(shown) > maxFile || !utf8.ValidString(shown) || !isText([]byte(shown)) {
		return nil, ""
	}
	mark, body := "", string(disk)
	if rest, has := strings.CutPrefix(body, bom); has {
		mark, body = bom, rest
	}
	shown = strings.TrimPrefix(shown, bom)
	if lf(shown) == lf(body) {
		return nil, ""
	}
	if dos := strings.Count(body, "\r\n"); dos > 0 && dos == strings.Count(body, "\n") {
		shown = crlf(shown)
	}
	return []byte(mark + shown), source
}

// updateEditor gives the editor what was written to a file that it has open with unsaved changes.
func (f *files) updateEditor(ctx context.Context, source, text string) error {
	if source == "" {
		return nil
	}
	return f.buffers.Write(ctx, source, strings.TrimPrefix(text, bom))
}

// warn tells the person something.
func (f *files) warn(text string) {
	if f.run != nil {
		f.run.Log("warn", text)
	}
}

// buffered is the content of a file for a change: that of the editor, if it is not saved.
type buffered struct {
	data   []byte
	digest string
	source string // "" if the data is that on the disk
}

// shownNow returns a file's content as the person sees it, and its digest. Both are empty if it
// does not exist.
func (f *files) shownNow(ctx context.Context, name string) (b buffered, err error) {
	if b.data, b.digest, err = f.current(name); err != nil || b.digest == "" {
		return b, err
	}
	if text, source := f.unsaved(ctx, name, b.data); source != "" && !bytes.Equal(text, b.data) {
		b.data, b.digest, b.source = text, digestOf(text), source
	}
	return b, nil
}
