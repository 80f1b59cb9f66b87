package target

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"golem/core/sandbox"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
)

// Assistant is the name under which golem's own worker is TARGET.
const Assistant = "assistant"

// assistantDir returns the directory of GOLEM_HOME with what golem keeps of a directory that
// is not a project; "" if there is no GOLEM_HOME.
func assistantDir(c *console.Console, dir string) string {
	home := c.Home.Dir()
	if home == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(disk.RealPath(dir)))
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, filepath.Base(dir))
	return filepath.Join(home, "dirs", name[:min(len(name), 40)]+"-"+hex.EncodeToString(sum[:]))
}

// At returns the project in a directory, or if none is there the assistant over it. It judges
// GOLEM_HOME for it, as Find does.
func At(c *console.Console, dir string) Place {
	p := Place{Root: dir}
	if !IsProject(c, dir) {
		p = Place{Work: dir, Assistant: true}
	}
	c.Home.Judge(p.Ground())
	if p.Assistant {
		p.Root = assistantDir(c, p.Work)
	}
	return p
}

// IsProject reports whether a directory has workers or a project file.
func IsProject(c *console.Console, dir string) bool {
	return NoProject(c, Place{Root: dir}) == nil
}

// KeptIn returns the directory in whose .golem golem keeps what happened in a directory: the
// directory itself, or if nothing is kept there, the one of the assistant.
func KeptIn(c *console.Console, dir string) string {
	if _, err := os.Stat(filepath.Join(c.Path(dir), sandbox.StateDir)); err == nil {
		return dir
	}
	if own := assistantDir(c, c.Path(dir)); own != "" {
		if _, err := os.Stat(own); err == nil {
			return own
		}
	}
	return dir
}
