package mcp

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// reference matches what stands for a variable of the environment inside a text: ${NAME},
// ${NAME:-text} and, as editors write it, ${env:NAME}. $${ stands for ${.
var reference = regexp.MustCompile(`\$?\$\{(env:)?([^{}:]*)(:-[^{}]*)?\}`)

// references returns what is wrong with the references in a configuration, "" for nothing.
func (c Config) references() string {
	values := append([]tool.Value{{Text: c.URL}}, c.Args...)
	for _, list := range []map[string]tool.Value{c.Env, c.Headers} {
		for _, v := range list {
			values = append(values, v)
		}
	}
	for _, v := range values {
		for _, m := range reference.FindAllStringSubmatch(v.Text, -1) {
			if !strings.HasPrefix(m[0], "$$") && !tool.ValidVariable(m[2]) {
				return "has " + fault.Quoted(m[0]) + ", which is not the name of a variable"
			}
		}
	}
	if strings.Contains(c.Command, "${") {
		return "has a variable in its command, so that what is started is not known"
	}
	if before, _, found := strings.Cut(c.URL, "${"); found && strings.Count(before, "/") < 3 {
		return "has a variable in the host of its url, so that where it leads is not known"
	}
	return ""
}

// References reports whether a text refers to a variable.
func References(text string) bool {
	return reference.MatchString(text)
}

// WithoutReferences returns a text without its references to variables.
func WithoutReferences(text string) string { return reference.ReplaceAllString(text, "") }

// resolved returns the text of a value, with the values of the variables to which it
// refers.
func resolved(v tool.Value, lookup func(tool.Value) (string, error)) (string, error) {
	if v.Kept() {
		return lookup(v)
	}
	var problem error
	out := reference.ReplaceAllStringFunc(v.Text, func(ref string) string {
		if strings.HasPrefix(ref, "$$") {
			return ref[1:]
		}
		m := reference.FindStringSubmatch(ref)
		value, err := lookup(tool.Value{Env: m[2]})
		switch {
		case err == nil:
			return value
		case m[3] != "" && errors.Is(err, fault.NotFound):
			return m[3][len(":-"):]
		case problem == nil:
			problem = err
		}
		return ""
	})
	return out, problem
}

// inProject reports whether a path leads to a place below the project's root.
func inProject(name string) bool {
	return fs.ValidPath(path.Clean(name)) && !strings.Contains(name, `\`)
}
