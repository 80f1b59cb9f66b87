// Package migrate rewrites projects that were made for golem-forge or llm-do,
// and files with small mistakes, so that golem reads them (SPEC §12, golem
// check --fix). It does only what is certain: keys with another name, forms
// that golem writes differently, missing quotes. It edits the text in place, so
// that comments and layout stay. It never approves more than golem approves
// without the change: an approval that would run without asking becomes `ask`
// and is named in Plan.Left. What needs a decision is left to a person.
package migrate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/project/check"
	"golem/core/sorting"
	"golem/core/textdiff"
	"golem/core/yamltree"
)

// Source is the project to migrate.
type Source struct {
	Files fs.FS
	// Root is the project's real directory as a slash path. It makes absolute
	// paths into the project relative; "" leaves them.
	Root    string
	Builtin fs.FS // built-in workers, as in project.Setup
	// Only is the one file that may be changed; "" is every file of the project.
	Only string
}

// toolsets are the names that golem has on one platform or another.
var toolsets = []string{"clearance", "custom", "filesystem", "git", "mcp", "page", "shell", "skills", "web", "workers"}

// foreignOptions are options of other tools, which no toolset of golem's has.
var foreignOptions = []string{"approvalConfig", "approval_config", "_approval_config"}

func (s Source) load(files fs.FS) (*project.Project, error) {
	return project.Load(project.Setup{FS: files, Builtin: s.Builtin, Platform: project.Platform{Toolsets: toolsets, Options: noForeign{}}})
}

// noForeign refuses foreignOptions.
type noForeign struct{}

// Check returns a fault if there is one.
func (noForeign) Check(_ string, options json.RawMessage) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(options, &keys); err != nil {
		return err
	}
	for _, key := range foreignOptions {
		if keys[key] != nil {
			return fault.New(fault.Config, "there is no option %q", key)
		}
	}
	return nil
}

// Note says what a change does, or what a person must decide. Line counts from
// 1 and is that of the file before the change that Note is about.
type Note struct {
	File string
	Line int
	Text string
}

// Change is one file, as it is and as it would be.
type Change struct {
	File          string // from the project root
	Before, After []byte
	Notes         []Note
}

// Diff returns the change as a unified diff that git can apply.
func (c Change) Diff() string {
	return textdiff.Unified("a/"+c.File, "b/"+c.File, string(c.Before), string(c.After))
}

// Plan is a list of changes that Make proposes. Only Write changes files.
type Plan struct {
	Changes []Change // sorted by file
	Left    []Note   // what was made stricter than it was, or could not be changed
}

// Diff returns all changes as one unified diff.
func (p *Plan) Diff() string {
	var b strings.Builder
	for _, c := range p.Changes {
		b.WriteString(c.Diff())
	}
	return b.String()
}

// Files is the file system that Write changes. WriteFile replaces the whole content of
// a file.
type Files interface {
	fs.FS
	WriteFile(name string, data []byte) error
}

// Write writes all changes or none. If a file has changed since the plan was made, it
// returns E_CONFLICT and writes nothing. If a file cannot be written, those before it
// get their old content back.
func (p *Plan) Write(to Files) error {
	for _, c := range p.Changes {
		if now, err := readFile(to, c.File); err != nil || !bytes.Equal(now, c.Before) {
			return fault.New(fault.Conflict, "the file has changed meanwhile, so nothing was written").At(c.File, 0, 0).Hinting("run golem check --fix again")
		}
	}
	for i, c := range p.Changes {
		err := to.WriteFile(c.File, c.After)
		if err == nil {
			continue
		}
		for _, done := range p.Changes[:i] {
			err = errors.Join(err, to.WriteFile(done.File, done.Before))
		}
		return fault.New(fault.Config, "the file cannot be written, so the others were left as they were: %w", err).At(c.File, 0, 0)
	}
	return nil
}

// maxPasses bounds how often the rules are applied: after the changes of one rule,
// another one may fit.
const maxPasses = 20

// Make reads the project and plans the changes. A second Make, over the changed
// files, plans nothing. Files that no rule fits, and workers that golem reads
// already, keep their meaning.
func Make(s Source) (*Plan, error) {
	over := &overlay{FS: s.Files, files: map[string][]byte{}}
	notes, stricter := map[string][]Note{}, []Note{}
	stuck := map[string]bool{}
	for range maxPasses {
		p, err := s.load(over)
		if p == nil {
			return nil, err
		}
		m := &pass{p: p, src: s, files: over, faults: map[yamltree.Pos]fault.Code{}}
		for _, f := range check.Project(p, "", nil) {
			if f.Where != nil {
				m.faults[yamltree.At(f.Where.File, f.Where.Line, f.Where.Column)] = f.Code
			}
		}
		changed, left := false, []Note{}
		for _, name := range m.definitions() {
			if stuck[name] {
				continue
			}
			d := m.open(name)
			if d == nil {
				continue
			}
			next, ok := d.fixed()
			left = append(left, d.left...)
			if stuck[name] = !ok; !ok || bytes.Equal(next, d.data) {
				continue
			}
			over.files[name], changed = next, true
			notes[name] = append(notes[name], d.notes...)
			stricter = append(stricter, d.stricter...)
		}
		if !changed {
			return s.plan(over, notes, append(left, stricter...))
		}
	}
	return nil, fault.New(fault.Config, "nothing was written, because each change made another one necessary").Hinting("report this project as a defect of golem check --fix")
}

