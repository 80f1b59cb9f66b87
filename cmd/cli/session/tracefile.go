package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/trace"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/target"
)

// TraceFile is the trace of a run with the texts beside it that are too long for its
// lines (SPEC §14).
type TraceFile struct {
	*disk.OutFile
	folder *os.Root // the directory of the file and of dir; nil: long texts stay in the lines
	dir    string   // the name of the directory of the texts, in folder
	texts  *os.Root // dir, opened for the first text
	run    string   // the name of the file in folder, if golem chose it: Close removes it if it is empty
}

// OpenTrace opens the trace of a run: the file of --trace, or if that is "", a new file below
// .golem/runs, or for a packed project below $GOLEM_HOME/runs. If the new file cannot
// be written, it prints a warning and returns nil.
func OpenTrace(c *console.Console, file string, p target.Place, id string) (*TraceFile, error) {
	if file != "" {
		if err := disk.MayReplace(c.Path(file), file, disk.TraceKind); err != nil {
			return nil, err
		}
		t, err := newTraceFile(c.Path(file))
		if err != nil {
			return nil, console.Usage("--trace %s cannot be written: %s", file, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "name a file in an existing directory that you can write to"))
		}
		return t, nil
	}
	root, dirs := p.StateRoot(), []string{sandbox.StateDir, trace.RunsDir}
	where := trace.RunsDir
	if p.Pack != nil {
		if root, dirs = c.Home.Dir(), []string{"runs"}; root == "" {
			return nil, nil // golem has said why
		}
		where = "$GOLEM_HOME/runs"
	}
	if p.Assistant {
		if where = "$GOLEM_HOME/dirs"; root == "" {
			return nil, nil // golem has said why
		}
	}
	if p.Pack != nil || p.Assistant {
		_ = os.MkdirAll(root, 0o700) // opening it reports the error
	}
	var kept state.Store
	if files, err := osfs.Open(root); err == nil && p.Pack == nil {
		defer files.Close()
		kept = c.Home.State(files, p.Sandbox())
	}
	t, err := newRunFile(root, dirs, id, kept.Order(trace.OrderKind))
	if err != nil {
		c.Say("warning: the trace cannot be written to %s: %s (--trace FILE writes it elsewhere)", where, disk.Cause(err))
		return nil, nil
	}
	_ = kept.Last(trace.OrderKind, state.Written{Name: id + ".jsonl"}, func() map[string]bool { return trace.Listed(t.folder.FS(), ".") }) // an error costs only its place among the kept ones
	return t, nil
}

// newTraceFile opens the file of --trace. The first write removes an old trace with its
// texts. If the name is a link, or not a regular file, long texts stay in the lines.
func newTraceFile(name string) (*TraceFile, error) {
	file, err := disk.OpenOut(name)
	if err != nil {
		return nil, err
	}
	t := &TraceFile{OutFile: file, dir: trace.TextsDir(filepath.Base(name))}
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() { // /dev/stderr is a link
		return t, nil
	}
	if t.folder, err = os.OpenRoot(filepath.Dir(name)); err != nil {
		return t, nil // the file can be written, but its directory cannot be opened
	}
	file.Before = func() {
		if info, err := t.folder.Lstat(t.dir); err == nil && info.IsDir() {
			trace.RemoveTexts(folder{t.folder.FS(), t.folder}, t.dir)
		}
	}
	return t, nil
}

