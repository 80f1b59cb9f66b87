package core

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/worktest"
)

// Bounds of the files that come with a case that is made of a run.
const (
	maxAttached  = 1 << 20   // bytes of an attached file that is not in the project
	maxCaseFile  = 64 << 10  // bytes of a file in a case
	maxCaseFiles = 256 << 10 // bytes of all files in a case
	maxLooked    = 20_000    // files of the project that are compared with an attached one
)

// attach gives a case the files that went with the first message of its run: those of the
// project that are the same, else copies. It returns them as the run gets them.
func (t *Tests) attach(c *worktest.NewCase, files []conversation.File) (in []run.File, err error) {
	for _, f := range files {
		if f.Resource {
			return nil, fault.New(fault.Attachment, "the input of %s had the resource %s of an MCP server, which a case cannot have", c.Run, f.Name).
				Hinting("write the case yourself with attach:, and record it with golem test --record")
		}
		data := []byte(t.red.Redact(string(f.Data)))
		text := utf8.Valid(f.Data) && bytes.IndexByte(f.Data, 0) < 0
		kind := tool.MediaType(data)
		at := t.inProject(f.Name, data)
		switch {
		case !text && !bytes.Equal(data, f.Data):
			return nil, fault.New(fault.Attachment, "the attached file %s of %s has a secret, and is not a text from which it could be removed", f.Name, c.Run)
		case at != "":
		case len(data) > maxAttached:
			return nil, fault.New(fault.Attachment, "the attached file %s of %s has %d bytes and is not in the project; golem copies up to %d", f.Name, c.Run, len(data), maxAttached).
				Hinting("put the file into the project under this name")
		case !text && kind == "application/octet-stream":
			return nil, fault.New(fault.Attachment, "the attached file %s of %s is of an unknown type and is not in the project", f.Name, c.Run).
				Hinting("put the file into the project under this name")
		default:
			sum := sha256.Sum256(data)
			at = path.Join(worktest.Attached, hex.EncodeToString(sum[:]), f.Name)
			copied := worktest.AcceptedFile{Path: at, Text: string(data)}
			if !text {
				copied.Text, copied.Data = fmt.Sprintf("(%s, %d bytes)", kind, len(data)), data
			}
			c.Beside = append(c.Beside, copied)
		}
		c.Attach = append(c.Attach, at)
		in = append(in, run.File{Name: f.Name, Data: data})
	}
	return in, nil
}

// inProject returns the path of a file of the project with a name and a content; "" if there is
// none.
func (t *Tests) inProject(name string, data []byte) (found string) {
	looked := 0
	_ = fs.WalkDir(t.of.options.Files, ".", func(at string, d fs.DirEntry, err error) error {
		looked++
		switch {
		case looked > maxLooked:
			return fs.SkipAll
		case err != nil:
			return nil
		case d.IsDir() && at != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular() || d.Name() != name || sandbox.Secret(at):
			return nil
		}
		if has, err := sandbox.ReadFile(t.of.options.Files, at, int64(len(data))+1); err == nil && bytes.Equal(has, data) {
			found = at
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// earlier are the files that a run, and those after it, have changed.
type earlier struct {
	before  map[string]string // the texts of those that have another content now than before the run
	made    []string          // those that were not there before, and are now
	changed []string          // those that the run itself changed, ordered
}

// earlierThan returns what was changed since a run began, as far as golem keeps it.
func (t *Tests) earlierThan(ctx context.Context, id string) (earlier, error) {
	out := earlier{before: map[string]string{}}
	undo := t.of.Undo()
	if !undo.Kept() {
		return out, nil
	}
	files, err := undo.Since(ctx, id)
	if err != nil {
		return out, err
	}
	size := 0
	for _, f := range files {
		if f.ByRun {
			out.changed = append(out.changed, f.Name)
		}
		if f.Undone {
			continue
		}
		now, err := sandbox.ReadFile(t.of.options.Files, f.Name, maxCaseFile+1)
		switch there := err == nil; {
		case f.Missing && there:
			out.made = append(out.made, f.Name)
		case f.Missing || there && bytes.Equal(now, f.Data) || sandbox.Secret(f.Name):
		case !isText(f.Data) || len(f.Data) > maxCaseFile || size+len(f.Data) > maxCaseFiles:
		default:
			size += len(f.Data)
			out.before[f.Name] = t.red.Redact(string(f.Data))
		}
	}
	slices.Sort(out.made)
	slices.Sort(out.changed)
	return out, nil
}

func isText(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }

// addChangedTexts gives a case the texts of the files that its run changed, as they are afterwards in a
// tree. Files that are large, no text, or have a secret are left out.
func (t *Tests) addChangedTexts(c *worktest.NewCase, changed []string, tree fs.FS) {
	c.After = map[string]*string{}
	size := 0
	for _, name := range changed {
		data, err := sandbox.ReadFile(tree, name, maxCaseFile+1)
		text := string(data)
		switch {
		case sandbox.Secret(name):
		case err != nil:
			if _, err := fs.Stat(tree, name); err != nil {
				c.After[name] = nil
			}
		case !isText(data) || len(data) > maxCaseFile || size+len(data) > maxCaseFiles || t.red.Redact(text) != text:
		default:
			size += len(data)
			c.After[name] = &text
		}
	}
}
