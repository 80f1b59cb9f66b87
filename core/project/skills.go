package project

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/skills"
	"golem/core/sorting"
)

// Skill is a skill that was found (SPEC §21).
type Skill struct {
	skills.Skill
	Path   string // of its directory, as messages show it
	Source string // project, the library's name, or home
	// Shadowed is the path of the skill of the same name that is used in its place; "": this
	// one is used.
	Shadowed string
	Faults   fault.List // with an error among them it cannot be used
	body     string
	place    Location // of its directory
}

// Usable reports whether workers can use the skill.
func (s *Skill) Usable() bool { return s.Faults.Err() == nil && s.Shadowed == "" }

// Skills finds and reads the skills of a project: its own, those of its libraries, and the
// person's.
type Skills struct {
	trees *Trees
	home  *Tree // $GOLEM_HOME/skills; nil: there is none

	once sync.Once
	all  []Skill
}

const (
	homeSkills    = "home"
	maxSkills     = 1000 // in one directory
	maxSkillFiles = 500  // that are listed of one skill
	maxSkillDepth = 8
	maxSkillFile  = 4 << 20
)

func newSkills(o *Setup, t *Trees) *Skills {
	s := &Skills{trees: t}
	if o.SkillFiles != nil {
		s.home = &Tree{Name: config.HomePrefix + "skills/", Label: homeSkills, FS: o.SkillFiles}
	}
	return s
}

// All returns all skills, those of the project first. The first of a name is used; the
// others are shadowed. The caller must not change the list.
func (s *Skills) All() []Skill {
	s.once.Do(s.find)
	return s.all
}

// Usable returns the skills that workers can use, sorted by name.
func (s *Skills) Usable() []*Skill {
	var out []*Skill
	for i, one := range s.All() {
		if one.Usable() {
			out = append(out, &s.all[i])
		}
	}
	sorting.By(out, func(a, b *Skill) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (s *Skills) find() {
	for _, tree := range s.trees.All() {
		if tree.Label == builtinLabel {
			continue
		}
		for _, dir := range skills.Dirs {
			s.findIn(tree, dir)
		}
	}
	if s.home != nil {
		s.findIn(s.home, ".")
	}
	used := map[string]string{}
	for i := range s.all {
		one := &s.all[i]
		if one.Faults.Err() != nil {
			continue
		}
		if first, there := used[one.Name]; there {
			one.Shadowed = first
			continue
		}
		used[one.Name] = one.Path
	}
}

// findIn adds the skills in the directories of dir. A directory that leads to one that was
// found already is the same skill: other programs link their directories of skills. A link
// out of the tree counts as a skill that cannot be used, because golem does not look there.
func (s *Skills) findIn(tree *Tree, dir string) {
	if _, inside := tree.follow(dir); !inside {
		return
	}
	entries, err := fs.ReadDir(tree.FS, dir)
	if err != nil {
		return // most projects have no such directory
	}
	for i, e := range entries {
		name := path.Join(dir, e.Name())
		real, inside := tree.follow(name)
		if i >= maxSkills || strings.HasPrefix(e.Name(), ".") || inside && !isSkill(tree, name) {
			continue
		}
		one := Skill{place: Location{tree.Name, name}, Source: tree.Label}
		one.Path = one.place.String()
		if tree.Library != "" {
			one.Source = tree.Library
		}
		if !inside {
			one.Faults = fault.List{leavesFault().At(one.Path, 1, 1)}
		} else if slices.ContainsFunc(s.all, func(other Skill) bool {
			first, _ := tree.follow(other.place.Name)
			return other.place.Tree == tree.Name && first == real
		}) {
			continue
		} else {
			s.parse(&one)
		}
		s.all = append(s.all, one)
	}
}

func isSkill(tree *Tree, dir string) bool {
	_, err := fs.Lstat(tree.FS, path.Join(dir, skills.FileName))
	return err == nil
}

func (s *Skills) parse(one *Skill) {
	data, f := s.read(one, skills.FileName, config.MaxFile)
	if f != nil {
		one.Faults = fault.List{f}
		return
	}
	one.Skill, one.body, one.Faults = skills.Parse(path.Join(one.Path, skills.FileName), data)
}

func (s *Skills) tree(one *Skill) *Tree {
	if one.Source == homeSkills && s.home != nil {
		return s.home
	}
	return s.trees.TreeOf(one.place)
}

// Named returns the skill of a name that workers use; nil: there is none.
func (s *Skills) Named(name string) *Skill {
	for _, one := range s.Usable() {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// Body returns the instructions of a skill.
func (s *Skills) Body(one *Skill) string { return one.body }

// File returns a file of a skill. name is relative to its directory; nothing outside of it is
// read, whatever links there are.
func (s *Skills) File(one *Skill, name string) ([]byte, error) {
	data, f := s.read(one, name, maxSkillFile)
	if f != nil {
		return nil, f
	}
	return data, nil
}

func (s *Skills) read(one *Skill, name string, limit int64) ([]byte, *fault.Fault) {
	tree := s.tree(one)
	full := path.Join(one.place.Name, name)
	dir, inside := tree.follow(one.place.Name)
	real, also := tree.follow(full)
	if !fs.ValidPath(name) || name == "." || !inside || !also || !strings.HasPrefix(real, dir+"/") {
		return nil, fault.New(fault.Path, "%s leads out of the directory of the skill", fault.Quoted(name)).
			Hinting("name a file of the skill, such as references/a.md").At(one.Path, 0, 0)
	}
	if tree == s.home {
		data, f := readRegular(tree.FS, full, limit)
		if f == nil {
			s.trees.opened.add(tree.Name + full)
		}
		return data, f
	}
	return s.trees.read(Location{tree.Name, full}, limit)
}

// errEnoughFiles ends the listing of a skill's files.
var errEnoughFiles = errors.New("enough")

// Files returns the files of a skill, sorted, without SKILL.md and hidden ones; more is true
// if there are too many to list.
func (s *Skills) Files(one *Skill) (names []string, more bool) {
	tree := s.tree(one)
	root := one.place.Name
	if real, inside := tree.follow(root); inside {
		root = real
	}
	err := fs.WalkDir(tree.FS, root, func(at string, e fs.DirEntry, err error) error {
		name := strings.TrimPrefix(strings.TrimPrefix(at, root), "/")
		switch {
		case err != nil || name == "" || name == skills.FileName:
			return nil
		case strings.HasPrefix(e.Name(), "."), strings.Count(name, "/") >= maxSkillDepth:
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case len(names) >= maxSkillFiles:
			return errEnoughFiles
		case e.Type().IsRegular():
			names = append(names, name)
		}
		return nil
	})
	return names, err != nil
}
