package tracecmd

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/trace"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/target"
)

// isRunID reports whether s has the form of a name that core.NewRunID makes, and so is no
// TARGET.
func isRunID(s string) bool {
	ok, err := path.Match("[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]-[0-9][0-9][0-9][0-9][0-9][0-9]-*", s)
	return ok && err == nil && !strings.ContainsAny(s, "./")
}

// Read reads a trace, see open for the name.
func Read(c *console.Console, name string) (trace.Header, []trace.Event, error) {
	r, texts, err := open(c, name)
	if err != nil {
		return trace.Header{}, nil, err
	}
	defer r.Close()
	return trace.Read(r, texts)
}

// open opens a trace, and the long texts beside it. name is a file, a run, an item of a batch as
// BATCH/ITEM, or - for standard input; the last two have no such texts.
func open(c *console.Console, name string) (io.ReadCloser, trace.Texts, error) {
	if name == "-" {
		return io.NopCloser(c.In), nil, nil
	}
	if lines, found, err := ofBatch(c, name); found {
		return io.NopCloser(bytes.NewReader(lines)), nil, err
	}
	name, err := fileOf(c, name)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(c.Path(name), os.O_RDONLY|disk.OpenNonblock, 0)
	if err != nil {
		return nil, nil, fault.New(fault.NotFound, "the trace %s cannot be read: %s", name, disk.Cause(err)).
			Hinting("traces are kept in .golem/runs of the project")
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		if err == nil && info.IsDir() {
			return nil, nil, console.Usage("%s is a directory", name).Hinting("golem trace list %s lists the runs there", name)
		}
		return nil, nil, console.Usage("%s is not a regular file", name)
	}
	return file, textsOf(c.Path(name)), nil
}

// fileOf returns the file that a word means: a file, or the name of a run below
// .golem/runs of the directory that OrProject returns; "" is the newest of these.
func fileOf(c *console.Console, word string) (string, error) {
	runs := filepath.Join(target.KeptIn(c, target.OrProject(c, "")), filepath.FromSlash(trace.RunsDir))
	if word == "" {
		entries, _ := os.ReadDir(c.Path(runs)) // sorted by name, which begins with the time
		for _, e := range slices.Backward(entries) {
			if strings.HasSuffix(e.Name(), ".jsonl") && !isEmpty(e) {
				return filepath.Join(c.Path(runs), e.Name()), nil
			}
		}
		return "", fault.New(fault.NotFound, "there is no trace in %s", trace.RunsDir).Hinting("each run writes one; run golem there first, or name the file of a trace")
	}
	if isRunID(strings.TrimSuffix(word, ".jsonl")) {
		if _, err := os.Stat(c.Path(word)); err != nil {
			return filepath.Join(runs, strings.TrimSuffix(word, ".jsonl")+".jsonl"), nil
		}
	}
	return word, nil
}

// isEmpty reports whether a trace has no line: its run waits for a first message, or was killed
// before it.
func isEmpty(e os.DirEntry) bool {
	info, err := e.Info()
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// textsOf are the long texts beside the trace file of this name.
type textsOf string

// Text reads one of them.
func (name textsOf) Text(text string, size int64) ([]byte, error) {
	dir, err := disk.OpenRoot(trace.TextsDir(string(name)))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	file, err := dir.OpenFile(text, os.O_RDONLY|disk.OpenNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return io.ReadAll(io.LimitReader(file, size+1))
}
