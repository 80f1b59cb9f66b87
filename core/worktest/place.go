package worktest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Dir is the directory of tests in a project, Recordings that of their recordings, and Attached
// that of copies of files that were attached in runs of which cases were made.
const (
	Dir        = "tests"
	Recordings = Dir + "/recordings"
	Attached   = Recordings + "/attached"
)

// maxName is how much of a name is in the name of a recording, in bytes.
const maxName = 60

// RecordingOf returns the place of a recording: tests/recordings/FILE/CASE.jsonl (SPEC §17).
// model and sample are "" and 0 where a case has one of them; judge is for the judge's.
func RecordingOf(file, name, model string, sample int, judge bool) string {
	stem := plainName(name) + "-" + digestOf(name)[:8]
	if model != "" {
		stem += "." + plainName(model)
	}
	if sample > 0 {
		stem += fmt.Sprintf(".%d", sample)
	}
	if judge {
		stem += ".judge"
	}
	below := strings.TrimPrefix(file, Dir+"/")
	return path.Join(Recordings, strings.TrimSuffix(below, path.Ext(below)), stem+".jsonl")
}

// digestOf returns the SHA-256 of a text, in hexadecimal.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// plainName returns a name in lower case, with - in the place of what is neither a letter
// of ASCII nor a digit.
func plainName(name string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, name)
	return out[:min(len(out), maxName)]
}

// Suite is all tests of a project.
type Suite struct {
	Files  []File     // without faults, ordered by path
	Faults fault.List // of the others
}

// Cases returns how many cases the suite has.
func (s Suite) Cases() int {
	n := 0
	for _, f := range s.Files {
		n += len(f.Cases)
	}
	return n
}

// Case returns a case by its file and its name.
func (s Suite) Case(file, name string) (Case, bool) {
	for _, f := range s.Files {
		for _, c := range f.Cases {
			if f.Path == file && c.Name == name {
				return c, true
			}
		}
	}
	return Case{}, false
}

// Find reads the tests of a project: the YAML files in tests/ with the key test, at any depth
// apart from tests/recordings, and the evals of Agent Skills. Links are not followed, so that nothing outside the project is
// read.
func Find(project fs.FS) Suite {
	var out Suite
	err := eachFile(project, func(name string, data []byte, err error) {
		if err != nil {
			out.Faults = append(out.Faults, fault.Of(err, fault.NotFound).At(name, 0, 0))
			return
		}
		file, faults := readAny(name, data)
		if out.Faults = append(out.Faults, faults...); len(faults) == 0 {
			out.Files = append(out.Files, file)
		}
	})
	if err != nil {
		out.Faults = append(out.Faults, fault.Of(err, fault.NotFound).At(Dir, 0, 0))
	}
	out.Faults.Sort()
	return out
}

// Names returns the paths of the files of tests, ordered, also of those that have faults.
func Names(project fs.FS) (out []string) {
	_ = eachFile(project, func(name string, _ []byte, err error) {
		if err == nil {
			out = append(out, name)
		}
	})
	return out
}

// readAny reads a file of tests or of evals.
func readAny(name string, data []byte) (File, fault.List) {
	if path.Ext(name) == ".json" {
		return ReadEvals(name, data)
	}
	return Read(name, data)
}

// load reads a file of tests or of evals, up to MaxFile.
func load(project fs.FS, name string) ([]byte, error) {
	data, err := sandbox.ReadFile(project, name, MaxFile)
	if err != nil && fault.Of(err, fault.NotFound).Code == fault.Limit {
		err = fault.New(fault.Limit, "the file has more than %d MB", MaxFile>>20).Hinting("write several files")
	}
	return data, err
}

// eachFile visits the files of tests and of evals; err says that a file could not be read.
func eachFile(project fs.FS, visit func(name string, data []byte, err error)) error {
	for _, name := range evalFiles(project) {
		data, err := load(project, name)
		visit(name, data, err)
	}
	return fs.WalkDir(project, Dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == Dir: // there are no tests
			return fs.SkipAll
		case err != nil:
			visit(name, nil, err)
			return nil
		case d.IsDir() && name == Recordings:
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains([]string{".yaml", ".yml"}, path.Ext(name)):
			return nil
		}
		data, err := load(project, name)
		if err != nil || IsTest(data) {
			visit(name, data, err)
		}
		return nil
	})
}
