package yamltree

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"golem/core/fault"
)

// yaml.v3 reports the line where a construct began, a line beside the true one, or no
// line. golem finds the true line by parsing again: it is the first line with which the
// text is not YAML any more.

const (
	maxSearched = 1 << 19  // bytes that are parsed at most to find a line
	maxLooked   = 64 << 10 // of the file, in which the line is looked for
)

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(?s:(.*))$`)

// diagnose explains an error of the YAML library: what the person did (a tab, an
// indentation, an open list or quote), at which position and, where that can be
// known, what to write instead. data are the file's bytes without a byte order
// mark.
func diagnose(file string, data []byte, err error) *fault.Fault {
	what, reported := err.Error(), 1
	if m := yamlLine.FindStringSubmatch(what); m != nil {
		if line, e := strconv.Atoi(m[1]); e == nil && line > 0 {
			reported = line
		}
		what = m[2]
	}
	lines := strings.Split(string(data[:min(len(data), maxLooked)]), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	bad := firstBad(data, len(lines))
	if bad < 0 || bad >= len(lines) {
		return fault.New(fault.Config, "malformed YAML: %s", fault.Brief(what)).At(file, reported, 1)
	}
	d := &diagnosis{lines: lines, bad: bad, line: lines[bad], what: what}
	column, problem, hint := d.explain()
	f := fault.New(fault.Config, "malformed YAML: %s", problem).At(file, d.bad+1, 1+utf8.RuneCountInString(d.line[:min(column, len(d.line))]))
	if hint != "" {
		f = f.Hinting("%s", hint)
	}
	return f
}

// firstBad returns the index of the first line, among the first n, with which the text
// up to it is not YAML any more; -1 if there is none.
func firstBad(data []byte, n int) int {
	ends := make([]int, 0, n+1)
	ends = append(ends, 0)
	for end := 0; len(ends) <= n; {
		i := bytes.IndexByte(data[end:], '\n')
		if i < 0 {
			ends = append(ends, len(data))
			break
		}
		end += i + 1
		ends = append(ends, end)
	}
	good := func(k int) bool {
		var doc yaml.Node
		if err := newDecoder(data[:ends[k]]).Decode(&doc); err != nil && err != io.EOF {
			return false
		}
		return len(doc.Content) == 0 || doc.Content[0].Kind == yaml.MappingNode
	}
	left, k := maxSearched, len(ends)-1
	for ; k > 0 && left > 0; k-- {
		if left -= ends[k]; good(k) {
			break
		}
	}
	low := 0 // for the rest of a long file: bisection, which a list over many lines may mislead
	for k > 0 && left <= 0 && low+1 < k {
		if mid := (low + k) / 2; good(mid) {
			low = mid
		} else {
			k = mid
		}
	}
	if left <= 0 {
		k = low
	}
	if k == len(ends)-1 {
		return -1
	}
	return k
}

// diagnosis is the state of one attempt to explain an error: its methods guess from the
// bad line and those above it what a person did.
type diagnosis struct {
	lines []string
	bad   int
	line  string
	what  string // the library's words
}

var (
	keyLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^ *(?:- +)*("[^"]*"|'[^']*'|[^\s"'#\[\]{},&*!|>%@` + "`" + `][^:#]*?) *:(?:\s|$)`)
	})
	tightColon = regexp.MustCompile(`^ *(?:- +)*([A-Za-z_][\w.-]*):([^\s/:].*)$`)
	bareStar   = regexp.MustCompile(`[ \[,:-]([*&][^\s,\]}\w'"]*)(?:[ ,\]}]|$)`)
	blockText  = regexp.MustCompile(`: *[|>][0-9+-]* *$`)
	tightDash  = regexp.MustCompile(`^ *-([^\s-].*)$`)
	noComma    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[{,] *(?:[\w.-]+|"[^"]*"|'[^']*') *: (?:[^{},:'"]*|"[^"]*"|'[^']*') ([A-Za-z_][\w.-]*) *: |[\]}] +([A-Za-z_][\w.-]*) *: `)
	})
	goodEscape = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\\(?:[0abt\tnvfre "\\N_LP]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|$)`)
	})
	notFirst = "*&@`%]},|>!?"
)

// escape returns the offset in the line of an escape that the library does not know; -1
// if the library reports no escape. In a text of several lines the escape may be in a
// later line, which is then the bad line.
func (d *diagnosis) escape() int {
	if !strings.Contains(d.what, "unknown escape") && !strings.Contains(d.what, "hexdecimal") {
		return -1
	}
	for i := d.bad; i < len(d.lines); i++ {
		line := d.lines[i]
		at := 0
		if i == d.bad { // a later line is within the text
			at = max(0, strings.IndexByte(line, '"'))
		}
		for ; at < len(line); at++ {
			if line[at] != '\\' {
				continue
			}
			if !goodEscape().MatchString(line[at:]) {
				d.bad, d.line = i, line
				return at
			}
			at++
		}
	}
	return -1
}

