package wazeroengine

import (
	"github.com/tetratelabs/wazero/experimental"

	"golem/core/wasmtool"
)

// capped is a command's standard output. A write beyond the limit fails at once, not
// only at the end of the call.
type capped struct {
	data  []byte
	limit int64
}

func (c *capped) Write(b []byte) (int, error) {
	if int64(len(c.data))+int64(len(b)) > c.limit {
		return 0, wasmtool.OutputTooLarge(c.limit)
	}
	c.data = append(c.data, b...)
	return len(b), nil
}

// ending keeps the last StderrLimit bytes of standard error.
type ending struct{ data []byte }

func (e *ending) Write(b []byte) (int, error) {
	n := len(b)
	b = b[max(0, n-wasmtool.StderrLimit):]
	e.data = append(e.data, b...)
	if len(e.data) > 2*wasmtool.StderrLimit {
		e.data = append(e.data[:0], e.data[len(e.data)-wasmtool.StderrLimit:]...)
	}
	return n, nil
}

func (e *ending) bytes() []byte { return e.data[max(0, len(e.data)-wasmtool.StderrLimit):] }

// memoryAllocator gives modules memory whose capacity grows by doubling. So it neither
// reserves the maximum at once nor copies the memory for each new page.
var memoryAllocator = experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
	return &linearMemory{most: most}
})

type linearMemory struct {
	data []byte
	most uint64
}

func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > m.most {
		return nil
	}
	if size > uint64(cap(m.data)) {
		room := size
		if len(m.data) > 0 {
			room = min(m.most, max(size, 2*uint64(cap(m.data))))
		}
		grown := make([]byte, size, room)
		copy(grown, m.data)
		m.data = grown
	}
	m.data = m.data[:size]
	return m.data
}

func (m *linearMemory) Free() { m.data = nil }
