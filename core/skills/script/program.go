package script

import (
	"path"
	"slices"
	"strings"

	"golem/core/fault"
)

// interpreters are the programs that run scripts, by the ends of their names.
var interpreters = map[string]string{".py": "python3", ".sh": "sh", ".bash": "bash", ".rb": "ruby", ".pl": "perl"}

// Program returns the program that a script is for, by its first line or its name: node for all
// that golem's engine runs. E_NOT_ALLOWED: golem knows none.
func Program(file string, data []byte) (string, error) {
	if IsJavaScript(file) {
		return "node", nil
	}
	known := []string{"python3", "python", "sh", "bash", "ruby", "perl"}
	if first, _, _ := strings.Cut(string(data[:min(len(data), 256)]), "\n"); strings.HasPrefix(first, "#!") {
		words := strings.Fields(strings.TrimPrefix(first, "#!"))
		if len(words) > 1 && path.Base(words[0]) == "env" {
			words = words[1:]
		}
		if len(words) == 1 && slices.Contains(known, path.Base(words[0])) {
			return path.Base(words[0]), nil
		}
	}
	if program := interpreters[path.Ext(file)]; program != "" {
		return program, nil
	}
	return "", fault.New(fault.NotAllowed, "golem does not know how to run %s", fault.Quoted(file)).
		Hinting("scripts of skills are .js, .ts, .py, .sh, .bash, .rb and .pl files, or begin with #! and one of %s", strings.Join(known, ", "))
}
