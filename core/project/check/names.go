package check

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
)

// The conventions of S1 §1.3 (S1-18).
var (
	kebabCase = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	snakeCase = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
)

// names adds warnings about names that do not follow the conventions: that of the
// project, in its manifest or of its directory, and those of the workers that scanning
// finds.
func names(v *view) (out fault.List) {
	if v.Setup.Shelf() {
		return nil
	}
	s := v.scan
	switch n, dir := v.Trees.Own().Keys.Get("name"), v.Setup.Name; {
	case n != nil && !kebabCase.MatchString(n.Text):
		out = append(out, fault.Warn(fault.Config, "by convention a project's name is in kebab-case, and this is %s", fault.Quoted(n.Text)).
			At(n.File, n.Line, n.Column).Hinting("for example %s", respelt(n.Text, "-")))
	case n == nil && dir != "" && v.Setup.Platform.Name == "native" && !kebabCase.MatchString(dir): // a page's project has no directory
		out = append(out, fault.Warn(fault.Config, "by convention a project's directory is in kebab-case, and this is %s", fault.Quoted(dir)).
			Hinting("for example %s, or give the project a name: in its manifest", respelt(dir, "-")))
	}
	for _, id := range s.IDs {
		l := s.Found[id][0]
		if !l.InProject() || snakeCase.MatchString(strings.ReplaceAll(id, "/", "_")) {
			continue
		}
		elements := strings.Split(id, "/")
		for i, e := range elements {
			elements[i] = respelt(e, "_")
		}
		out = append(out, fault.Warn(fault.Config, "by convention a worker's name is in snake_case, and this is %s", fault.Quoted(id)).
			At(l.Name, 1, 1).Hinting("for example %s", strings.Join(elements, "/")))
	}
	return out
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
func twins(v *view) (out fault.List) {
	if v.Setup.Shelf() {
		return nil
	}
	s := v.scan
	first := map[string]string{}
	for _, id := range s.IDs {
		l := s.Found[id][0]
		if !l.InProject() {
			continue
		}
		folded := sandbox.Fold(id)
		other, there := first[folded]
		if !there {
			first[folded] = id
			continue
		}
		out = append(out, fault.Warn(fault.Ambiguous, "%s and %s are the same name on systems that ignore case: %s and %s", fault.Quoted(other), fault.Quoted(id), s.Found[other][0], l).
			At(l.Name, 1, 1).Hinting("rename one of them"))
	}
	return out
}

// missingEntry returns the fault of a project that has no entry and needs one.
func missingEntry(v *view) fault.List {
	if v.noEntry == nil || v.byTool {
		return nil
	}
	library := len(v.Manifest.Exports) > 0 || v.Trees.Exists(project.Location{Name: config.LibraryFile})
	if v.noEntry.Code == fault.Project && library {
		return nil // a library needs no entry
	}
	return fault.List{v.noEntry}
}

// exports checks what the project and its libraries export.
func exports(v *view) (out fault.List) {
	for _, tree := range v.Trees.All() {
		out = append(out, exportsOf(v, tree)...)
	}
	return out
}

// exportsOf checks that the workers in exports: of the project or of a library exist and
// are its own.
func exportsOf(v *view, s *project.Tree) (out fault.List) {
	n := s.Keys.Get("exports")
	if n == nil {
		return nil
	}
	var seen []project.Location
	for _, item := range n.Items {
		l, f := v.Names.Resolve(s.Name, item.Text, true)
		switch {
		case f != nil:
			out = append(out, f.At(item.File, item.Line, item.Column))
		case l.Tree != s.Name:
			out = append(out, item.Pos.Fault(fault.WorkerNotFound, "%s is a worker of %s, which cannot be exported from here", fault.Quoted(item.Text), v.Trees.TreeOf(l).Label))
		case slices.Contains(seen, l):
			out = append(out, fault.Warn(fault.Config, "%s is exported twice", fault.Quoted(item.Text)).At(item.File, item.Line, item.Column).Hinting("remove one"))
		}
		seen = append(seen, l)
	}
	return out
}

// otherFiles returns a warning for each of foreignFiles that exists, if the
// project has no manifest.
func otherFiles(v *view) fault.List {
	var out fault.List
	for name, remedy := range config.ForeignFiles {
		if v.Manifest.File == "" && v.Trees.Exists(project.Location{Name: name}) {
			_, text, _ := v.Trees.ReadText(project.Location{Name: name})
			if keys, agents := config.LLMDoProject(text); keys != "" {
				remedy = keys
				out = append(out, agentFaults(v, agents)...)
			}
			out = append(out, fault.Warn(fault.Config, "golem does not read %s", name).At(name, 1, 1).Hinting("%s", remedy))
		}
	}
	out.Sort()
	return out
}

// agentFaults returns a warning for each .agent file that a project.json lists, if no
// worker file has been made of it.
func agentFaults(v *view, agents []string) fault.List {
	var out fault.List
	for _, name := range agents {
		clean, ok := config.Inside(name)
		worker := strings.TrimSuffix(clean, ".agent") + ".worker"
		if !ok || path.Ext(clean) != ".agent" || clean == "main.agent" || !v.Trees.Exists(project.Location{Name: clean}) || v.Trees.Exists(project.Location{Name: worker}) {
			continue
		}
		out = append(out, fault.Warn(fault.Config, "golem does not read %s", clean).At(clean, 1, 1).Hinting("rename it %s, then golem check --fix changes its keys", worker))
	}
	return out
}
