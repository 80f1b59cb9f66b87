//go:build !js

package project

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Links of a skill: to another skill of the project it is that skill, once; out of the skill,
// out of the project, or to what no worker may read, nothing is read.
func TestSkillLinks(t *testing.T) {
	dir := t.TempDir()
	root, home := filepath.Join(dir, "p"), filepath.Join(dir, "home")
	write := func(name, text string) {
		t.Helper()
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		t.Helper()
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, full); err != nil {
			t.Fatal(err)
		}
	}
	skill := func(name string) string { return "---\nname: " + name + "\ndescription: d\n---\nbody\n" }
	write("p/main.worker", "---\ntoolsets: {skills: {}}\n---\nM.\n")
	write("p/.env", "SECRET=1")
	write("p/notes.md", "notes")
	write("secret/SKILL.md", skill("secret"))
	write("p/.agents/skills/a/SKILL.md", skill("a"))
	write("p/.agents/skills/a/real.md", "real")
	link("real.md", "p/.agents/skills/a/inside.md")
	link("../../../.env", "p/.agents/skills/a/env.md")
	link("../../../notes.md", "p/.agents/skills/a/notes.md")
	link("../../../../secret/SKILL.md", "p/.agents/skills/a/out.md")
	link("../../.agents/skills/a", "p/.claude/skills/a")
	link("../../../secret", "p/.claude/skills/secret")
	link("../../.env", "p/skills/envskill/SKILL.md")
	write("home/b/SKILL.md", skill("b"))
	link("../../p/.env", "home/b/env.md")
	write("home/a/SKILL.md", skill("a"))

	p, err := Load(Setup{FS: openRoot(t, root), SkillFiles: openRoot(t, home)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Skills.All() {
		line := s.Path
		if s.Shadowed != "" {
			line += " shadowed by " + s.Shadowed
		}
		if f := s.Faults.Err(); f != nil {
			line += " broken"
		}
		got = append(got, line)
	}
	want := "skills/envskill broken; .agents/skills/a; .claude/skills/secret broken; home:skills/a shadowed by .agents/skills/a; home:skills/b"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	for name, want := range map[string]string{"real.md": "real", "inside.md": "real", "env.md": "", "notes.md": "", "out.md": "", "../b/SKILL.md": "", ".": "", "": "", "/etc/passwd": "", "nothing": ""} {
		data, err := p.Skills.File(p.Skills.Named("a"), name)
		if string(data) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if data, err := p.Skills.File(p.Skills.Named("b"), "env.md"); err == nil {
		t.Errorf("a link of a person's skill was followed: %q", data)
	}
	if names, more := p.Skills.Files(p.Skills.Named("a")); strings.Join(names, " ") != "real.md" || more {
		t.Errorf("%v, %v", names, more)
	}
}

func openRoot(t *testing.T, dir string) fs.FS {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root.FS()
}
