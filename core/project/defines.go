package project

import (
	"golem/core/sandbox"
	"golem/core/yamltree"
	"path"
	"strings"
)

// Defines reports whether a file is part of the project's definition (SPEC §8):
// the project was read from it, or the manifest or a loaded worker names it as
// script, recording or tool source. The path is folded with sandbox.Fold. Workers
// that are not loaded yet do not count: a run does not search for workers.
func (p *Project) Defines(folded string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.defines[folded]
}

// defining remembers a file that is part of what defines the project. p.mu must
// be held.
func (p *Project) defining(name string) { p.defines[sandbox.Fold(path.Clean(name))] = true }

// refersTo remembers the files that a worker's own configuration and the
// manifest name: they are definitions even if this run never reads them.
func (p *Project) refersTo(l *loaded) {
	for _, n := range []*yamltree.Node{l.def.node.Get("model"), p.settings.Get("model")} {
		if n == nil {
			continue
		}
		for _, name := range append(n.Texts(), n.Text) {
			provider, file, _ := strings.Cut(name, ":")
			if provider == "script" || provider == "replay" {
				p.defining(file)
			}
		}
	}
	for _, n := range l.moduleRefs(p) {
		p.defining(n.Text)
	}
}
