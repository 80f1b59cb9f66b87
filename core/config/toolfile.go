package config

import (
	"path"
	"slices"
	"strings"
)

// HomePrefix begins the path of a module outside the project.
const HomePrefix = "home:"

// IsModule reports whether a file's name is that of a module: *.wasm. A hidden file
// does not count, because people would not see what golem offers.
func IsModule(name string) bool { return path.Ext(name) == ".wasm" && !strings.HasPrefix(name, ".") }

// SourceExtensions are the extensions of the sources that golem runs.
var SourceExtensions = []string{".js", ".mjs", ".mts", ".ts"}

// IsToolSource reports whether a file's name is that of a source which golem runs where a
// module may stand. A test and a file of types are not tools.
func IsToolSource(name string) bool {
	if slices.Contains(SourceExtensions, path.Ext(name)) {
		return !strings.HasPrefix(name, ".") && !strings.Contains(name, ".test.") && path.Ext(strings.TrimSuffix(name, path.Ext(name))) != ".d"
	}
	return false
}

// ModuleStem returns the path of a module or of its source without the extension.
func ModuleStem(name string) string {
	if IsModule(path.Base(name)) || IsToolSource(path.Base(name)) {
		return strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}

// IsToolFile reports whether golem tool add and update may write a file of this name: a
// module or a description in tools/, or tools.lock.
func IsToolFile(name string) bool {
	base, inTools := strings.CutPrefix(name, "tools/")
	stem, described := strings.CutSuffix(base, ToolSidecar)
	if !described {
		stem = strings.TrimSuffix(base, ".wasm")
	}
	return name == ToolLockFile || inTools && stem != base && IsModuleName(stem)
}

// IsModuleName reports whether golem tool add may give a module this name; name is
// without .wasm.
func IsModuleName(name string) bool {
	return len(name) <= 100 && plainName(name, "_.-") && name[0] != '.' && name[0] != '-'
}

// plainName reports whether a name is not empty and has only ASCII letters, digits and
// the characters of others.
func plainName(name, others string) bool {
	for i := range len(name) {
		if c := name[i]; !letter(c) && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return name != ""
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// ToolSidecar ends the name of a file that describes tools, never a worker.
const ToolSidecar = ".tools.yaml"