// plan makes the Plan. It returns an error, too, if a worker that golem could read
// before would be another one afterwards.
func (s Source) plan(over *overlay, notes map[string][]Note, left []Note) (*Plan, error) {
	out := &Plan{Left: left}
	for name, after := range over.files {
		before, err := fs.ReadFile(s.Files, name)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(before, after) {
			out.Changes = append(out.Changes, Change{File: name, Before: before, After: after, Notes: notes[name]})
		}
	}
	sorting.By(out.Changes, func(a, b Change) int { return cmp.Compare(a.File, b.File) })
	sorting.By(out.Left, func(a, b Note) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
	if len(out.Changes) == 0 {
		return out, nil
	}
	return out, s.checkSame(over)
}

// overlay is a project with some files changed.
type overlay struct {
	fs.FS
	files map[string][]byte
}

func (o *overlay) Open(name string) (fs.File, error) {
	data, ok := o.files[name]
	if !ok {
		return o.FS.Open(name)
	}
	file, err := o.FS.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	return &changedFile{Reader: bytes.NewReader(data), info: info, size: int64(len(data))}, nil
}

func (o *overlay) ReadLink(name string) (string, error) {
	if links, ok := o.FS.(fs.ReadLinkFS); ok {
		return links.ReadLink(name)
	}
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

func (o *overlay) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(o.FS, name) }

type changedFile struct {
	*bytes.Reader
	info fs.FileInfo
	size int64
}

type changedInfo struct {
	fs.FileInfo
	size int64
}

func (i changedInfo) Size() int64 { return i.size }

func (f *changedFile) Stat() (fs.FileInfo, error) { return changedInfo{f.info, f.size}, nil }
func (f *changedFile) Close() error               { return nil }

// pass is one application of the rules to the whole project.
type pass struct {
	p      *project.Project
	src    Source
	files  *overlay
	faults map[yamltree.Pos]fault.Code
	rows   []project.Listing
	names  map[string][]string // worker files by their name:; nil: not looked for
}

// definitions returns the files that may be changed: the manifest, the worker files
// that golem lists, that workers name as ./path or that are in the root, templates, and
// files of tests.
func (m *pass) definitions() []string {
	var out []string
	if file := m.p.Manifest.File; file != "" {
		out = append(out, file)
	}
	m.rows, _ = m.p.Workers.List()
	for _, row := range m.rows {
		if row.Source != "project" {
			continue
		}
		out = append(append(out, row.Path), row.Shadowed...)
	}
	for _, row := range m.rows {
		out = append(out, m.named(row)...)
	}
	entries, _ := fs.ReadDir(m.files, ".") // what cannot be read is not changed
	for _, e := range entries {
		if path.Ext(e.Name()) == ".worker" {
			out = append(out, e.Name())
		}
	}
	for _, name := range m.p.Templates.List() {
		if slices.Contains([]string{".jinja", ".jinja2", ".j2"}, path.Ext(name)) {
			out = append(out, name)
		}
	}
	for _, row := range m.rows {
		if w, err := m.p.Workers.Find("./" + row.Path); err == nil && row.Source == "project" && w.Template {
			out = append(out, w.TextFile) // a text that is only inserted is not a template
		}
	}
	out = append(out, m.tests()...)
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(name string) bool {
		return !m.regular(name) || m.src.Only != "" && name != m.src.Only
	})
}

// named returns the worker files that a worker allows or imports as ./path.
func (m *pass) named(row project.Listing) []string {
	w, err := m.p.Workers.Find("./" + row.Path)
	if err != nil || row.Source != "project" {
		return nil
	}
	var out []string
	for _, ref := range append(slices.Clone(w.Delegates.Refs), w.Imports.Workers...) {
		if name := path.Clean(ref); m.isWorker(name) {
			out = append(out, name)
		}
	}
	return out
}

// regular reports whether a name is a file of the project itself, not reached through a
// link: to write through a link would change another file.
func (m *pass) regular(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		info, err := fs.Lstat(m.src.Files, at)
		if err != nil || at == name && !info.Mode().IsRegular() || at != name && !info.IsDir() {
			return false
		}
	}
	return true
}

func (m *pass) exists(name string) bool {
	if !fs.ValidPath(name) {
		return false
	}
	info, err := fs.Stat(m.src.Files, name)
	return err == nil && info.Mode().IsRegular()
}

func (m *pass) dir(name string) bool {
	if !fs.ValidPath(name) {
		return false
	}
	info, err := fs.Stat(m.src.Files, name)
	return err == nil && info.IsDir()
}

func (m *pass) isWorker(name string) bool {
	return path.Ext(name) == ".worker" || slices.ContainsFunc(m.rows, func(r project.Listing) bool {
		return r.Source == "project" && (r.Path == name || slices.Contains(r.Shadowed, name))
	})
}

// rooted returns the ID of a worker file below a workers root; "" for any other.
func (m *pass) rooted(name string) string {
	for _, root := range m.p.Manifest.WorkersRoots {
		if !strings.HasPrefix(name, root+"/") {
			continue
		}
		for _, row := range m.rows {
			if row.Path == name {
				return row.ID
			}
		}
	}
	return ""
}
