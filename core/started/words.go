package started

import (
	"path"
	"slices"
	"strings"

	"golem/core/sandbox"
)

// separators are the characters that can stand before or after a name in an argument, in
// the text of sh -c and in a script.
const separators = " \t\r\n\"'`;|&<>(){}[]=,:@$!"

// fields returns the parts of a text that may be names, without duplicates.
func fields(text string) []string {
	out := []string{}
	if len(text) < 4<<10 {
		out = append(out, text)
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		out = append(out, w)
		if strings.HasPrefix(w, "-") && len(w) > 2 {
			out = append(out, w[2:]) // -r./x
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// words returns the names in the project that an argument can mean.
func (f *finder) words(text string) []string {
	var out []string
	expands := strings.ContainsAny(text, "$`~%")
	for _, w := range fields(text) {
		out = append(out, f.spellings(w)...)
		for rest := w; expands && strings.Contains(rest, "/"); { // $PWD/x, "$(dirname "$0")/x"
			_, rest, _ = strings.Cut(rest, "/")
			out = append(out, f.spellings(rest)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// spellings returns the names in the project that a path can mean: as it is, and with /
// for \. An absolute path counts if it leads into the project.
func (f *finder) spellings(word string) []string {
	var out []string
	for _, w := range slices.Compact([]string{word, strings.ReplaceAll(word, `\`, "/")}) {
		if w == "" || len(w) > 4<<10 || strings.ContainsRune(w, 0) {
			continue
		}
		name, ok := f.relative(w)
		if !ok && f.tree.Locate != nil && strings.Contains(w, "/") {
			name, ok = f.relative(f.tree.Locate(path.Join(f.base(w), w), false))
		}
		if ok {
			out = append(out, name)
		}
	}
	return out
}

// base returns the directory to which a path is relative.
func (f *finder) base(w string) string {
	if absolute(w) {
		return ""
	}
	return f.tree.Root
}

func absolute(w string) bool {
	return strings.HasPrefix(w, "/") || len(w) > 2 && w[1] == ':' && w[2] == '/'
}

// relative returns a path as a name in the project; ok is false if it is outside.
func (f *finder) relative(w string) (name string, ok bool) {
	switch {
	case w == "":
		return "", false
	case !absolute(w):
		name = path.Clean(w)
		return name, name != ".." && !strings.HasPrefix(name, "../")
	case f.tree.Root == "" || !absolute(f.tree.Root):
		return "", false
	}
	root, w := path.Clean(f.tree.Root), path.Clean(w)
	if w == root {
		return ".", true
	}
	prefix := strings.TrimSuffix(root, "/") + "/"
	if len(w) > len(prefix) && sandbox.Fold(w[:len(prefix)]) == sandbox.Fold(prefix) {
		return w[len(prefix):], true
	}
	return "", false
}
