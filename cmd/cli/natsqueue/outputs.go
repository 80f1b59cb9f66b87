package natsqueue

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/sandbox"
)

// output is a file that an item wrote, and the object that has its content.
type output struct {
	Name   string `json:"name"` // below the directory of the item
	SHA256 string `json:"sha256"`
	Object string `json:"object"`
}

// itemFiles brings the files of items to the server and back: what they read, and what they wrote.
type itemFiles struct{ *Queue }

func (q *Queue) files() itemFiles { return itemFiles{q} }

// putOutputs puts the files that an item wrote into objects.
func (q itemFiles) putOutputs(ctx context.Context, dir string, names []string) (out []output, err error) {
	if q.outputs == nil {
		return nil, nil
	}
	for _, name := range names {
		data, err := fs.ReadFile(q.outputs, path.Join(dir, name))
		if err != nil {
			return nil, err
		}
		random := make([]byte, 32)
		_, _ = rand.Read(random) // never fails
		o := output{Name: name, SHA256: digestOf(data), Object: hex.EncodeToString(random)}
		if err := q.putObject(ctx, o.Object, data); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// forgetOutputs removes the files that an item wrote from this machine. One that stays costs
// room only.
func (q itemFiles) forgetOutputs(dir string) {
	if q.outputs != nil {
		_ = sandbox.Carry(q.outputs, dir, true, nil)
	}
}

// fetchOutputs writes the files of an item that ended below its directory. A worker is not
// trusted with their names: one that is not a path below that directory is E_TRUST.
func (q itemFiles) fetchOutputs(ctx context.Context, l *itemLog, dir string, into sandbox.FS) error {
	if err := sandbox.Carry(into, dir, true, nil); err != nil {
		return err
	}
	for _, o := range l.outputs {
		if !fs.ValidPath(o.Name) || o.Name == "." {
			return fault.New(fault.Trust, "a worker named a file %s, which is outside the item's directory", fault.Quoted(o.Name))
		}
		data, err := q.object(ctx, o.Object)
		switch {
		case errors.Is(err, fault.NotFound), errors.As(err, new(ignored)), err == nil && digestOf(data) != o.SHA256:
			return fault.New(fault.Trust, "the file %s of an item was changed on the server", fault.Quoted(o.Name)).Hinting("golem batch retry %s runs the item anew", q.name)
		case err != nil:
			return unreachable(err)
		}
		if err := into.WriteFile(path.Join(dir, o.Name), data); err != nil {
			return err
		}
	}
	return nil
}

// inputObject returns the name of the object with an input that is a file.
func (c *connection) inputObject(in batch.Input) string {
	return c.sealer.objectName("input "+in.File, in.Sum)
}

// putInput puts an input that is a file into an object.
func (p *Producer) putInput(ctx context.Context, item batch.Item, inputs fs.FS) error {
	if item.Input.File == "" {
		return nil
	}
	data, err := item.Input.Content(inputs)
	if err == nil {
		err = p.putObject(ctx, p.inputObject(item.Input), data)
	}
	return unreachable(err)
}

// fetchInput writes an input that is a file to this machine. A content that is not what the
// producer signed is found when the item is run.
func (q itemFiles) fetchInput(ctx context.Context, item batch.Item) error {
	if item.Input.File == "" || q.inputs == nil {
		return nil
	}
	data, err := q.object(ctx, q.inputObject(item.Input))
	if errors.Is(err, fault.NotFound) || errors.As(err, new(ignored)) {
		return nil
	}
	if err == nil {
		err = q.inputs.WriteFile(item.Input.File, data)
	}
	return err
}

// forgetInput removes an input that is a file from this machine. One that stays costs room only.
func (q itemFiles) forgetInput(item batch.Item) {
	if item.Input.File != "" && q.inputs != nil {
		_ = q.inputs.Remove(item.Input.File)
	}
}
