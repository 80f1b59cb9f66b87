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

// output is a file that an item wrote or staged, and the object that has its content.
type output struct {
	Name   string `json:"name"`             // below the directory of the item; if it is staged, in the project
	SHA256 string `json:"sha256,omitempty"` // with Object: the file was removed if they are empty
	Object string `json:"object,omitempty"`
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
		o, err := q.putOutput(ctx, name, data)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func (q itemFiles) putOutput(ctx context.Context, name string, data []byte) (output, error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	o := output{Name: name, SHA256: digestOf(data), Object: hex.EncodeToString(random)}
	return o, q.putObject(ctx, o.Object, data)
}

// putStaged puts what an item changed in staged mounts into objects.
func (q itemFiles) putStaged(ctx context.Context, changes []batch.Change) (out []output, err error) {
	for _, c := range changes {
		o := output{Name: c.Name}
		if !c.Removed {
			if o, err = q.putOutput(ctx, c.Name, c.Data); err != nil {
				return nil, err
			}
		}
		out = append(out, o)
	}
	return out, nil
}

// fetchStaged returns what an item that ended changed in staged mounts.
func (q itemFiles) fetchStaged(ctx context.Context, l *itemLog) (out []batch.Change, err error) {
	for _, o := range l.staged {
		c := batch.Change{Name: o.Name, Removed: o.Object == ""}
		if !c.Removed {
			if c.Data, err = q.fetchOutput(ctx, o); err != nil {
				return nil, err
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// fetchOutput returns the content of a file, or E_TRUST if it was changed on the server.
func (q itemFiles) fetchOutput(ctx context.Context, o output) ([]byte, error) {
	data, err := q.object(ctx, o.Object)
	if errors.Is(err, fault.NotFound) || errors.As(err, new(ignored)) || err == nil && digestOf(data) != o.SHA256 {
		return nil, fault.New(fault.Trust, "the file %s of an item was changed on the server", fault.Quoted(o.Name)).Hinting("golem batch retry %s runs the item anew", q.name)
	}
	return data, unreachable(err)
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
		data, err := q.fetchOutput(ctx, o)
		if err != nil {
			return err
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
