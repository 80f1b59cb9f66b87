package gitrepo

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/gitglob"
	"golem/core/sandbox"
)

// gitAttributes is what the files .gitattributes and info/attributes say about the content
// of files: which of them git stores in another form than they have in the working tree.
type gitAttributes struct {
	file   func(name string) ([]byte, error) // the content of a .gitattributes; fs.ErrNotExist: there is none
	info   []*attributeLine                  // of info/attributes
	dirs   map[string][]*attributeLine       // the lines of .gitattributes, by directory
	macros map[string][]string               // attributes by macro
	fold   bool                              // core.ignorecase
	lines  int                               // how many were parsed
	used   int                               // how many of them were compared with a file
}

// attributeLine is a line of such a file.
type attributeLine struct {
	pattern    string
	compiled   bool
	match      *gitglob.Glob // of the path below the directory of the file, or of the base name; nil: of nothing
	base       bool          // match is of the base name
	attributes []string
}

// converting are the attributes with which git stores other bytes than the file has.
var converting = []string{"filter", "working-tree-encoding"}

// attributeOf returns the attribute with its value for which git would store a file in another
// form, or "".
func (a *gitAttributes) attributeOf(name string) (string, error) {
	var matching []*attributeLine
	add := func(lines []*attributeLine, rel string) error {
		for _, l := range lines {
			if is, err := a.matches(l, rel); err != nil {
				return err
			} else if is {
				matching = append(matching, l)
			}
		}
		return nil
	}
	dirs := []string{"."}
	for n, c := range name {
		if c == '/' {
			dirs = append(dirs, name[:n])
		}
	}
	for _, dir := range dirs {
		lines, err := a.load(dir)
		if err == nil {
			err = add(lines, strings.TrimPrefix(name, strings.TrimPrefix(dir+"/", "./")))
		}
		if err != nil {
			return "", err
		}
	}
	if err := add(a.info, name); err != nil {
		return "", err
	}
	values := map[string]string{}
	for _, l := range slices.Backward(matching) {
		a.fill(values, l.attributes)
	}
	for _, key := range converting {
		if v := values[key]; v != "" {
			return key + "=" + v, nil
		}
	}
	return "", nil
}

// fill sets attributes that have no value yet, the last one first, with those of macros.
func (a *gitAttributes) fill(values map[string]string, attributes []string) {
	for _, text := range slices.Backward(attributes) {
		name, value, _ := strings.Cut(text, "=")
		name = strings.TrimLeft(name, "-!")
		if _, has := values[name]; has {
			continue
		}
		values[name] = value // a filter without a name is none
		a.fill(values, a.macros[text])
	}
}

// load returns the lines of a directory's .gitattributes.
func (a *gitAttributes) load(dir string) ([]*attributeLine, error) {
	lines, ok := a.dirs[dir]
	if ok {
		return lines, nil
	}
	data, err := a.file(path.Join(dir, ".gitattributes"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines, err = a.parse(data, dir == ".")
	a.dirs[dir] = lines
	return lines, err
}

// Limits for these files together.
const (
	maxAttributes    = 100_000 // lines
	maxConverting    = 1000    // lines that may give a file a filter
	maxAttributeLine = 2048    // bytes of a line: git ignores a longer one
)

// parse parses such a file. Only the one in the root may define macros.
func (a *gitAttributes) parse(data []byte, macros bool) (out []*attributeLine, err error) {
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\uFEFF")) {
		line = strings.Trim(line, " \t\r\n")
		if line == "" || line[0] == '#' || len(line) > maxAttributeLine {
			continue
		}
		if a.lines++; a.lines > maxAttributes {
			return nil, tooManyAttributes(maxAttributes, "lines")
		}
		pattern, rest := cutPattern(line)
		words := strings.FieldsFunc(rest, func(c rune) bool { return strings.ContainsRune(" \t\r\n", c) })
		if macro, is := strings.CutPrefix(pattern, "[attr]"); is {
			if macros {
				a.macros[macro] = words
			}
			continue
		}
		if strings.HasPrefix(pattern, "!") || strings.HasSuffix(pattern, "/") {
			continue // git ignores the first, and the second is only of directories
		}
		out = append(out, &attributeLine{base: !strings.Contains(pattern, "/"), pattern: strings.TrimPrefix(pattern, "/"), attributes: words})
	}
	return out, nil
}

func tooManyAttributes(most int, what string) error {
	return fault.New(fault.Limit, ".gitattributes has more than %d %s", most, what).Hinting("commit the files with git itself")
}

// matches reports whether a line may give a file a filter. rel is the path of the file
// below the directory of the line's file.
func (a *gitAttributes) matches(l *attributeLine, rel string) (bool, error) {
	if !slices.ContainsFunc(l.attributes, func(text string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(text, "-!"), "=")
		return a.macros[name] != nil || slices.Contains(converting, name)
	}) {
		return false, nil
	}
	if !l.compiled {
		if a.used++; a.used > maxConverting {
			return false, tooManyAttributes(maxConverting, "lines with filters")
		}
		l.compiled = true
		l.match, _ = gitglob.Compile(l.pattern, a.fold) // a pattern that is damaged matches nothing
	}
	if l.base {
		rel = path.Base(rel)
	}
	return l.match != nil && l.match.Match(rel), nil
}

