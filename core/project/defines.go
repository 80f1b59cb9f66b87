package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/sandbox"
	"golem/core/yamltree"
)

// Defines reports whether a file is part of the project's definition (SPEC §8):
// the project was read from it, or the manifest or a loaded worker names it as
// script, recording or tool source. The path is folded with sandbox.Fold. Workers
// that are not loaded yet do not count: a run does not search for workers.
func (p *Project) Defines(folded string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return listed(p.defines, folded)
}

// defining records a file that is part of the project's definition. p.mu must be held.
func (p *Project) defining(name string) { p.defines[sandbox.Fold(path.Clean(name))] = true }

// linked records the real path of a definition whose name goes through symbolic links,
// and the real paths of the directories above it: whoever changes or adds a file there
// changes the project, too. p.mu must be held.
func (p *Project) linked(l location) {
	if l.source != "" || !fs.ValidPath(l.name) {
		return // libraries are protected whole
	}
	for at := l.name; at != "."; at = path.Dir(at) {
		real, inside := p.follow(location{name: at})
		if !inside || real == at {
			return
		}
		p.defining(real)
	}
}

// linkedDirs calls linked for the directories of definitions.
func (p *Project) linkedDirs() {
	for _, dir := range slices.Concat(sandbox.ControlDirs(), p.manifest.WorkersRoots, p.manifest.ToolRoots, []string{p.manifest.PromptsRoot}) {
		p.linked(location{name: path.Clean(dir)})
	}
}

// refersTo records the files that a worker's own configuration and the manifest name:
// they are part of the definition even if this run never reads them.
func (p *Project) refersTo(l *loaded) {
	for _, n := range []*yamltree.Node{l.def.node.Get("model"), p.settings.Get("model")} {
		if n == nil {
			continue
		}
		for _, name := range append(n.Texts(), n.Text) {
			provider, file, _ := strings.Cut(name, ":")
			if provider == "script" || provider == "replay" {
				p.defining(file)
				p.linked(location{name: path.Clean(file)})
			}
		}
	}
	for _, n := range l.moduleRefs(p) {
		p.defining(n.Text)
	}
}
