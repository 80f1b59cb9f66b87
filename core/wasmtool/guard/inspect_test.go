package guard

import (
	"bytes"
	"errors"
	"testing"

	"golem/core/fault"
)

// asked counts how often a file is read.
type asked struct {
	*bytes.Reader
	times int
}

func (a *asked) ReadAt(b []byte, off int64) (int, error) {
	a.times++
	return a.Reader.ReadAt(b, off)
}

// SECURITY 7: looking for a description takes a bounded number of reads, each of
// which is slow in a browser: a file of ten million empty sections is none.
func TestReadCustomIsBounded(t *testing.T) {
	module := assemble(bytes.Repeat([]byte{0, 1, 0}, 1<<20))
	r := &asked{Reader: bytes.NewReader(module)}
	if _, err := ReadCustom(r, int64(len(module)), "golem.tools"); !errors.Is(err, fault.ToolModule) || r.times > MaxSections+1 {
		t.Errorf("%v after %d reads", err, r.times)
	}
	if _, err := AppendCustom(module, "golem.tools", nil); !errors.Is(err, fault.ToolModule) {
		t.Errorf("packed: %v", err)
	}
}
