package batch

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Input is what one item is about: a text, an object, or a file that is attached.
type Input struct {
	Line int             `json:"line"` // in the file of inputs, from 1; of files their number
	Text string          `json:"text,omitempty"`
	JSON json.RawMessage `json:"json,omitempty"` // an object
	Row  bool            `json:"row,omitempty"`  // JSON is a row of a table: all its values are texts
	File string          `json:"file,omitempty"` // the path below the directory of inputs
	// Sum is the SHA-256 (hex) of the file's content.
	Sum string `json:"file_sha256,omitempty"`
}

// Bounds of one input and of their number.
const (
	MostBytes = 16 << 20  // of a line or row
	mostFile  = 64 << 20  // of a file
	mostItems = 1_000_000 // of a batch
)

// digest returns the SHA-256 (hex) of the input: of a text's bytes, of an object as compact
// JSON, of a file's content.
func (in Input) digest() string {
	switch {
	case in.File != "":
		return in.Sum
	case len(in.JSON) > 0:
		return sum(in.JSON)
	}
	return sum([]byte(in.Text))
}

// ReadLines reads inputs in JSON Lines: each line is a text or an object. Empty lines are left
// out. yield gets each input; its error ends the reading.
func ReadLines(r io.Reader, yield func(Input) error) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return wrongLine(n, err)
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			in, err := lineInput(line)
			if err != nil {
				return wrongLine(n, err)
			}
			in.Line = n
			if err := yield(in); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

func wrongLine(n int, err error) error {
	f := fault.Of(err, fault.Usage)
	return fault.New(f.Code, "line %d of the inputs: %s", n, f.Message).Hinting("%s", f.Hint)
}

// readLine returns a line without its end; io.EOF comes with the last one.
func readLine(r *bufio.Reader) ([]byte, error) {
	var out []byte
	for {
		part, err := r.ReadSlice('\n')
		out = append(out, part...)
		if len(out) > MostBytes {
			return nil, fault.New(fault.Limit, "it has more than %d bytes (%d MiB)", MostBytes, MostBytes>>20).Hinting("put the long part into a file, and give a directory of files as inputs")
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(out, "\r\n"), err
		}
	}
}

// lineInput returns the input of a JSON line.
func lineInput(line []byte) (in Input, err error) {
	if !utf8.Valid(line) {
		return in, fault.New(fault.Usage, "it is not valid UTF-8").Hinting("save the file as UTF-8")
	}
	var syntax *json.SyntaxError
	var value any
	if err := json.Unmarshal(line, &value); errors.As(err, &syntax) {
		return in, fault.New(fault.Usage, "it is not JSON: %s (byte %d)", syntax.Error(), syntax.Offset).Hinting(`a line is a text in quotes, "like this", or an object, {"like": "this"}`)
	} else if err != nil {
		return in, fault.New(fault.Usage, "it is not JSON: %s", err)
	}
	switch value := value.(type) {
	case string:
		in.Text = value
		if strings.TrimSpace(value) == "" {
			return in, fault.New(fault.Usage, "the text is empty")
		}
	case map[string]any:
		var compact bytes.Buffer
		if err := json.Compact(&compact, line); err != nil {
			return in, err
		}
		in.JSON = compact.Bytes()
	default:
		return in, fault.New(fault.Usage, "it is neither a text nor an object: %s", fault.Brief(string(line))).Hinting(`a line is a text in quotes, "like this", or an object, {"like": "this"}`)
	}
	return in, nil
}

// ReadTable reads inputs in CSV (RFC 4180): the first line has the names of the fields, each
// other row is an object of texts.
func ReadTable(r io.Reader, yield func(Input) error) error {
	rows := csv.NewReader(bufio.NewReaderSize(r, 64<<10))
	rows.FieldsPerRecord = -1
	head, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return fault.New(fault.Usage, "the table of inputs is empty").Hinting("its first line has the names of the fields")
	}
	if err != nil {
		return tableFault(err)
	}
	head[0] = strings.TrimPrefix(head[0], "\ufeff")
	if err := checkHead(head); err != nil {
		return err
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return tableFault(err)
		}
		line, _ := rows.FieldPos(0)
		in, err := rowInput(head, row)
		if err != nil {
			return wrongLine(line, err)
		}
		in.Line = line
		if err := yield(in); err != nil {
			return err
		}
	}
}

