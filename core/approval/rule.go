package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"golem/core/tool"
)

// match is the result of matching a rule against a call. unsure means that golem cannot
// know it (no preview, a broken pattern): such a rule asks and never allows.
type match int

const (
	no match = iota
	unsure
	yes
)

// maxMatched is the longest text, in bytes, that is matched against a pattern.
const maxMatched = 64 << 10

// maxBraces is how many groups of alternatives {a,b} a pattern may have, because their
// combinations multiply.
const maxBraces = 3

// ruleSetting returns what the first matching rule decides. If it is not known
// whether a rule matches, the call asks, unless a later rule certainly matches
// and blocks. When no call is known, only rules without conditions count.
func ruleSetting(rules []Rule, s subject) verdict {
	if s.risk == tool.Command && s.args != nil {
		return commandSetting(rules, s)
	}
	return firstRule(rules, s)
}

// firstRule returns the verdict of the first rule that matches the call or, if s.piece is
// set, this piece of a command.
func firstRule(rules []Rule, s subject) verdict {
	var maybe verdict
	for i, r := range rules {
		m := r.fits(s)
		if m == no {
			continue
		}
		v := verdict{setting: r.Decide.known(), rule: r.label(i), origin: r.Origin, matched: &rules[i]}
		if v.setting == "" {
			v.setting = Blocked // a rule without a valid decision is broken
		}
		switch {
		case m == unsure && maybe.setting == "":
			maybe = builtin(Ask, v.rule+": cannot be determined")
		case m == unsure:
		case maybe.setting == "" || v.setting == Blocked:
			return v
		default:
			return maybe
		}
	}
	return maybe
}

func (r Rule) label(index int) string {
	if r.Origin.At != "" {
		return fmt.Sprintf("rule for %s (%s)", r.Tool, r.Origin.At)
	}
	return fmt.Sprintf("rule %d for %s", index+1, r.Tool)
}

// fits reports whether the rule matches the call: the tool, and every condition
// in When. A preApproved rule must cover everything that a key can mean (every
// path, every element of a list); for ask and blocked one is enough.
func (r Rule) fits(s subject) match {
	if !slices.Contains(s.names, r.Tool) || r.Server != "" && r.Server != s.spec.Provider {
		return no
	}
	if len(r.When) > 0 && s.args == nil {
		return no
	}
	out := yes
	all := r.Decide.known() == PreApproved
	for _, key := range slices.Sorted(maps.Keys(r.When)) {
		m := s.fitsKey(key, r.When[key], all)
		if m == no {
			return no
		}
		out = min(out, m)
	}
	return out
}

func (s subject) fitsKey(key, pattern string, all bool) match {
	raw := s.args.Field(key)
	if raw == nil && pattern == "" {
		return yes
	}
	text, isCommand := s.command(key)
	if isCommand && text == pattern && (!all || s.grammar(key).Exact(text)) {
		return yes
	}
	if strings.Count(pattern, "{") > maxBraces || !doublestar.ValidatePattern(pattern) {
		return unsure
	}
	if key == "path" {
		return s.fitsPath(pattern, all)
	}
	if raw == nil {
		return no
	}
	if isCommand {
		return s.fitsCommand(key, text, pattern, all)
	}
	return fitsValues(texts(raw), pattern, all, !all, s.paths)
}

// fitsPath matches the pattern against the paths of the preview, which are
// canonical. An argument named path counts if the preview has no path. Without
// a preview the argument may be one of many spellings of a path: then a match
// counts for rules that forbid, and everything else is unsure.
func (s subject) fitsPath(pattern string, all bool) match {
	raw := s.args.Field("path")
	if len(s.paths) > 0 {
		values := make([]string, len(s.paths))
		for i, p := range s.paths {
			values[i] = p.Path
		}
		m := fitsValues(values, pattern, all, false, s.paths)
		if m == no && !all {
			m = s.fitsBelow(pattern)
		}
		return m
	}
	if s.previewed {
		if raw == nil {
			return no
		}
		return fitsValues(texts(raw), pattern, all, false, nil)
	}
	if raw != nil && !all && fitsValues(texts(raw), pattern, false, false, nil) == yes {
		return yes
	}
	return unsure
}

// fitsBelow matches the pattern against what is below the directories that the call goes through,
// so that a search of / is also one of /secrets. It is certain if the pattern names a place there.
func (s subject) fitsBelow(pattern string) match {
	out := no
	for _, p := range s.paths {
		if p.Deep {
			out = max(out, below(pattern, p.Path))
		}
	}
	return out
}

// below reports whether a pattern matches paths below a directory, which it does not match itself.
func below(pattern, dir string) match {
	place, rest := doublestar.SplitPattern(pattern)
	if !strings.ContainsAny(rest, `*?[{\`) {
		place = path.Join(place, rest)
	}
	inside := strings.TrimSuffix(dir, "/") + "/"
	if strings.HasPrefix(place, inside) && place != "/" {
		return yes
	}
	if strings.Contains(pattern, "**") || strings.Contains(pattern, "{") {
		if strings.HasPrefix(inside, strings.TrimSuffix(place, "/")+"/") {
			return unsure
		}
		return no
	}
	parts, depth := strings.Split(pattern, "/"), strings.Count(inside, "/")
	if len(parts) > depth && doublestar.MatchUnvalidated(strings.Join(parts[:depth], "/")+"/", inside) {
		return unsure
	}
	return no
}

// fitsValues reports whether the pattern matches all values, or any of them.
// With widely, a looser match is used for values that are not paths of the
// preview.
func fitsValues(values []string, pattern string, all, widely bool, paths []tool.PathUse) match {
	hits := 0
	for _, v := range values {
		if len(v) > maxMatched {
			return unsure
		}
		if doublestar.MatchUnvalidated(pattern, v) || widely && !isPath(v, paths) && matchLoosely(pattern, v) {
			hits++
		}
	}
	if hits > 0 && (!all || hits == len(values)) {
		return yes
	}
	return no
}

func isPath(v string, paths []tool.PathUse) bool {
	return slices.ContainsFunc(paths, func(p tool.PathUse) bool { return p.Path == v })
}

// matchLoosely matches text that is not a path, where a slash has no special meaning,
// so that "rm *" also forbids "rm a/b". It is used only to ask or block, where
// too many matches do no harm.
func matchLoosely(pattern, v string) bool {
	return doublestar.MatchUnvalidated(slashless(pattern), slashless(v))
}

func slashless(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// texts returns the strings that a JSON value is matched as: a string itself,
// each element of a list, otherwise the value's canonical JSON.
func texts(raw json.RawMessage) []string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil
	}
	switch raw[0] {
	case '"':
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return []string{s}
		}
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			out := make([]string, 0, len(list))
			for _, item := range list {
				var s string
				if item[0] != '"' || json.Unmarshal(item, &s) != nil {
					s = string(item)
				}
				out = append(out, s)
			}
			return out
		}
	}
	return []string{string(raw)}
}
