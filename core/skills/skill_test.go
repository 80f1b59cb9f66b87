package skills_test

import (
	"fmt"
	"strings"
	"testing"

	"golem/core/skills"
)

// A hundred skills with the longest descriptions cost a worker less than 4,000 tokens, and each
// is named. A token is counted as three bytes, which is more than English text has.
func TestPromptOfAHundredSkills(t *testing.T) {
	var many []skills.Skill
	for i := range 100 {
		many = append(many, skills.Skill{Name: fmt.Sprintf("skill-%03d", i), Description: strings.Repeat("does many things ", 60)})
	}
	text := skills.Prompt(many)
	if tokens := len(text) / 3; tokens >= 4000 {
		t.Errorf("%d bytes, about %d tokens", len(text), tokens)
	}
	for _, s := range many {
		if !strings.Contains(text, "- "+s.Name+": does many") {
			t.Errorf("%s is not described", s.Name)
		}
	}
	if !strings.Contains(text, "read_skill without a name") {
		t.Error("it does not say where the whole descriptions are")
	}
	for range 5 {
		many = append(many, many...)
	}
	if text := skills.Prompt(many); len(text) > 13_000 || !strings.Contains(text, " more\n") {
		t.Errorf("%d skills: %d bytes", len(many), len(text))
	}
	if text := skills.Prompt([]skills.Skill{{Name: "a", Description: "Short."}}); !strings.HasSuffix(text, "- a: Short.\n") {
		t.Errorf("%q", text)
	}
	if skills.Prompt(nil) != "" {
		t.Error("a worker without skills is told of them")
	}
}

// A cut description stays valid UTF-8.
func TestPromptCutsCharacters(t *testing.T) {
	var many []skills.Skill
	for i := range 100 {
		many = append(many, skills.Skill{Name: fmt.Sprintf("s%d", i), Description: strings.Repeat("é", 1000)})
	}
	if text := skills.Prompt(many); strings.ContainsRune(text, '�') || strings.ToValidUTF8(text, "") != text {
		t.Error("a character was cut")
	}
}

// allowed-tools is a list, or names with spaces or commas between them.
func TestAllowedTools(t *testing.T) {
	for written, want := range map[string]string{
		"Read Write": "Read|Write", "Read, Bash(git add *), Write": "Read|Bash(git add *)|Write", "[Read, \"Bash(a, b)\"]": "Read|Bash(a, b)", "\"\"": "", "Bash(a": "Bash(a", "a) b": "a)|b",
	} {
		s, _, faults := skills.Parse("skills/a/SKILL.md", []byte("---\nname: a\ndescription: d\nallowed-tools: "+written+"\n---\nbody\n"))
		if faults.Err() != nil || strings.Join(s.Tools, "|") != want || s.Tools == nil {
			t.Errorf("%s: %q, %v", written, s.Tools, faults)
		}
	}
}

// Names that could lead to other files or hide something are errors. A name that only breaks the
// rules of the format gives way to that of the directory, with a warning.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{"../a", "a/b", "/etc", "a\\\\b", "..", "a\\u202eb"} {
		s, _, faults := skills.Parse("skills/a/SKILL.md", []byte("---\nname: \""+name+"\"\ndescription: d\n---\n"))
		if faults.Err() == nil {
			t.Errorf("%q is the name of a skill: %+v", name, s)
		}
	}
	for _, name := range []string{"A", "a b", "-a", "a-", "a--b", strings.Repeat("a", 65), "é", ".", "con.txt", ""} {
		s, _, faults := skills.Parse("skills/a/SKILL.md", []byte("---\nname: \""+name+"\"\ndescription: d\n---\n"))
		if faults.Err() != nil || len(faults) != 1 || s.Name != "a" {
			t.Errorf("%q: %+v, %v", name, s, faults)
		}
		if s, _, faults := skills.Parse("skills/A B/SKILL.md", []byte("---\nname: \""+name+"\"\ndescription: d\n---\n")); faults.Err() == nil {
			t.Errorf("%q in A B: %+v", name, s)
		}
	}
}

// What skills of others often have is a warning: long descriptions, none, and colons without
// quotation marks.
func TestPatience(t *testing.T) {
	for front, want := range map[string]string{
		"name: a\ndescription: " + strings.Repeat("é", 2000): strings.Repeat("é", 1024),
		"name: a": "Does it all.",
		"name: a\ndescription: Use when: it's time\nlicense: MIT":     "Use when: it's time",
		"name: a\r\ndescription: Use when: \"x\" or: y\r\nversion: 1": `Use when: "x" or: y`,
	} {
		s, _, faults := skills.Parse("skills/a/SKILL.md", []byte("---\n"+front+"\n---\n# A\n\nDoes\nit all.\n"))
		if faults.Err() != nil || len(faults) != 1 || s.Description != want {
			t.Errorf("%.60q: %.80q, %v", front, s.Description, faults)
		}
	}
	for _, front := range []string{"name: a\ndescription: [a", "name: a\n description: b: c", "name: a\ndescription: 'a: b"} {
		if _, _, faults := skills.Parse("skills/a/SKILL.md", []byte("---\n"+front+"\n---\nx\n")); faults.Err() == nil {
			t.Errorf("%q has no error", front)
		}
	}
}

// No text makes the parser fail otherwise than with faults, and what has no errors keeps the
// limits of the format.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "---\n---\n", "---\nname: a\ndescription: b\n---\nx", "---\n- a\n---\n", "---\nname: {a: b}\nallowed-tools: [[]]\n---\n", "---\nname: &a [*a]\n---\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, _, faults := skills.Parse("skills/a/SKILL.md", []byte(text))
		for _, one := range faults {
			if one.Code == "" || one.Where == nil || one.Where.File == "" {
				t.Errorf("%+v has no code or place", one)
			}
		}
		if faults.Err() == nil && (s.Name == "" || len(s.Name) > 64 || s.Description == "" || strings.ContainsAny(s.Name+s.Description, "\n\x00")) {
			t.Errorf("%+v", s)
		}
	})
}