func checkHead(head []string) error {
	seen := map[string]bool{}
	for n, name := range head {
		switch {
		case strings.TrimSpace(name) == "":
			return wrongLine(1, fault.New(fault.Usage, "field %d has no name", n+1).Hinting("the first line of a table has the names of its fields"))
		case !utf8.ValidString(name):
			return wrongLine(1, fault.New(fault.Usage, "it is not valid UTF-8").Hinting("save the file as UTF-8"))
		case seen[name]:
			return wrongLine(1, fault.New(fault.Usage, "two fields have the name %s", fault.Quoted(name)))
		}
		seen[name] = true
	}
	return nil
}

// rowInput returns a row as an object whose fields are in the order of the table.
func rowInput(head, row []string) (in Input, err error) {
	if len(row) != len(head) {
		return in, fault.New(fault.Usage, "it has %s, and the first line names %d", fault.Count(len(row), "field"), len(head)).Hinting("a field with a comma or a line break stands in double quotes")
	}
	out := []byte{'{'}
	for n, value := range row {
		if !utf8.ValidString(value) {
			return in, fault.New(fault.Usage, "it is not valid UTF-8").Hinting("save the file as UTF-8")
		}
		for i, text := range []string{head[n], value} {
			data, err := json.Marshal(text)
			if err != nil {
				return in, err
			}
			if i == 0 && n > 0 {
				out = append(out, ',')
			}
			if out = append(out, data...); i == 0 {
				out = append(out, ':')
			}
		}
		if len(out) > MostBytes {
			return in, fault.New(fault.Limit, "it has more than %d bytes", MostBytes)
		}
	}
	in.JSON, in.Row = append(out, '}'), true
	return in, nil
}

func tableFault(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fault.New(fault.Usage, "line %d of the inputs, column %d: %s", parse.StartLine, parse.Column, parse.Err).
			Hinting("the table is CSV: a field with a comma, a quote or a line break stands in double quotes, and a quote in it is doubled")
	}
	return fault.Of(err, fault.Usage)
}

// ReadFiles reads the files of a directory, sorted by path, each as an input that is attached.
// Names that begin with a dot are left out, and links are not followed.
func ReadFiles(dir fs.FS, yield func(Input) error) error {
	n := 0
	return fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fault.Of(err, fault.Usage)
		case name != "." && strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.HasPrefix(d.Name(), "."):
			return nil
		}
		if err := sandbox.Valid(name); err != nil {
			return fault.New(fault.Path, "an input cannot be attached: %s", fault.Of(err, fault.Path).Message).Hinting("rename the file, and begin again")
		}
		n++
		digest, err := fileDigest(dir, name)
		if err != nil {
			return err
		}
		return yield(Input{Line: n, File: name, Sum: digest})
	})
}

func fileDigest(dir fs.FS, name string) (string, error) {
	data, err := sandbox.ReadFile(dir, name, mostFile)
	if err != nil {
		return "", fault.New(fault.Usage, "the input %s cannot be read: %s", name, fault.Of(err, fault.Usage).Message)
	}
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:]), nil
}

// Content returns the content of an input that is a file. A file that changed since the batch
// read it is E_CONFLICT.
func (in Input) Content(dir fs.FS) ([]byte, error) {
	if dir == nil {
		return nil, fault.New(fault.NotFound, "the directory of the inputs is not there any more")
	}
	data, err := sandbox.ReadFile(dir, in.File, mostFile)
	if err != nil {
		return nil, fault.New(fault.NotFound, "the input %s cannot be read: %s", in.File, fault.Of(err, fault.NotFound).Message)
	}
	if sum(data) != in.Sum {
		return nil, fault.New(fault.Conflict, "the input %s has changed since the batch began", in.File).Hinting("put it back, or start another batch with --name").InPage("", "put it back, or start another batch")
	}
	return data, nil
}

// String returns the input for a list, on one line.
func (in Input) String() string {
	switch {
	case in.File != "":
		return in.File
	case len(in.JSON) > 0:
		return fault.Brief(string(in.JSON))
	}
	return fmt.Sprintf("%q", fault.Brief(in.Text))
}
