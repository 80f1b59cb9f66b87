package projectcmd

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golem/cmd/cli/console"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
)

// watchEvery is how often golem check --watch looks whether a file has changed.
const watchEvery = 300 * time.Millisecond

// maxWatched is how many files are checked at most, so that watching a large tree stays
// cheap.
const maxWatched = 20_000

// unwatched are directories that are not watched, because their files do not define a
// project (SPEC §3, ignore file).
var unwatched = []string{".git", ".golem", ".venv", "__pycache__", "node_modules"}

// stamp is what is compared to find out that a file has changed.
type stamp struct {
	size int64
	time time.Time
	dir  bool
}

// watchCheck checks the project, and checks it again whenever one of its files changes.
func watchCheck(c *console.Console, f *runflags.Flags, words []string) error {
	words = target.OrHere(c, f.Project, words)
	p, _, err := target.Find(c, f.Wanted(), words)
	if err != nil {
		return err
	}
	return Watch(c, p, nil, func() error { return Inspect(c, f, words) })
}

// Watch calls do at once and whenever a file of the project changes, until Ctrl+C, which
// gives exit code 130. own are files that do writes, as the person named them; they and
// redirected output are not watched. It compares the files every watchEvery and does not use change
// notifications of the system, because this works the same on every file system.
func Watch(c *console.Console, p target.Place, own []string, do func() error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	defer stop()
	if p.Pack != nil {
		return console.Usage("--watch needs a project directory: a packed project does not change").Hinting("leave out --watch")
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	look := func() map[string]stamp { return watched(p.Root, c.Home.Dir(), written(c, own)...) }
	return watchProject(ctx, c, tick.C, look, do)
}

// watchProject calls check at once, and again after a change, once a tick has passed without
// another change: an editor may write a file in several steps.
func watchProject(ctx context.Context, c *console.Console, tick <-chan time.Time, look func() map[string]stamp, check func() error) error {
	last := look()
	var code console.ExitCode
	if err := check(); err != nil && !errors.As(err, &code) {
		return err
	}
	changed := ""
	for {
		select {
		case <-ctx.Done():
			return console.ExitCode(console.ExitInterrupted)
		case <-tick:
		}
		now := look()
		if name, differ := firstChange(last, now); differ {
			last, changed = now, name
			continue
		}
		if changed == "" {
			continue
		}
		c.Say("%s has changed", changed)
		changed = ""
		if err := check(); err != nil && !errors.As(err, &code) {
			c.Report(err)
		}
	}
}

// firstChange returns the first file, by name, that is new, missing or changed.
func firstChange(before, now map[string]stamp) (name string, differ bool) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(now))
	slices.Sort(names)
	for _, name := range names {
		a, was := before[name]
		b, is := now[name]
		if was != is || a.size != b.size || a.dir != b.dir || !a.time.Equal(b.time) {
			return name, true
		}
	}
	return "", false
}

// written returns those files that exist among what the command itself writes: own, and
// standard output and error where they are files.
func written(c *console.Console, own []string) (out []os.FileInfo) {
	add := func(info os.FileInfo, err error) {
		if err == nil && info.Mode().IsRegular() {
			out = append(out, info)
		}
	}
	for _, name := range own {
		if name != "" {
			add(os.Stat(c.Path(name)))
		}
	}
	add(c.Out.Stat())
	add(c.Err.Stat())
	return out
}

// watched returns the state of the files below a project's root, apart from own, and of
// those in home that golem check reads.
func watched(root, home string, own ...os.FileInfo) map[string]stamp {
	out := map[string]stamp{}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real // WalkDir does not enter a link
	}
	// A file that cannot be read is not watched: the check reports it.
	_ = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if e.IsDir() && name != root && slices.Contains(unwatched, e.Name()) {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(root, name)
		if err != nil || e.IsDir() {
			return nil // changes show in its files
		}
		if len(out) >= maxWatched {
			return fs.SkipAll
		}
		addFile(out, filepath.ToSlash(rel), name, own)
		return nil
	})
	if home != "" {
		for _, name := range []string{"config.yaml", "trust.json"} {
			addFile(out, "$GOLEM_HOME/"+name, filepath.Join(home, name), nil)
		}
	}
	return out
}

// addFile records the state of a file, or of the file to which a link leads, unless it is
// one of own.
func addFile(to map[string]stamp, shown, name string, own []os.FileInfo) {
	info, err := os.Stat(name)
	if err == nil && !slices.ContainsFunc(own, func(o os.FileInfo) bool { return os.SameFile(o, info) }) {
		to[shown] = stamp{size: info.Size(), time: info.ModTime(), dir: info.IsDir()}
	}
}
