package gitrepo

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/gitglob"
	"golem/core/sandbox"
)

// gitIgnores is the list of patterns of the .gitignore files, of info/exclude and of the
// person. The files are read when they are needed, also those that the worker does not see.
type gitIgnores struct {
	r        *reader
	loaded   map[string]bool // directories
	ignored  map[string]bool // what is known of directories
	patterns []ignoreLine
}

// ignoreLine is a line that holds below a directory; "" is the root.
type ignoreLine struct {
	below string // with a slash at the end
	gitglob.Ignore
}

// match reports whether git ignores a file, or a directory above it.
func (g *gitIgnores) match(file string, dir bool) bool {
	above := path.Dir(file)
	if above != "." && g.directory(above) {
		return true
	}
	g.load(above)
	for _, l := range slices.Backward(g.patterns) {
		if rel, in := strings.CutPrefix(file, l.below); in && l.Match(rel, dir) {
			return !l.Included
		}
	}
	return false
}

func (g *gitIgnores) directory(name string) bool {
	ignored, known := g.ignored[name]
	if !known {
		ignored = g.match(name, true)
		g.ignored[name] = ignored
	}
	return ignored
}

// load reads the patterns of a directory, after those of the directories above it.
func (g *gitIgnores) load(dir string) {
	if g.loaded[dir] {
		return
	}
	g.loaded[dir] = true
	below := ""
	if dir != "." {
		g.load(path.Dir(dir))
		below = dir + "/"
	} else {
		if own := g.r.machine.Outside; own != nil {
			g.add(own.Ignores(), "")
		}
		g.read(g.r.git, "info/exclude", "")
	}
	if g.r.work != nil {
		g.read(g.r.work, path.Join(dir, ".gitignore"), below)
	}
}

func (g *gitIgnores) read(files fs.FS, name, below string) {
	data, err := sandbox.ReadFile(files, name, 1<<20)
	if err != nil {
		return // there is no such file, or it cannot be read
	}
	g.add(data, below)
}

func (g *gitIgnores) add(data []byte, below string) {
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		// A line that can match nothing is an error, which git does not tell.
		if p, ok, err := gitglob.ParseIgnore(line, g.r.fold); ok && err == nil && len(g.patterns) < 5000 {
			g.patterns = append(g.patterns, ignoreLine{below, p})
		}
	}
}
