package project

import (
	"golem/core/sandbox"
	"golem/core/yamltree"
	"path"
	"strings"
)

// Defines reports whether a path of the project, folded with sandbox.Fold, is a
// file that the project was read from, or that its manifest or a worker read so
// far refers to: a script, a recording, a tool's source (SPEC §8). Running
// never scans, so what a worker refers to is known once that one is loaded.
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