// explain returns the byte offset in the line, the problem and the remedy.
func (d *diagnosis) explain() (column int, problem, hint string) {
	indent := len(d.line) - len(strings.TrimLeft(d.line, " "))
	if indent < len(d.line) && d.line[indent] == '\t' {
		return indent, "this line is indented with a tab", "indent with spaces: YAML takes no tabs"
	}
	if at := d.escape(); at >= 0 {
		_, size := utf8.DecodeRuneInString(d.line[at+1:])
		hint := `write \\ or use single quotes`
		if strings.HasPrefix(d.line[at:], `\/`) {
			hint = "write / alone"
		}
		return at, fmt.Sprintf(`%s is not an escape in double quotes`, d.line[at:at+1+size]), hint
	}
	if m := noComma().FindStringSubmatchIndex(d.line); m != nil && strings.Contains(d.what, "expected ','") {
		at := max(m[2], m[4])
		return at, "a comma is missing before " + fault.Brief(strings.TrimRight(d.line[at:m[1]], ": ")), "put a comma between two items"
	}
	if i := unclosed(d.line); i >= 0 && (strings.Contains(d.what, "expected ','") || strings.Contains(d.what, "expected node content")) {
		what, end := "list", "]"
		if d.line[i] == '{' {
			what, end = "mapping", "}"
		}
		return i, fmt.Sprintf("the %s that begins with %c has no comma or %s where one is needed", what, d.line[i], end),
			fmt.Sprintf("close it with %s, and put a comma between two items", end)
	}
	if m := bareStar.FindStringSubmatchIndex(d.line); m != nil && strings.Contains(d.what, "alphabetic or numeric") {
		return m[2], fmt.Sprintf("a value that begins with %c must be in quotes", d.line[m[2]]), fmt.Sprintf("write '%s'", d.line[m[2]:m[3]])
	}
	key, value := d.value()
	if column, problem, hint = d.quotes(value); problem != "" {
		return column, problem, hint
	}
	switch m := tightColon.FindStringSubmatchIndex(d.line); {
	case value < len(d.line) && strings.IndexByte(notFirst, d.line[value]) >= 0:
		return value, fmt.Sprintf("a value that begins with %c must be in quotes", d.line[value]),
			fmt.Sprintf("write '%s'", fault.Brief(strings.ReplaceAll(d.line[value:], "'", "''")))
	case tightDash.MatchString(d.line) && key == "":
		return indent, "a space is missing after the - of a list item", "write - " + fault.Brief(tightDash.FindStringSubmatch(d.line)[1])
	case m != nil && key == "":
		return m[3], "a space is missing after the colon", fmt.Sprintf("write %s: %s", d.line[m[2]:m[3]], fault.Brief(d.line[m[4]:m[5]]))
	}
	if above := d.lineAbove(); key == "" && blockText.MatchString(above) && indent <= len(above)-len(strings.TrimLeft(above, " ")) {
		return indent, "the text below " + fault.Brief(strings.TrimSpace(above)) + " is not indented", "indent each of its lines by two spaces more"
	}
	if problem, hint = d.indentation(indent); problem != "" {
		return indent, problem, hint
	}
	text, _, _ := strings.Cut(d.line[min(value, len(d.line)):], " #") // the value, without a comment
	text = strings.TrimRight(text, " ")
	second := strings.Index(text, ": ")
	switch {
	case key != "" && second < 0 && len(text) > 1 && strings.HasSuffix(text, ":"):
		return value, "a value that ends with a colon must be in quotes", fmt.Sprintf("write %s: '%s'", fault.Brief(key), fault.Brief(strings.ReplaceAll(text, "'", "''")))
	case key != "" && second >= 0:
		return value + second, "this line has a second colon", fmt.Sprintf("put the text in quotes: %s: %s", fault.Brief(key), strconv.Quote(fault.Brief(d.line[value:])))
	case strings.HasPrefix(d.line[indent:]+" ", "- "):
		return indent, "a list item stands where a key is expected", "indent the item below its key, or write key: value"
	case key == "":
		return indent, "this line is not key: value, not a list item and not a continuation of the line above", "write key: value"
	}
	return value, fault.Brief(d.what), ""
}

