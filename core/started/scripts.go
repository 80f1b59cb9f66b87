package started

import (
	"bytes"
	"io/fs"
	"path"
	"strings"

	"golem/core/sandbox"
)

func (f *finder) executable(name string) bool {
	info, err := fs.Stat(f.tree.FS, name)
	return err == nil && info.Mode().Perm()&0o111 != 0
}

// scripts reads the started scripts, and records the code that they name: a wrapper that
// starts another file, a module that lies beside them. A script may also load code under
// names that golem does not find, so that its scope is Code.
func (f *finder) scripts() {
	read := map[string]bool{}
	for again := true; again; {
		again = false
		for _, name := range sorted(f.files) {
			if read[name] || f.kind(name) != regular {
				continue
			}
			if read[name], again = true, true; len(read) > maxScripts {
				f.scope = Any
				return
			}
			if text, ok := f.text(name); ok {
				f.script(name, text)
			}
		}
	}
}

// text returns the content of a script; ok is false for other files. Of a file that is too
// long it returns the beginning.
func (f *finder) text(name string) (text string, ok bool) {
	data, err := sandbox.ReadFile(f.tree.FS, name, maxScript)
	if err != nil {
		if info, statErr := fs.Stat(f.tree.FS, name); statErr == nil && info.Size() > maxScript && looksLikeCode(name) {
			f.widen(Any)
		}
		return "", false
	}
	if bytes.IndexByte(data, 0) >= 0 || !bytes.HasPrefix(data, []byte("#!")) && !looksLikeCode(name) {
		return "", false
	}
	return string(data), true
}

func (f *finder) script(name, text string) {
	f.widen(Code)
	dir := path.Dir(name)
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "#!") {
		for i, word := range strings.Fields(first[2:]) { // the interpreter may lie in the project, too
			if i == 0 || strings.Contains(word, "/") {
				f.program(word)
			}
			f.runner(base(word))
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "//") {
			continue
		}
		expands := strings.ContainsAny(line, "$`~%")
		for _, word := range fields(line) {
			f.loads(dir, word)
			for rest := word; expands && strings.Contains(rest, "/"); { // "$here/real/main.sh"
				_, rest, _ = strings.Cut(rest, "/")
				f.loads(dir, rest)
			}
		}
	}
}

// loads records the code that a word of a script may mean, in the script's directory and in
// the root.
func (f *finder) loads(dir, word string) {
	if len(word) > 255 || f.looked > maxLooks {
		return
	}
	word = strings.TrimLeft(strings.TrimPrefix(word, "./"), "/")
	names := []string{word}
	if dotted := strings.ReplaceAll(strings.Trim(word, "."), ".", "/"); dotted != word {
		names = append(names, dotted)
	}
	for _, from := range []string{dir, "."} {
		for _, n := range names {
			full := path.Join(from, n)
			first, _, _ := strings.Cut(n, "/")
			if n == "" || !fs.ValidPath(full) || first != ".." && !f.listing(from)[first] {
				continue
			}
			for _, ext := range tries {
				if f.isCode(full + ext) {
					f.file(full + ext)
				}
			}
		}
	}
}

// listing returns the names in a directory, with and without their extensions, so that most
// words of a script are not looked up.
func (f *finder) listing(dir string) map[string]bool {
	if known, ok := f.listings[dir]; ok {
		return known
	}
	out := map[string]bool{}
	f.listings[dir] = out
	entries, _ := fs.ReadDir(f.tree.FS, dir) // none if it cannot be read
	for _, e := range entries {
		out[e.Name()], out[strings.TrimSuffix(e.Name(), path.Ext(e.Name()))] = true, true
	}
	return out
}
