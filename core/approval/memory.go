package approval

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"golem/core/tool"
)

// memory is what a person decided for the rest of the session. It is never
// stored (S0-38). The zero value is empty.
type memory struct {
	mu    sync.Mutex
	exact map[key]bool // one call: run or deny
	any   map[key]bool // any arguments of one tool: run
}

// key names a call, or a tool, by content. A digest keeps memory small
// whatever the arguments are.
type key [sha256.Size]byte

// toolKey is provider and tool. Toolset, module and target are part of it,
// so that two tools never share a decision because they share a name; and what
// a module was granted, so that none is approved for more than was shown.
func toolKey(spec tool.Spec) key {
	parts := []string{"tool", spec.Provider, spec.Toolset, spec.Module, spec.Target, spec.Name}
	for _, g := range spec.Grants {
		parts = append(parts, g.Name, g.Value, g.Exact)
	}
	return digest(parts...)
}

// callKey is the tool and the exact call: canonical arguments, and each path
// resolved to what is mounted and where in it (SECURITY 8).
func callKey(of key, args []byte, paths []tool.PathUse, source func(string) string) key {
	parts := []string{"call", string(of[:]), string(args)}
	for _, p := range paths {
		behind := p.Mount
		if source != nil {
			behind = source(p.Mount)
		}
		parts = append(parts, p.Op, p.Mount, behind, p.Path)
	}
	return digest(parts...)
}

// digest hashes parts with their lengths, so that no two lists of parts look alike.
func digest(parts ...string) key {
	h := sha256.New()
	var size [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write([]byte(p))
	}
	return key(h.Sum(nil))
}

// recall looks for a decision on the exact call, then, if allowed, on any
// call of the tool.
func (m *memory) recall(call, kind key, anyArgs bool) (run, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if run, ok := m.exact[call]; ok {
		return run, true
	}
	if anyArgs && m.any[kind] {
		return true, true
	}
	return false, false
}

func (m *memory) keepExact(call key, run bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.exact == nil {
		m.exact = map[key]bool{}
	}
	m.exact[call] = run
}

func (m *memory) keepAny(kind key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.any == nil {
		m.any = map[key]bool{}
	}
	m.any[kind] = true
}
