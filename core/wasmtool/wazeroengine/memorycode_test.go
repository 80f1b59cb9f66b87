package wazeroengine

import (
	"slices"
	"sync"

	"golem/core/wasmtool"
)

// memoryCode is a cache in memory that verifies nothing.
type memoryCode struct {
	mu      sync.Mutex
	entries map[string][]byte
	put     int
	got     int
}

var _ wasmtool.Cache = (*memoryCode)(nil)

func (m *memoryCode) Get(key string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.entries[key]
	if ok {
		m.got++
	}
	return data, ok
}

func (m *memoryCode) Put(key string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries == nil {
		m.entries = map[string][]byte{}
	}
	m.entries[key] = slices.Clone(data)
	m.put++
	return nil
}
