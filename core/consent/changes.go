package consent

import (
	"maps"
	"strings"
	"sync"

	"golem/core/run"
	"golem/core/started"
	"golem/core/trust"
)

// Changes counts what workers change in the project, so that a person is asked again before
// it is used (SPEC §8). It is safe for concurrent use.
type Changes struct {
	source *Source
	judge  *trust.Judge
	work   started.Tree

	mu   sync.Mutex
	made trust.Changes // with those of earlier runs
	any  bool          // a change since a person's last yes is counted in made.Any
	code bool          // likewise in made.Code
	// files are those that define the project and that commands of workers have changed, in
	// this run or an earlier one: their names from the project's root, each with the SHA-256
	// of what the command wrote, "" if it removed the file.
	files map[string]string
}

var _ run.Changes = (*Changes)(nil)

// answered notes that a person said yes: later changes count again.
func (c *Changes) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.any, c.code = false, false
}

// counts returns how many changes were made.
func (c *Changes) counts() trust.Changes {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made
}

// rewritten returns the files that commands have changed, see Changes.
func (c *Changes) rewritten() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.files)
}

// Rewrote notes files that define the project and that a command has changed. A person is
// asked before they are used, now or in a later run.
func (c *Changes) Rewrote(files map[string]string) {
	c.mu.Lock()
	if c.files == nil {
		c.files = map[string]string{}
	}
	maps.Copy(c.files, files)
	c.mu.Unlock()
	// Without a place to keep it, it counts for this run.
	_ = c.source.change(func(b *trust.Book) { b.Rewrote(c.source.Key, files) })
}

// Wrote counts a change that a worker makes to the project's files, so that a program that
// may run any of them is trusted again before its next start. name is the source of the
// file, "" if it is not known which files are changed. Later changes until a person says
// yes again count as one.
func (c *Changes) Wrote(name string) {
	inside, known := c.inWork(name)
	if known && !inside {
		return
	}
	code := !known || started.IsCode(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.any && (c.code || !code) || !c.judge.Any(func(w trust.Widening) bool {
		return strings.Contains("\n"+w.Started, "\n"+anyFile) || strings.Contains("\n"+w.Started, "\n"+anyCode)
	}) {
		return
	}
	if !c.any {
		c.made.Any++
	}
	if code && !c.code {
		c.made.Code++
	}
	c.any, c.code = true, c.code || code
	made := c.made
	// Without a place to keep it, it counts for this run.
	_ = c.source.change(func(b *trust.Book) { b.Changed(c.source.Key, made) })
}

// inWork reports whether a source is in the directory in which programs are started.
func (c *Changes) inWork(name string) (inside, known bool) {
	root := c.work.Root
	if name == "" || root == "" {
		return false, false
	}
	return name == root || strings.HasPrefix(name, strings.TrimSuffix(root, "/")+"/") || root == ".", true
}
