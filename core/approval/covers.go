package approval

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"golem/core/fault"
	"golem/core/tool"
)

// byRule reports whether one answer may be given to a call and to others with other
// arguments, that a rule describes (SPEC §19): calls of risk read and write that stay in the
// sandbox, where no untrusted content, no missing confinement and no instructions of workers
// make the call ask.
func (g *Gate) byRule(c *pending) bool {
	return rank(c.risk) <= rank(tool.Write) && g.coversAny(c) && !escapes(c.risk, c.spec) && !c.spec.Outside
}

// Covers reports whether the rule matches all that the call of a request uses, as the pattern
// of a rule that allows calls does. Where it cannot be known, it does not.
func (r Rule) Covers(q Request) bool {
	r.Decide = PreApproved
	s := newSubject(tool.Spec{Name: q.Tool, Risk: tool.Write})
	s.args, s.paths = tool.ReadArguments(q.Args), q.Paths
	return q.Kind == KindTool && len(q.Args) > 0 && s.args.Err() == nil && r.fits(s) == yes
}

// CheckPattern returns E_USAGE for a pattern that no rule can have.
func CheckPattern(key, pattern string) error {
	_, changed := Visible(pattern)
	switch {
	case changed:
		return fault.New(fault.Usage, "the pattern for %s has characters that cannot be seen", fault.Quoted(key))
	case len(pattern) > maxBound:
		return fault.New(fault.Usage, "the pattern for %s has %d bytes, and a pattern has at most %d", fault.Quoted(key), len(pattern), maxBound)
	case strings.Count(pattern, "{") > maxBraces, !doublestar.ValidatePattern(pattern):
		return fault.New(fault.Usage, "the pattern %s for %s is not one that golem can read", fault.Quoted(pattern), fault.Quoted(key)).
			Hinting(`write a path or a text; * stands for a part of a name, ** for directories, and \* for the character itself`)
	}
	return nil
}

// Proposal returns conditions that match the first of the requests, for a rule that a person
// may change: the directory of the files that it uses, and the arguments that all requests
// have alike. The requests are about one tool.
func Proposal(rs ...Request) map[string]string {
	when := map[string]string{}
	if dir := commonDir(rs[0].Paths); dir != "" {
		when["path"] = dir
	}
	all := make([]*tool.Arguments, len(rs))
	for i, r := range rs {
		all[i] = tool.ReadArguments(r.Args)
	}
	for key, raw := range all[0].Fields() {
		values := texts(raw)
		alike := !slices.ContainsFunc(all, func(a *tool.Arguments) bool { return !slices.Equal(texts(a.Field(key)), values) })
		if !alike || key == "path" || len(values) != 1 {
			continue
		}
		if pattern := escapeGlob(values[0]); len(pattern) <= maxProposed && canBe(key, pattern) {
			when[key] = pattern
		}
	}
	return when
}

// canBe reports whether a rule can have a condition, and a person sees all of it.
func canBe(key, pattern string) bool {
	_, changed := Visible(key)
	return !changed && CheckPattern(key, pattern) == nil
}

// maxProposed is the longest pattern, in bytes, that is proposed for an argument.
const maxProposed = 64

// commonDir returns a pattern for the directory of all paths, or for the nearest directory above it
// for which there can be one; for the one file if that is the root, and "" if there is none.
func commonDir(paths []tool.PathUse) string {
	if len(paths) == 0 {
		return ""
	}
	dir := path.Dir(paths[0].Path)
	for _, p := range paths {
		for dir != "/" && !strings.HasPrefix(p.Path, dir+"/") {
			dir = path.Dir(dir)
		}
	}
	alone := dir == "/" && len(paths) == 1
	for dir != "/" && !canBe("path", escapeGlob(dir)+"/**") {
		dir = path.Dir(dir)
	}
	switch file := escapeGlob(paths[0].Path); {
	case dir != "/":
		return escapeGlob(dir) + "/**"
	case alone && canBe("path", file):
		return file
	}
	return ""
}
