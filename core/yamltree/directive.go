package yamltree

import (
	"bytes"
	"regexp"
	"sync"

	"golem/core/fault"
)

var (
	versionLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\A(?:[ \t]*(?:#.*)?\r?\n)*(%)YAML[ \t]+1\.[0-9]+[ \t]*(?:[ \t]#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*---`)
	})
	directiveLine = regexp.MustCompile(`\A(?:[ \t]*(?:#.*)?\r?\n)*%`)
)

// withoutVersion makes a comment of a first line %YAML 1.2: the library refuses every version
// but 1.1.
func withoutVersion(data []byte) []byte {
	at := versionLine().FindSubmatchIndex(data)
	if at == nil {
		return data
	}
	data = bytes.Clone(data)
	data[at[2]] = '#'
	return data
}

// directive refuses all other directives, as %TAG.
func directive(file string, data []byte) *fault.Fault {
	at := directiveLine.FindIndex(data)
	if at == nil {
		return nil
	}
	f := Pos{file, 1 + bytes.Count(data[:at[1]], []byte("\n")), 1}.Fault(fault.Config, "a YAML directive other than %%YAML 1.2 before a line --- is not supported")
	return f.Hinting("remove the line that begins with %%; to write text that begins with it, use quotes")
}

// endedLine ends a last line of spaces alone, which the library would take for text.
func endedLine(data []byte) []byte {
	last := data[bytes.LastIndexByte(data, '\n')+1:]
	if len(last) == 0 || len(bytes.Trim(last, " ")) > 0 {
		return data
	}
	return append(bytes.Clone(data), '\n')
}
