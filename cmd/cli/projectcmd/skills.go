package projectcmd

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/skills/script"
	"golem/core/sorting"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// SkillsCommand returns golem skills.
func SkillsCommand(c *console.Console) *cobra.Command {
	f := &runflags.Flags{}
	cmd := &cobra.Command{
		Use:   "skills [DIR]",
		Short: "list the Agent Skills of a project, its libraries and yours",
		Long: `Lists the Agent Skills of a project, its libraries and yours, and what is wrong with
them. The exit code is 1 if something is.`,
		Args: console.Words(0, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			f.Command = "skills"
			return listSkills(c, f, words)
		},
	}
	f.Add(cmd.Flags(), "workers") // it opens a project and lists, as golem workers does
	runflags.Complete(c, cmd, f)
	return cmd
}

// skillRow is a skill in the output of skills --json.
type skillRow struct {
	Name        string     `json:"name"`                    // its name
	Path        string     `json:"path"`                    // of its directory
	Source      string     `json:"source"`                  // the project, a library or your own skills
	Description string     `json:"description"`             // when a worker needs it
	License     string     `json:"license,omitempty"`       // as SKILL.md says
	Needs       string     `json:"compatibility,omitempty"` // what it needs, as SKILL.md says
	Tools       []string   `json:"allowedTools,omitempty"`  // as SKILL.md says; they permit nothing
	Files       []string   `json:"files"`                   // beside SKILL.md
	Programs    []string   `json:"programs,omitempty"`      // that its scripts are for; node: golem's own engine
	Shadowed    string     `json:"shadowedBy,omitempty"`    // the path of the skill that is used in its place
	Faults      fault.List `json:"faults,omitempty"`        // what is wrong with it
}

func listSkills(c *console.Console, f *runflags.Flags, words []string) error {
	if err := f.Refuse(); err != nil {
		return err
	}
	p, _, err := target.Find(c, f.Wanted(), target.OrHere(c, f.Project, words))
	if err != nil {
		return err
	}
	t := toolhost.New(c, f.Verbose)
	defer t.Close()
	inst, err := machine.Open(c, p, f.OpenWith(), t)
	if err != nil {
		return target.Elsewhere(c, f.Wanted(), p, console.Faults(err)).Err()
	}
	rows, faults := skillRows(inst.Project().Skills)
	text := console.Fit(c.Out, ui.Table(skillTable(rows)))
	if len(rows) == 0 {
		text = "No skills. golem looks for directories with a SKILL.md in skills/, .agents/skills/ and .claude/skills/, in the project's libraries and in $GOLEM_HOME/skills.\n"
	}
	if f.JSON {
		data, err := json.Marshal(struct {
			Golem  string     `json:"golem"`
			V      int        `json:"v"`
			Skills []skillRow `json:"skills"`
		}{"skills", 1, rows})
		if err != nil {
			return err
		}
		text = string(data) + "\n"
	} else {
		for _, one := range faults {
			c.Say("%s", one.Error())
		}
	}
	if err := c.Print(text); err != nil {
		return err
	}
	if faults.Err() != nil {
		return console.ExitCode(console.ExitFailed)
	}
	return nil
}

func skillRows(of *project.Skills) (rows []skillRow, faults fault.List) {
	rows = []skillRow{}
	all := of.All()
	for i := range all {
		s := &all[i]
		files, _ := of.Files(s)
		if files == nil {
			files = []string{}
		}
		rows = append(rows, skillRow{s.Name, s.Path, s.Source, s.Description, s.License, s.Needs, s.Tools, files, programs(of, s, files), s.Shadowed, s.Faults})
		faults = append(faults, s.Faults...)
	}
	return rows, faults
}

// programs returns the programs that the scripts of a skill are for, sorted.
func programs(of *project.Skills, s *project.Skill, files []string) (out []string) {
	for _, name := range files {
		if !script.IsJavaScript(name) && !strings.HasPrefix(name, "scripts/") {
			continue
		}
		data, err := of.File(s, name)
		if err != nil {
			continue
		}
		if program, err := script.Program(name, data); err == nil && !slices.Contains(out, program) {
			out = append(out, program)
		}
	}
	sorting.By(out, strings.Compare)
	return out
}

func skillTable(rows []skillRow) [][]string {
	table := [][]string{{"NAME", "PATH", "FILES", "DESCRIPTION"}}
	for _, r := range rows {
		description := r.Description
		switch {
		case r.Faults.Err() != nil:
			description = "(cannot be used)"
		case r.Shadowed != "":
			description = "(shadowed by " + r.Shadowed + ")"
		}
		if len(r.Tools) > 0 && r.Shadowed == "" && r.Faults.Err() == nil {
			description += " [tools: " + strings.Join(r.Tools, ", ") + "]"
		}
		if len(r.Programs) > 0 && r.Shadowed == "" && r.Faults.Err() == nil {
			description += " [scripts for: " + strings.Join(r.Programs, ", ") + "]"
		}
		table = append(table, []string{ui.OneLine(r.Name), ui.OneLine(r.Path), fault.Count(len(r.Files), "file"), ui.OneLine(description)})
	}
	return table
}