// unclosed returns the offset of the innermost bracket that a line leaves open; -1 if
// there is none. A bracket within quotes is text.
func unclosed(line string) int {
	var open []int
	quote := byte(0)
	for i := range len(line) {
		switch c := line[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' && (i == 0 || strings.IndexByte(" [{,:", line[i-1]) >= 0):
			quote = c
		case c == '[' || c == '{':
			open = append(open, i)
		case (c == ']' || c == '}') && len(open) > 0:
			last := open[len(open)-1]
			if line[last] != c-2 { // in ASCII [ ] and { } lie two apart
				return last
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}

// lineAbove returns the last line before the bad one that is not empty.
func (d *diagnosis) lineAbove() string {
	for i := d.bad - 1; i >= 0; i-- {
		if strings.TrimSpace(d.lines[i]) != "" {
			return d.lines[i]
		}
	}
	return ""
}

// value returns the line's key, "" if it has none, and the offset of its value.
func (d *diagnosis) value() (key string, offset int) {
	m := keyLine().FindStringSubmatchIndex(d.line)
	if m == nil {
		rest := strings.TrimLeft(d.line, " ")
		for strings.HasPrefix(rest, "- ") {
			rest = strings.TrimLeft(rest[2:], " ")
		}
		if rest != strings.TrimLeft(d.line, " ") {
			return "", len(d.line) - len(rest)
		}
		return "", len(d.line)
	}
	rest := strings.TrimLeft(d.line[m[1]:], " \t")
	return d.line[m[2]:m[3]], len(d.line) - len(rest)
}

// quotes explains a quoted value that never ends, or ends too early.
func (d *diagnosis) quotes(value int) (column int, problem, hint string) {
	if value >= len(d.line) || d.line[value] != '\'' && d.line[value] != '"' {
		return 0, "", ""
	}
	quote, rest := d.line[value:value+1], d.line[value+1:]
	end := strings.Index(rest, quote)
	switch {
	case strings.Contains(d.what, "unexpected end of stream") || strings.Contains(d.what, "document indicator") || end < 0:
		return value, fmt.Sprintf("the text that begins with %s has no second %s", quote, quote), "end it with " + quote
	case strings.Trim(rest[end+1:], " ,]}") == "" || strings.HasPrefix(strings.TrimLeft(rest[end+1:], " "), "#"):
		return 0, "", ""
	case strings.Contains(d.what, "escape"):
		return 0, "", ""
	case quote == "'":
		return value + 1 + end + 1, "there is more text after the closing '", "write '' for a ' within the text"
	}
	return value + 1 + end + 1, `there is more text after the closing "`, `write \" for a " within the text`
}

// indentation explains a line whose indentation matches none of the lines above, or
// that is indented below a line which has a value already.
func (d *diagnosis) indentation(indent int) (problem, hint string) {
	levels, last := []int{0}, -1
	for i, line := range d.lines[:d.bad] {
		text := strings.TrimLeft(line, " ")
		if text == "" || text[0] == '#' || text == "---" {
			continue
		}
		here := len(line) - len(text)
		for len(levels) > 1 && levels[len(levels)-1] > here {
			levels = levels[:len(levels)-1]
		}
		if here > levels[len(levels)-1] {
			levels = append(levels, here)
		}
		last = i
	}
	if last < 0 {
		return "", ""
	}
	above := d.lines[last]
	stands := len(above) - len(strings.TrimLeft(above, " "))
	if indent < levels[len(levels)-1] && !slices.Contains(levels, indent) {
		words := make([]string, len(levels))
		for i, l := range levels {
			words[i] = strconv.Itoa(l)
		}
		return fmt.Sprintf("the indentation of %s matches no line above", spaces(indent)),
			fmt.Sprintf("indent by %s spaces", strings.Join(words, " or "))
	}
	if m := keyLine().FindStringIndex(above); m != nil && indent > stands && strings.TrimSpace(above[m[1]:]) != "" && keyLine().MatchString(d.line) {
		return fmt.Sprintf("this line is indented more than line %d, which has a value already", last+1),
			fmt.Sprintf("indent it as line %d, by %s", last+1, spaces(stands))
	}
	return "", ""
}

func spaces(n int) string {
	if n == 1 {
		return "1 space"
	}
	return strconv.Itoa(n) + " spaces"
}

// Prose reports whether a line reads like a sentence and not like YAML: it is not
// indented, begins with no character that means something to YAML, and has no
// key of one word.
func Prose(line string) bool {
	if line == "" || strings.IndexByte(" \t-?:,[]{}&!|>%@`'\"", line[0]) >= 0 {
		return false
	}
	m := keyLine().FindStringSubmatch(line)
	return m == nil && !tightColon.MatchString(line) || m != nil && strings.Contains(m[1], " ")
}
