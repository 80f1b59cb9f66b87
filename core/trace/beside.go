package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"golem/core/fault"
)

// Long texts are stored in files beside the trace, in the folder that TextsDir
// names. A file's name is the SHA-256 of its text, so a text that occurs
// several times is stored once, and a reader can check that it is complete.
const (
	textSuffix = ".txt"  // a string, as UTF-8
	jsonSuffix = ".json" // any other value

	maxBeside = 256 << 20 // bytes that one run stores
	maxInline = 256 << 20 // bytes that one reading puts back
)

// TextsDir returns the name of the folder for the long texts of a trace file: RUN.d
// for RUN.jsonl.
func TextsDir(file string) string {
	stem, ok := strings.CutSuffix(file, ".jsonl")
	if !ok || stem == "" || strings.HasSuffix(stem, "/") {
		stem = file
	}
	return stem + ".d"
}

// isText reports whether a file name in a TextsDir is one that a trace uses.
func isText(name string) bool {
	sum, ok := strings.CutSuffix(name, textSuffix)
	if !ok {
		sum, ok = strings.CutSuffix(name, jsonSuffix)
	}
	return ok && isDigest(sum)
}

func isDigest(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == sha256.Size && strings.ToLower(s) == s
}

// Texts reads a long text of size bytes from a TextsDir. name is a file name,
// not a path. If the text is missing it returns an error; the reader itself
// checks the content.
type Texts interface {
	Text(name string, size int64) ([]byte, error)
}

// Files stores files that go with a trace: long texts, artifacts. Put writes one file and
// replaces an existing one.
type Files interface {
	Put(name string, data []byte) error
}

// Inline copies a trace and puts its long texts back into the lines, so that
// the copy is complete without the TextsDir. Texts that are missing, and an
// incomplete last line, are copied as they are. Errors are E_CONFIG and name
// the line, or come from the writer.
func Inline(w io.Writer, r io.Reader, texts Texts) error {
	t, err := newReader(r)
	if err != nil {
		return err
	}
	in := &inliner{texts: texts, room: maxInline}
	line, whole := t.buf, true // the header
	for {
		if whole {
			line = append(in.line(bytes.TrimSuffix(line, []byte{'\n'})), '\n')
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		line, whole, err = t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// inliner puts long texts back into lines.
type inliner struct {
	texts Texts // nil: there are none
	room  int64 // bytes that may still be put back

	last cutString // the last text that was read, because an answer often occurs in several lines
	json []byte    // the same text in JSON form
}

// line returns the line with its texts put back; it may be the same slice.
func (in *inliner) line(src []byte) []byte {
	if in == nil || in.texts == nil || !bytes.Contains(src, []byte(`"cut"`)) && !bytes.Contains(src, []byte(keyMark)) {
		return src
	}
	var dst []byte
	for i := 0; i < len(src); {
		end := i + 1
		var whole []byte
		switch src[i] {
		case '"':
			end = stringEnd(src, i)
			if isKey(src, end) {
				whole = in.key(src[i:end])
			}
		case '{':
			if c, e, ok := asCut(src, i); ok {
				if whole = in.text(c); whole != nil {
					end = e
				}
			}
		}
		if whole == nil {
			whole = src[i:end]
		}
		dst = append(dst, whole...)
		i = end
	}
	return dst
}

// key returns the long key that raw stands for, or nil if raw is not such a
// key.
func (in *inliner) key(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(keyMark)) {
		return nil
	}
	name := unquote(raw)
	at := strings.LastIndex(name, keyMark)
	if at < 0 {
		return nil
	}
	return in.read(cutString{Cut: -1, SHA256: name[at+len(keyMark):]})
}

// text returns the text in JSON form, or nil if it is missing.
func (in *inliner) text(c cutString) []byte {
	if c.Cut < 0 {
		return nil
	}
	return in.read(c)
}

// read reads a text and checks its digest. A Cut of -1 means that the size is
// unknown.
func (in *inliner) read(c cutString) []byte {
	if !isDigest(c.SHA256) || c.Cut > in.room {
		return nil
	}
	c.Head = ""
	if c != in.last || in.json == nil {
		size := c.Cut
		if size < 0 {
			size = min(in.room, maxBeside)
		}
		data, err := in.texts.Text(c.name(), size)
		sum := sha256.Sum256(data)
		if err != nil || c.Cut >= 0 && int64(len(data)) != c.Cut || hex.EncodeToString(sum[:]) != c.SHA256 || c.JSON && !json.Valid(data) {
			return nil
		}
		in.last, in.json = c, data
		if !c.JSON {
			in.json = quote(nil, string(data))
		}
	}
	in.room -= int64(len(in.json))
	return in.json
}

// keeper stores the long texts of one run, each once.
type keeper struct {
	max   int64 // bytes
	files Files
	kept  map[string]bool
	bytes int64
}

// putText stores a text, unless it is stored already. It returns E_LIMIT if the
// run has stored too many bytes.
func (k *keeper) putText(t taken) error {
	if k.kept[t.name] {
		return nil
	}
	if k.bytes+int64(len(t.text)) > k.max {
		return fault.New(fault.Limit, "the long texts of this run have more than %d bytes", k.max).
			Hinting("from here on the trace has only the first %d bytes of each long text", headBytes)
	}
	if err := k.files.Put(t.name, []byte(t.text)); err != nil {
		return err
	}
	if k.kept == nil {
		k.kept = map[string]bool{}
	}
	k.kept[t.name] = true
	k.bytes += int64(len(t.text))
	return nil
}
