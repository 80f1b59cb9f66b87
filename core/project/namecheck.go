package project

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// The conventions of S1 §1.3 (S1-18).
var (
	kebabCase = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	snakeCase = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
)

// names adds warnings about names that do not follow the conventions: that of the
// project, in its manifest or of its directory, and those of the workers that scanning
// finds.
func (c *checker) names(s *scanned) {
	p := c.p
	switch n, dir := p.settings.Get("name"), p.src.Name; {
	case n != nil && !kebabCase.MatchString(n.Text):
		c.add(fault.Warn(fault.Config, "by convention a project's name is in kebab-case, and this is %s", fault.Quoted(n.Text)).
			At(n.File, n.Line, n.Column).Hinting("for example %s", respelt(n.Text, "-")))
	case n == nil && dir != "" && p.src.Platform == "native" && !kebabCase.MatchString(dir): // a page's project has no directory
		c.add(fault.Warn(fault.Config, "by convention a project's directory is in kebab-case, and this is %s", fault.Quoted(dir)).
			Hinting("for example %s, or give the project a name: in its manifest", respelt(dir, "-")))
	}
	for _, id := range s.ids {
		l := s.found[id][0]
		if !l.inProject() || snakeCase.MatchString(strings.ReplaceAll(id, "/", "_")) {
			continue
		}
		elements := strings.Split(id, "/")
		for i, e := range elements {
			elements[i] = respelt(e, "_")
		}
		c.add(fault.Warn(fault.Config, "by convention a worker's name is in snake_case, and this is %s", fault.Quoted(id)).
			At(l.name, 1, 1).Hinting("for example %s", strings.Join(elements, "/")))
	}
}

// respelt returns a name in lower case with its words joined by one character.
func respelt(name, joint string) string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(word))
		}
		word = nil
	}
	var last rune
	for _, r := range name {
		if unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last)) {
			flush()
		}
		last = r
		if r = unicode.ToLower(r); r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			word = append(word, r)
		} else {
			flush()
		}
	}
	flush()
	if len(words) == 0 {
		return "name"
	}
	return strings.Join(words, joint)
}

// twins adds a warning for two workers whose IDs are the same name on systems that
// ignore case and Unicode spelling.
func (c *checker) twins(s *scanned) {
	first := map[string]string{}
	for _, id := range s.ids {
		l := s.found[id][0]
		if !l.inProject() {
			continue
		}
		folded := sandbox.Fold(id)
		other, there := first[folded]
		if !there {
			first[folded] = id
			continue
		}
		c.add(fault.Warn(fault.Ambiguous, "%s and %s are the same name on systems that ignore case: %s and %s", fault.Quoted(other), fault.Quoted(id), s.found[other][0], l).
			At(l.name, 1, 1).Hinting("rename one of them"))
	}
}

// exports checks that the workers in exports: of the project or of a library exist and
// are its own.
func (c *checker) exports(s *source) {
	n := s.settings.Get("exports")
	if s.name == "" {
		n = c.p.settings.Get("exports")
	}
	if n == nil {
		return
	}
	var seen []location
	for _, item := range n.Items {
		l, f := c.p.resolve(s.name, item.Text, true)
		switch {
		case f != nil:
			c.add(f.At(item.File, item.Line, item.Column))
		case l.source != s.name:
			c.add(item.Pos.Fault(fault.WorkerNotFound, "%s is a worker of %s, which cannot be exported from here", fault.Quoted(item.Text), c.p.sourceOf(l).label))
		case slices.Contains(seen, l):
			c.add(fault.Warn(fault.Config, "%s is exported twice", fault.Quoted(item.Text)).At(item.File, item.Line, item.Column).Hinting("remove one"))
		case s.name == "":
			c.push(l)
		}
		seen = append(seen, l)
	}
}

var semantic = regexp.MustCompile(`^\d{1,9}(\.\d{1,9}){0,2}(-[0-9A-Za-z.-]{1,64})?(\+[0-9A-Za-z.-]{1,64})?$`)

// versionNumber returns what is wrong with a project's own version (S1-19). It must be
// a semantic version; the last numbers may be left out.
func versionNumber(text string) (problem, hint string) {
	if p := yamltree.NameProblem(text); p != "" {
		return p, ""
	}
	if !semantic.MatchString(text) {
		return fault.Quoted(path.Clean(text)) + " is not a version number", `for example "1.0.0"`
	}
	return "", ""
}
