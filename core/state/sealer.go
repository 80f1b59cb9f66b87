package state

import "golem/core/sandbox"

// Sealer returns what seals a file of this kind and name for sandbox.Together, so that nobody
// else can make golem write files; nil if this machine keeps nothing.
func (s *Store) Sealer(f Format, name string) sandbox.Sealer {
	if !s.Kept() {
		return nil
	}
	return sealer{s, f, name}
}

type sealer struct {
	store  *Store
	format Format
	name   string
}

func (s sealer) Seal(data []byte) ([]byte, error)   { return s.store.Seal(s.format, s.name, data) }
func (s sealer) Unseal(data []byte) ([]byte, error) { return s.store.Unseal(s.format, s.name, data) }
