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
	return path.Join(recordingsOf(file), stem+".jsonl")
}

// recordingsOf returns the directory of the recordings of a file.
func recordingsOf(file string) string {
	below := strings.TrimPrefix(file, Dir+"/")
	return path.Join(Recordings, strings.TrimSuffix(below, path.Ext(below)))
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
// apart from tests/recordings, and the evals of Agent Skills. Links are not followed, so that
// nothing outside the project is read; one that may lead to tests is a fault.
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
	out.unshare()
	out.Faults.Sort()
	return out
}

// unshare removes files that would share their recordings, and adds a fault for each.
func (s *Suite) unshare() {
	places := map[string][]string{}
	for _, f := range s.Files {
		places[recordingsOf(f.Path)] = append(places[recordingsOf(f.Path)], f.Path)
	}
	s.Files = slices.DeleteFunc(s.Files, func(f File) bool {
		place := recordingsOf(f.Path)
		all := places[place]
		if len(all) > 1 {
			s.Faults = append(s.Faults, fault.New(fault.Config, "%s have the same directory of recordings, %s", strings.Join(all, " and "), place).
				Hinting("rename one of them").At(f.Path, 0, 0))
		}
		return len(all) > 1
	})
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

// eachFile visits the files of tests and of evals; err says that a file could not be read, or
// that it looks like one and is not read.
func eachFile(project fs.FS, visit func(name string, data []byte, err error)) error {
	files, links := evalFiles(project)
	for _, name := range files {
		data, err := load(project, name)
		visit(name, data, err)
	}
	for _, name := range links {
		visit(name, nil, fault.Warn(fault.Path, "golem follows no link to evals, so they are not run").Hinting("put the file itself here"))
	}
	return fs.WalkDir(project, Dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == Dir: // there are no tests
			return fs.SkipAll
		case err != nil:
			visit(name, nil, err)
			return nil
		case name == Recordings && d.IsDir():
			return fs.SkipDir
		case name == Recordings || d.IsDir():
			return nil
		}
		if data, err := read(project, name, d); data != nil || err != nil {
			visit(name, data, err)
		}
		return nil
	})
}

// isYAML reports whether a file has the name of a YAML file, in capital letters too.
func isYAML(name string) bool {
	ext := path.Ext(name)
	return strings.EqualFold(ext, ".yaml") || strings.EqualFold(ext, ".yml")
}

// read returns the content of a file of tests; nil and no error if it is something else. It is
// an error if a file looks like one and cannot be one.
func read(project fs.FS, name string, d fs.DirEntry) ([]byte, error) {
	link := d.Type()&fs.ModeSymlink != 0
	switch {
	case link && !isYAML(name):
		if info, err := fs.Stat(project, name); err == nil && info.IsDir() {
			return nil, fault.Warn(fault.Path, "golem follows no links in tests/, so tests in this directory are not run").Hinting("move the directory here")
		}
		return nil, nil
	case !isYAML(name):
		return nil, nil
	case !link && !d.Type().IsRegular():
		return nil, fault.New(fault.Path, "it is not a regular file, so it cannot be a file of tests").Hinting("remove it, or give it another ending than .yaml")
	}
	data, err := load(project, name)
	switch {
	case err == nil && !IsTest(data):
		return nil, nil
	case link:
		return nil, fault.New(fault.Path, "golem follows no links in tests/, so the tests of this file are not run").Hinting("put the file itself here, or give it another ending than .yaml if it has no tests")
	case err != nil:
		return nil, err
	case !slices.Contains([]string{".yaml", ".yml"}, path.Ext(name)):
		return nil, fault.New(fault.Path, "golem runs the tests of files in .yaml and .yml, written in small letters").Hinting("rename the file to %s", strings.TrimSuffix(name, path.Ext(name))+strings.ToLower(path.Ext(name)))
	}
	return append([]byte{}, data...), nil
}
