// Package foreign makes a project of what people have for other programs: agents of Claude
// Code and OpenCode, files of docker-agent, recipes of goose, and lists of MCP servers. Each
// key is mapped, or named as not mapped. Nothing that it makes is approved in advance.
package foreign

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
)

// File is a file of the project that was made.
type File struct {
	Name string `json:"name"`
	Text string `json:"-"`
}

// Note says what became of one thing in a file that was read.
type Note struct {
	File string `json:"file"`
	Key  string `json:"key"`
	// As is what it became; "" if it is not mapped.
	As string `json:"as,omitempty"`
	// Why says why it is not mapped, or what is different.
	Why string `json:"why,omitempty"`
}

// Project is what was made.
type Project struct {
	Files []File // the manifest is the last one
	Notes []Note // in the order of the files and their keys
	// Workers are the IDs of the workers. Entry says that the project has an entry: it
	// runs without the name of a worker.
	Workers []string
	Entry   bool
	// Variables are variables of the environment that the project reads in place of values
	// that are secret, or may be.
	Variables []string
}

// Limits of what is read.
const (
	maxFile  = 1 << 20  // bytes of a file
	maxFiles = 500      // files
	maxMade  = 1_000    // workers
	maxOwn   = 100      // MCP servers that one agent has itself
	maxTotal = 16 << 20 // bytes of all files
	maxFront = 64 << 10 // bytes of the front matter of an agent
	maxDepth = 4        // directories below one with agents
)

// read is one file that was found.
type read struct {
	name string
	data []byte
}

// maker makes a project.
type maker struct {
	files   sandbox.FS
	found   []read
	total   int64
	seen    map[string]bool // files that were read
	workers []*worker
	ids     map[string]int     // of the workers, with the last number that was added to one
	rules   []map[string]any   // of the manifest: calls that are blocked
	servers map[string]*server // of lists of MCP servers, by the name in the file
	order   []string           // the names in servers
	entry   *worker
	notes   []Note
	vars    map[string]bool
}

// Import makes a project of a file or directory. name is its path in files, "." for all of
// it. Links that lead out are not followed, because files is a sandbox.
func Import(files sandbox.FS, name, title string) (*Project, error) {
	m := &maker{files: files, seen: map[string]bool{}, ids: map[string]int{}, servers: map[string]*server{}, vars: map[string]bool{}}
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, fault.New(fault.NotFound, "the file to import cannot be read: %w", cause(err)).Hinting("name an agent, a recipe, an .mcp.json, or a directory that has some")
	}
	if info.IsDir() {
		err = m.directory(name)
	} else {
		err = m.read(name)
	}
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(m.found); i++ { // a recipe may find more
		m.convert(m.found[i])
	}
	if len(m.workers) == 0 && len(m.order) == 0 {
		return nil, fault.New(fault.NotFound, "nothing was found that golem can import%s", m.reasons()).
			Hinting("golem imports .claude/agents, .opencode/agent, docker-agent YAML, goose recipes and .mcp.json")
	}
	return m.project(title), nil
}

// reasons returns why the files that were found were not imported.
func (m *maker) reasons() string {
	var out []string
	for _, n := range m.notes {
		if n.As == "" {
			out = append(out, n.File+": "+cmp.Or(n.Why, n.Key))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + fault.Brief(strings.Join(out[:min(len(out), 5)], "; ")) + ")"
}

// cause returns an error of the file system without the path, which is not golem's to show.
func cause(err error) error {
	if pe, is := err.(*fs.PathError); is {
		return pe.Err
	}
	return err
}

// places are where a project keeps agents and servers; * is any file of the directory.
var places = []string{
	".claude/agents/*.md", ".opencode/agent/*.md", ".opencode/agents/*.md", "agents/*.md", "agent/*.md", "*.md",
	"*.yaml", "*.yml", "*.json", "recipes/*.yaml", "recipes/*.yml", ".goose/recipes/*.yaml", ".goose/recipes/*.yml",
	".mcp.json", "mcp.json", ".vscode/mcp.json", ".cursor/mcp.json",
}

// directory reads the files of the places below a directory.
func (m *maker) directory(dir string) error {
	for _, place := range places {
		at := path.Join(dir, path.Dir(place))
		if err := m.list(at, path.Base(place), 0); err != nil {
			return err
		}
	}
	return nil
}

// list reads the files of a directory whose names match a pattern; those of agents also
// below it.
func (m *maker) list(dir, pattern string, depth int) error {
	entries, err := fs.ReadDir(m.files, dir)
	if err != nil {
		return nil // there is no such place
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		matches, _ := path.Match(pattern, e.Name())
		inAgents := strings.HasSuffix(dir, "agents") || strings.HasSuffix(dir, "agent") || depth > 0
		switch {
		case e.IsDir() && pattern == "*.md" && inAgents && depth < maxDepth:
			if err := m.list(name, pattern, depth+1); err != nil {
				return err
			}
		case e.IsDir() || !matches || pattern != e.Name() && strings.HasPrefix(e.Name(), "."):
		case ignored(pattern, e.Name()):
		case !e.Type().IsRegular():
			m.lost(name, "", "it is a link, or no regular file")
		default:
			if err := m.read(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// ignored reports whether a file is one that every project has.
func ignored(pattern, name string) bool {
	name = strings.ToLower(name)
	switch pattern {
	case "*.json":
		return slices.Contains([]string{"package.json", "package-lock.json", "tsconfig.json", "composer.json", "mcp.json"}, name)
	case "*.md":
		return slices.Contains([]string{"readme.md", "changelog.md", "contributing.md", "license.md", "security.md", "claude.md", "agents.md", "gemini.md"}, name)
	}
	return false
}

// read reads one file, once.
func (m *maker) read(name string) error {
	if m.seen[name] {
		return nil
	}
	m.seen[name] = true
	if len(m.found) == maxFiles {
		return fault.New(fault.Limit, "more than %d files were found", maxFiles).Hinting("import a part of the directory")
	}
	data, err := sandbox.ReadFile(m.files, name, maxFile)
	if err != nil {
		m.lost(name, "", "it cannot be read: "+fault.Of(cause(err), fault.Path).Message)
		return nil
	}
	if m.total += int64(len(data)); m.total > maxTotal {
		return fault.New(fault.Limit, "the files have more than %d MiB together", maxTotal>>20).Hinting("import a part of the directory")
	}
	m.found = append(m.found, read{name, data})
	return nil
}

// lost notes what is not mapped.
func (m *maker) lost(file, key, why string) {
	m.notes = append(m.notes, Note{File: file, Key: key, Why: why})
}

// mapped notes what a key became.
func (m *maker) mapped(file, key, as, why string) {
	m.notes = append(m.notes, Note{File: file, Key: key, As: as, Why: why})
}
