package mcpcmd

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/home"
	"golem/cmd/cli/target"
)

// questionDir is the directory in GOLEM_HOME of the open questions of golem mcp serve.
const questionDir = "questions"

// questionStore returns the store of open questions for a project, with this machine's key.
// It keeps nothing where GOLEM_HOME does not count or has no locks: then questions end with
// the process.
func questionStore(c *console.Console, p target.Place) (s state.Store, done func()) {
	dir := c.Home.Dir()
	if dir == "" || os.MkdirAll(filepath.Join(dir, questionDir), 0o700) != nil {
		return s, func() {}
	}
	files, err := osfs.Open(dir)
	if err != nil {
		return s, func() {}
	}
	s = state.Store{
		Files: sandbox.Lazy(files, questionDir), Project: disk.RealPath(p.Root),
		Host: home.StateIn(files, questionDir, filepath.Join(dir, "state.key")),
	}
	if p.Pack != nil {
		s.Project = p.Pack.TrustKey()
	}
	release, err := s.TryHold("begin-" + fmt.Sprint(os.Getpid()))
	if err != nil {
		files.Close()
		return state.Store{}, func() {}
	}
	release()
	return s, func() { files.Close() }
}

// definitionDigest names the definitions of a worker and of all that it can call.
func definitionDigest(p *project.Project, entry *project.Worker) (string, error) {
	closure, err := p.Workers.Closure(entry)
	if err != nil {
		return "", err
	}
	lines := []string{entry.File + " " + entry.Digest + " " + entry.Tool}
	for _, w := range closure {
		lines = append(lines, w.File+" "+w.Digest)
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range slices.Compact(lines) {
		fmt.Fprintf(h, "%d %s\n", len(line), line)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
