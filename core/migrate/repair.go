package migrate

import (
	"regexp"
	"strings"

	"golem/core/config"
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

// repairs are corrections of mistakes that people make on a line, in the order in which
// they are tried.
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

// repaired returns the file after it mended the lines that YAML refuses, one after the
// other. If one line cannot be mended, it returns the file as it was, because half a
// repair is none.
func (d *doc) repaired() []byte {
	data := d.data
	var notes []Note
	tries := maxTries
	at, bad := stops(d.name, data)
	for bad {
		next, note, after, still := mend(d.name, data, at, &tries)
		if note == "" {
			return d.data
		}
		notes = append(notes, Note{d.name, at, note})
		data, at, bad = next, after, still
	}
	d.notes = append(d.notes, notes...)
	return data
}

// stops returns the first line with a fault; bad is false if there is none. Not every
// fault can be mended: a key that is there twice cannot.
func stops(name string, data []byte) (line int, bad bool) {
	front := data
	if head, _, _, ok := config.Split(data); ok && strings.HasSuffix(name, ".worker") {
		front = head
	}
	_, faults := yamltree.Parse(name, front)
	if len(faults) == 0 {
		return 0, false
	}
	return faults[0].Where.Line, true
}

// mend tries the repairs on one line. note is "" if none of them makes YAML read
// further than this line; otherwise after is the next line that YAML refuses, if bad is
// true.
func mend(name string, data []byte, line int, tries *int) (next []byte, note string, after int, bad bool) {
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
		if at, bad := stops(name, out); !bad || at > line {
			return out, r.note, at, bad
		}
	}
	return nil, "", 0, false
}
