package gitglob

import (
	"errors"
	"path"
	"strings"
)

// maxLine is the longest line of an ignore file in bytes; no path is longer.
const maxLine = 4096

// Ignore is one line of an ignore file.
type Ignore struct {
	Included bool // it takes back what an earlier line left out
	glob     *Glob
	base     bool // matches the last name of a path, not the whole
	dirs     bool // matches directories only
}

// ParseIgnore reads a line. ok is false for lines without a pattern. A pattern that can match
// nothing is an error.
func ParseIgnore(line string, fold bool) (p Ignore, ok bool, err error) {
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	if len(line) > maxLine {
		return p, false, errors.New("it is longer than 4096 bytes")
	}
	if strings.HasPrefix(line, "#") {
		return p, false, nil
	}
	line, p.Included = strings.CutPrefix(trimmed(line), "!")
	line, p.dirs = strings.CutSuffix(line, "/")
	p.base = !strings.Contains(line, "/")
	if line = strings.TrimPrefix(line, "/"); line == "" {
		return p, false, nil
	}
	p.glob, err = Compile(line, fold)
	return p, err == nil, err
}

// trimmed returns a line without the spaces at its end that no backslash protects.
func trimmed(line string) string {
	end := 0 // behind the last character that stays
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			end = i + 1
		case line[i] != ' ':
			end = i + 1
		}
	}
	return line[:end]
}

// Match reports whether the line is about a path, relative to the directory of its file. It
// does not look at the directories above the path.
func (p Ignore) Match(name string, dir bool) bool {
	if p.dirs && !dir {
		return false
	}
	if p.base {
		name = path.Base(name)
	}
	return p.glob.Match(name)
}
