package model

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// rule is one entry of a script: what it answers, and when.
type rule struct {
	line int
	when *condition // nil: a step of the sequence
	once bool

	say   string
	calls []scripted
	usage *Usage

	fail  *failure // a failure as of a provider
	hang  bool
	cut   int // the stream breaks after so many bytes of say; -1 = never
	delay time.Duration
}

// scripted is a tool call of a rule. Exactly one of args and raw is used.
type scripted struct {
	tool string
	args any    // decoded YAML; strings in it are expanded
	raw  string // given as it is, expanded
	set  bool   // raw is used
}

// condition is a rule's when: all of it must hold.
type condition struct {
	text   string
	match  *regexp.Regexp
	tool   string
	code   string
	system *regexp.Regexp
	turn   int
}

// seen is what conditions look at in a request.
type seen struct {
	turn    int
	system  string
	last    string    // the last message: all results since the last answer, else what the user said
	results []Message // those results; empty after a message of the person
	notes   []string  // of golem since the last answer, see Message.Note
}

func look(r Request) seen {
	s := seen{turn: r.Turn}
	var system, results []string
	user := ""
	for _, m := range r.Messages {
		switch m.Role {
		case System:
			system = append(system, m.Text)
		case Assistant:
			s.results, results, s.notes = s.results[:0], results[:0], nil
		case ToolRole:
			s.results = append(s.results, m)
			results = append(results, m.Text)
		case User:
			if m.Note {
				s.notes = append(s.notes, m.Text)
				continue
			}
			user = wholeText(m)
			if !m.Inner {
				s.results, results = s.results[:0], results[:0] // the person has spoken since
			}
		}
	}
	s.system = strings.Join(system, "\n")
	s.last = user
	if len(results) > 0 {
		s.last = strings.Join(results, "\n")
	}
	return s
}

// wholeText returns a message's text and its attachments, each on a line of its own; text
// files with their content.
func wholeText(m Message) string {
	lines := []string{}
	if m.Text != "" || len(m.Parts) == 0 {
		lines = append(lines, m.Text)
	}
	for _, p := range m.Parts {
		lines = append(lines, attachment(p))
	}
	return strings.Join(lines, "\n")
}

// holds reports whether every condition holds, and returns the groups of match.
func (c *condition) holds(s seen) (groups, bool) {
	if c.turn != 0 && c.turn != s.turn || c.system != nil && !c.system.MatchString(s.system) {
		return groups{}, false
	}
	if c.tool == "" && c.code == "" {
		if g, ok := c.matchIn(s.last); ok || c.text == "" && c.match == nil {
			return g, ok
		}
		for _, note := range s.notes {
			if g, ok := c.matchIn(note); ok {
				return g, true
			}
		}
		return groups{}, false
	}
	for _, m := range s.results {
		if c.tool != "" && m.Tool != c.tool || c.code != "" && string(m.Error) != c.code {
			continue
		}
		if g, ok := c.matchIn(wholeText(m)); ok {
			return g, true
		}
	}
	return groups{}, false
}

func (c *condition) matchIn(text string) (groups, bool) {
	if !strings.Contains(text, c.text) {
		return groups{}, false
	}
	if c.match == nil {
		return groups{}, true
	}
	at := c.match.FindStringSubmatchIndex(text)
	return groups{c.match, text, at}, at != nil
}

// groups are what a match captured; the zero value has none.
type groups struct {
	re   *regexp.Regexp
	text string
	at   []int
}

// reference finds $$, $1 and ${name}; a dollar sign before anything else is itself.
var reference = regexp.MustCompile(`\$(?:\$|(\d+)|\{([^{}]*)\})`)

// expand replaces the references in a template by the groups.
func (g groups) expand(template string) string {
	if !strings.Contains(template, "$") {
		return template
	}
	return reference.ReplaceAllStringFunc(template, func(ref string) string {
		if ref == "$$" {
			return "$"
		}
		n := g.number(strings.Trim(ref, "${}"))
		if n < 0 || g.at == nil || g.at[2*n] < 0 {
			return ""
		}
		return g.text[g.at[2*n]:g.at[2*n+1]]
	})
}

// number returns the number of the group with that number or name, -1 if there is none.
func (g groups) number(name string) int {
	if g.re == nil {
		return -1
	}
	n := 0
	for _, r := range name {
		if r < '0' || r > '9' || n > g.re.NumSubexp() {
			return g.re.SubexpIndex(name)
		}
		n = 10*n + int(r-'0')
	}
	if name == "" || n > g.re.NumSubexp() {
		return -1
	}
	return n
}

// unknown returns the first reference in template to a group that match does not have,
// "" if there is none.
func (g groups) unknown(template string) string {
	for _, ref := range reference.FindAllString(template, -1) {
		if ref != "$$" && g.number(strings.Trim(ref, "${}")) < 0 {
			return ref
		}
	}
	return ""
}

// expandAll expands every string inside decoded YAML; keys stay.
func (g groups) expandAll(v any) any {
	switch v := v.(type) {
	case string:
		return g.expand(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = g.expandAll(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = g.expandAll(v[k])
		}
		return out
	}
	return v
}

// call returns the scripted call with the groups expanded, still without an id.
func (s scripted) call(g groups) (Call, error) {
	if s.set {
		return Call{Name: s.tool, Args: g.expand(s.raw)}, nil
	}
	args := g.expandAll(s.args)
	if args == nil {
		args = map[string]any{}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return Call{}, fmt.Errorf("args of %s: %w", s.tool, err)
	}
	return Call{Name: s.tool, Args: string(data)}, nil
}
