package gitrepo

import (
	"io/fs"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"golem/core/sandbox"
)

// gitIgnores is the list of patterns of the .gitignore files, of info/exclude and of the
// person. The
// files are read when they are needed, also those that the worker does not see.
type gitIgnores struct {
	r        *reader
	loaded   map[string]bool
	patterns []gitignore.Pattern
}

// match reports whether git ignores a file.
func (g *gitIgnores) match(file string, dir bool) bool {
	g.load(path.Dir(file))
	return gitignore.NewMatcher(g.patterns).Match(strings.Split(file, "/"), dir)
}

// load reads the patterns of a directory, after those of the directories above it.
func (g *gitIgnores) load(dir string) {
	if g.loaded[dir] {
		return
	}
	g.loaded[dir] = true
	var domain []string
	if dir != "." {
		g.load(path.Dir(dir))
		domain = strings.Split(dir, "/")
	} else {
		if own := g.r.machine.Ignores; own != nil {
			g.add(own(), nil)
		}
		g.read(g.r.git, "info/exclude", nil)
	}
	if g.r.work != nil {
		g.read(g.r.work, path.Join(dir, ".gitignore"), domain)
	}
}

func (g *gitIgnores) read(files fs.FS, name string, domain []string) {
	data, err := sandbox.ReadFile(files, name, 1<<20)
	if err != nil {
		return // there is no such file, or it cannot be read
	}
	g.add(data, domain)
}

func (g *gitIgnores) add(data []byte, domain []string) {
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, " \r\n")
		if line != "" && line[0] != '#' && len(g.patterns) < 5000 {
			g.patterns = append(g.patterns, gitignore.ParsePattern(line, domain))
		}
	}
}