// cutPattern returns the pattern of a line, which may be quoted, and the rest.
func cutPattern(line string) (pattern, rest string) {
	if quoted, err := strconv.QuotedPrefix(line); err == nil && line[0] == '"' {
		if pattern, err = strconv.Unquote(quoted); err == nil {
			return pattern, line[len(quoted):]
		}
	}
	at := strings.IndexAny(line, " \t")
	if at < 0 {
		return line, ""
	}
	return line[:at], line[at:]
}

// attributes returns the attributes by which git would store files of a commit. With
// committed, they are those of the last commit. Otherwise a .gitattributes is read from
// content, which has the files of the commit, or from the working tree if it shows the
// branch, or from the last commit.
func (b *Branch) attributes(content map[string]func() ([]byte, error), committed bool) (*gitAttributes, error) {
	config, err := b.config()
	if err != nil {
		return nil, err
	}
	root, err := b.root(b.tip)
	if err != nil {
		return nil, err
	}
	head, err := b.head()
	if err != nil {
		return nil, err
	}
	a := &gitAttributes{dirs: map[string][]*attributeLine{}, macros: map[string][]string{}, fold: set(config, "ignorecase", false)}
	a.file = func(name string) ([]byte, error) {
		switch read, changed := content[name]; {
		case committed:
		case changed && read != nil:
			return read()
		case changed:
			return nil, fs.ErrNotExist
		case b.work != nil && head == b.ref:
			if _, err := fs.Stat(b.work, name); err == nil {
				return sandbox.ReadFile(b.work, name, 1<<20)
			}
		}
		data, err := sandbox.ReadFile(gitCommit{b, root}, name, 1<<20)
		if errors.Is(err, fault.Path) { // a link, which git ignores, or below a file
			err = fs.ErrNotExist
		}
		return data, err
	}
	if _, err := a.load("."); err != nil {
		return nil, err
	}
	info, err := sandbox.ReadFile(b.git, "info/attributes", 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	a.info, err = a.parse(info, true)
	return a, err
}

// Accepts returns E_PATH if git would store one of these files in another form than
// golem, by a filter such as that of Git LFS.
func (b *Branch) Accepts(names []string) (err error) {
	defer recovered(&err)
	return b.plain(names, nil)
}

// plain implements Accepts. content has the files that a commit is to have. The attributes
// of the last commit count too, so that nobody takes a filter away in the working tree to
// have the content stored.
func (b *Branch) plain(names []string, content map[string]func() ([]byte, error)) error {
	root, err := b.root(b.tip)
	if err != nil {
		return err
	}
	for _, committed := range []bool{false, true} {
		a, err := b.attributes(content, committed)
		if err != nil {
			return err
		}
		for _, name := range names {
			why, err := a.attributeOf(name)
			if err != nil {
				return err
			}
			if why != "" {
				return b.converted(name, ".gitattributes gives it "+fault.Brief(oneLine(why)))
			}
		}
	}
	for _, name := range names {
		e, err := b.lookup(root, name)
		if err != nil || e == nil {
			continue // what it is is told when the commit is made
		}
		if _, is, err := b.pointer(*e); err != nil {
			return err
		} else if is {
			return b.converted(name, "the last commit has a pointer of Git LFS in its place")
		}
	}
	return nil
}

func (b *Branch) converted(name, why string) error {
	return fault.New(fault.Path, "%s of %s cannot be committed by golem: %s, so that git stores it in another form; golem runs no filter", ShownName(name), b.place, why).
		Hinting("commit this file with git itself; golem commits the others")
}