// newRunFile creates <id>.jsonl in the last of dirs, each of which is inside the
// previous one. It uses one handle of the project's directory for all of this, so that
// no link in a cloned project leads the trace elsewhere.
func newRunFile(root string, dirs []string, id string, own []string) (*TraceFile, error) {
	project, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer project.Close()
	for _, dir := range dirs {
		made, err := ownDir(project, dir)
		if made && dir == sandbox.StateDir {
			err = project.WriteFile(sandbox.StateIgnore, []byte(sandbox.StateIgnored), 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	dir, err := project.OpenRoot(dirs[len(dirs)-1])
	if err != nil {
		return nil, err
	}
	name := id + ".jsonl"
	trace.Prune(folder{dir.FS(), dir}, name, trace.KeptRuns-1, own, func(name string) bool { return goesOn(dir, name) })
	file, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		dir.Close()
		return nil, err
	}
	_, _ = osfs.Hold(file) // for goesOn; not every file system has locks
	return &TraceFile{OutFile: &disk.OutFile{File: file, Begun: true}, folder: dir, dir: trace.TextsDir(name), run: name}, nil
}

// goesOn reports whether the run still writes its trace. On Windows, and where the file
// system has no locks, it returns false.
func goesOn(dir *os.Root, name string) bool {
	file, err := dir.OpenFile(name, os.O_RDONLY|disk.OpenNonblock, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	free, known := osfs.Hold(file)
	return known && !free
}

// ownDir creates a directory with access for its owner only, if it does not exist. It
// returns an error for a link.
func ownDir(in *os.Root, name string) (made bool, err error) {
	err = in.Mkdir(name, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	made = err == nil
	info, err := in.Lstat(name)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", name)
	}
	return made, err
}

// folder is a directory with traces, as package trace uses it.
type folder struct {
	fs.FS
	root *os.Root
}

// Remove removes a file or an empty directory.
func (f folder) Remove(name string) error { return f.root.Remove(name) }

// Put writes one long text. If that fails, it removes the file, so that it takes no
// space on a full disk.
func (t *TraceFile) Put(name string, data []byte) (err error) {
	if t.texts == nil {
		if _, err := ownDir(t.folder, t.dir); err != nil {
			return err
		}
		if t.texts, err = t.folder.OpenRoot(t.dir); err != nil {
			return err
		}
	}
	file, err := t.texts.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = t.texts.Remove(name) // the error of the write matters more
	}
	return err
}

// Texts returns where long texts are written beside the trace; nil: they stay in the lines.
func (t *TraceFile) Texts() trace.Files {
	if t.folder == nil {
		return nil
	}
	return t
}

// Close closes the file and the directories. The file of a run that wrote nothing, such as a chat
// that ends before its first message, is removed.
func (t *TraceFile) Close() error {
	info, unknown := t.Stat()
	err := t.OutFile.Close()
	if t.run != "" && unknown == nil && info.Size() == 0 {
		err = errors.Join(err, t.folder.Remove(t.run))
	}
	for _, root := range []*os.Root{t.texts, t.folder} {
		if root != nil {
			err = errors.Join(err, root.Close())
		}
	}
	return err
}

// artifactDir is the directory of --artifacts, with complete prompts, inputs and outputs.
type artifactDir struct{ root *os.Root }

// Put writes one of them.
func (d artifactDir) Put(name string, data []byte) error {
	if strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name) {
		return fault.New(fault.Path, "%q cannot be the file name of an artifact", name)
	}
	return d.root.WriteFile(name, data, 0o600)
}

// artifacts opens the directory of --artifacts (S3-22), and returns a function that closes
// it. Without the flag there is none.
func artifacts(c *console.Console, name string) (trace.Files, func(), error) {
	if name == "" {
		return nil, func() {}, nil
	}
	dir := c.Path(name)
	err := os.MkdirAll(dir, 0o700)
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, nil, console.Usage("--artifacts %s cannot be written: %s", name, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "name a directory that you can write to"))
	}
	return artifactDir{root}, func() { root.Close() }, nil
}

// recording opens the file of --record. An existing recording, from which this run may
// take its answers, is replaced only when the model answers for the first time.
func recording(c *console.Console, name string) (io.WriteCloser, error) {
	if name == "" {
		return nil, nil
	}
	if err := disk.MayReplace(c.Path(name), name, disk.RecordingKind); err != nil {
		return nil, err
	}
	file, err := disk.OpenOut(c.Path(name))
	if err != nil {
		return nil, console.Usage("--record %s cannot be written: %s", name, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "name a file in an existing directory that you can write to"))
	}
	return file, nil
}
