package approval

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"

	"golem/core/tool"
)

// memory holds the decisions that a person made for the rest of the session, and the
// rules that were saved during the session (a policy has the older ones). It is
// never stored (S0-38). The zero value is empty.
type memory struct {
	mu    sync.Mutex
	exact map[key]bool    // for one exact call: run or deny
	any   map[key]bool    // for a tool with any arguments: run
	rules []Rule          // saved in this session
	gone  map[string]bool // the person's rules for the project that were removed in this session, as YAML
}

// key identifies a call or a tool by a digest, so that long arguments do not
// use memory.
type key [sha256.Size]byte

// toolKey identifies a tool by its provider, name, toolset, module and target, and by the
// grants of its module. So two tools with the same name never share a decision, and an
// approval of a module does not cover grants that the person was not shown.
func toolKey(spec tool.Spec) key {
	parts := []string{"tool", spec.Provider, spec.Toolset, spec.Module, spec.Target, spec.Name}
	for _, g := range spec.Grants {
		parts = append(parts, g.Name, g.Value, g.Exact)
	}
	return digest(parts...)
}

// callKey identifies one exact call: the tool, the canonical arguments, and for
// each path what is mounted there and the place inside it (SECURITY 8).
func callKey(of key, args []byte, paths []tool.PathUse, source func(string) string) key {
	parts := []string{"call", string(of[:]), string(args)}
	for _, p := range paths {
		parts = append(parts, p.Op, p.Mount, source(p.Mount), p.Path)
	}
	return digest(parts...)
}

// digest hashes the parts together with their lengths, so that different lists
// of parts never give the same bytes.
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

// recall looks for a decision about this exact call and then, if anyArgs is
// set, about the tool with any arguments.
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

func (m *memory) keepRule(r Rule) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rules = append(m.rules, r)
	delete(m.gone, r.YAML())
}

func (m *memory) dropRule(r Rule) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone == nil {
		m.gone = map[string]bool{}
	}
	m.gone[r.YAML()] = true
}

// with returns the policy with the rules that were saved in this session, and without
// those that were removed.
func (m *memory) with(p Policy) Policy {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.Here.Rules = append(slices.Clip(p.Here.Rules), m.rules...)
	if len(m.gone) > 0 {
		p.Here.Rules = slices.DeleteFunc(slices.Clone(p.Here.Rules), func(r Rule) bool { return m.gone[r.YAML()] })
	}
	return p
}
