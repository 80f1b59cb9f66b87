package main

import (
	"errors"
	"io/fs"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/sandbox/opfs"
)

// recordingStart is the beginning of every recording.
const recordingStart = `{"golem":"recording"`

// recordable checks, before a run, the file of the project that gets its recording, and returns
// its cleaned name; "" for "". As on the command line, a file that is not empty must be a
// recording (E_CONFLICT), so that a mistyped name destroys no worker.
func recordable(fsys *opfs.FS, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	name, err := editable(name)
	if err == nil {
		err = notGit(name)
	}
	if err != nil {
		return "", err
	}
	info, err := fsys.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return name, sandbox.ValidNew(name)
	}
	if err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return name, nil
	}
	var start []byte
	if err == nil && info.Mode().IsRegular() {
		start, err = part(fsys, name, 0, int64(len(recordingStart)))
	}
	if err == nil && string(start) != recordingStart {
		err = fault.New(fault.Conflict, "%s is there already, and it is not a recording", name).
			Hinting("name a new file; golem replaces only what it wrote itself")
	}
	return name, err
}
