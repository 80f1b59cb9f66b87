package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// defining records a file that is part of the project's definition.
func (t *Trees) defining(name string) { t.defines.add(sandbox.Fold(path.Clean(name))) }

// linked records the real path of a definition whose name goes through symbolic links,
// and the real paths of the directories above it: whoever changes or adds a file there
// changes the project, too.
func (t *Trees) linked(l Location) {
	if l.Tree != "" || !fs.ValidPath(l.Name) {
		return // libraries are protected whole
	}
	for at := l.Name; at != "."; at = path.Dir(at) {
		real, inside := t.Own().follow(at)
		if !inside || real == at {
			return
		}
		t.defining(real)
	}
}

// linkedDirs calls linked for the directories of definitions.
func (t *Trees) linkedDirs() {
	for _, dir := range slices.Concat(sandbox.ControlDirs(), t.Own().Manifest.WorkersRoots, t.Own().Manifest.ToolRoots, []string{t.Own().Manifest.PromptsRoot}) {
		t.linked(Location{Name: path.Clean(dir)})
	}
}

// refersTo records the files that a worker's own configuration and the manifest name:
// they are part of the definition even if this run never reads them.
func (ws *Workers) refersTo(l *Loaded) {
	for _, n := range []*yamltree.Node{l.Definition.Node.Get("model"), ws.trees.Own().Keys.Get("model")} {
		if n == nil {
			continue
		}
		for _, name := range append(n.Texts(), n.Text) {
			provider, file, _ := strings.Cut(name, ":")
			if provider == "script" || provider == "replay" {
				ws.trees.defining(file)
				ws.trees.linked(Location{Name: path.Clean(file)})
			}
		}
	}
	for _, n := range l.moduleRefs(ws.trees) {
		ws.trees.defining(n.Text)
		for _, ext := range config.SourceExtensions {
			ws.trees.defining(config.ModuleStem(n.Text) + ext)
		}
	}
}
