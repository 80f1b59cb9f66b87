package migrate

import (
	"regexp"
	"strings"

	"golem/core/project"
	"golem/core/yamltree"
)

// maxTries bounds how often the YAML of one file is read to repair it.
const maxTries = 60

var (
	noSpace  = regexp.MustCompile(`^( *(?:- +)*[A-Za-z_][\w.-]*):([^\s/:].*)$`)
	noDash   = regexp.MustCompile(`^( *)-([^\s-].*)$`)
	keyValue = regexp.MustCompile(`^( *(?:- +)*[A-Za-z_][\w.-]*: +)(.*?)( +#.*)?$`)
	itemOnly = regexp.MustCompile(`^( *- +)([^:\s].*?)( +#.*)?$`)
	starItem = regexp.MustCompile(`([ \[,])\*([,\]]|$)`)
)

// repairs are what a person may have forgotten on a line that YAML refuses.
var repairs = []struct {
	note string
	make func(line string) string
}{
	{"YAML is indented with spaces", func(line string) string {
		rest := strings.TrimLeft(line, " \t")
		return strings.ReplaceAll(line[:len(line)-len(rest)], "\t", "  ") + rest
	}},
	{"a space belongs after the colon", func(line string) string { return noSpace.ReplaceAllString(line, "$1: $2") }},
	{"a space belongs after the dash", func(line string) string { return noDash.ReplaceAllString(line, "$1- $2") }},
	{"a star alone is in quotes", func(line string) string { return starItem.ReplaceAllString(line, "$1'*'$2") }},
	{"a text with such characters is in quotes", func(line string) string { return quoteValue(line, keyValue) }},
	{"a text with such characters is in quotes", func(line string) string { return quoteValue(line, itemOnly) }},
}

func quoteValue(line string, form *regexp.Regexp) string {
	m := form.FindStringSubmatch(line)
	if m == nil || m[2] == "" || strings.ContainsAny(m[2][:1], "\"'|>[{&#") && !strings.HasPrefix(m[2], "{{") || strings.Contains(m[2], " #") {
		return line
	}
	return m[1] + "'" + strings.ReplaceAll(m[2], "'", "''") + "'" + m[3]
}

// repaired mends the lines at which YAML stops, one after the other, as long
// as that brings it further. If a fault stays that cannot be mended so, the
// file stays as it was: half a repair is none.
func (d *doc) repaired() []byte {
	data := d.data
	var notes []Note
	tries := maxTries
	at, bad := d.stops(data)
	for bad {
		next, note, after, still := d.mend(data, at, &tries)
		if note == "" {
			return d.data
		}
		notes = append(notes, Note{d.name, at, note})
		data, at, bad = next, after, still
	}
	d.notes = append(d.notes, notes...)
	return data
}

// stops is the first line that YAML refuses. A fault of another kind, such as a
// key that is there twice, cannot be mended.
func (d *doc) stops(data []byte) (line int, bad bool) {
	front := data
	if head, _, _, ok := project.Split(data); ok && strings.HasSuffix(d.name, ".worker") {
		front = head
	}
	_, faults := yamltree.Parse(d.name, front)
	if len(faults) == 0 {
		return 0, false
	}
	return faults[0].Where.Line, true
}

// mend tries the repairs on one line; note is "" if none brings YAML further,
// else after is the next line that YAML refuses, if bad.
func (d *doc) mend(data []byte, line int, tries *int) (next []byte, note string, after int, bad bool) {
	lines := strings.SplitAfter(string(data), "\n")
	if line < 1 || line > len(lines) {
		return nil, "", 0, false
	}
	text := strings.TrimRight(lines[line-1], "\r\n")
	end := lines[line-1][len(text):]
	for _, r := range repairs {
		changed := r.make(text)
		if changed == text {
			continue
		}
		if *tries--; *tries < 0 {
			break
		}
		lines[line-1] = changed + end
		out := []byte(strings.Join(lines, ""))
		if at, bad := d.stops(out); !bad || at > line {
			return out, r.note, at, bad
		}
	}
	return nil, "", 0, false
}
