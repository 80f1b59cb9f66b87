package skillset

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/skills"
	"golem/core/skills/script"
	"golem/core/tool"
	"golem/core/toolset"
)

// Script is a script of a skill that is to run in golem's JavaScript engine.
type Script struct {
	Skill, File string // the file is relative to the skill's directory
	Args        []string
	Write       bool // it may change the worker's files
	Call        tool.Call
}

// ScriptTool is the tool that runs scripts of skills.
const scriptTool = "run_skill_script"

// commandTool is the tool of the toolset shell that runs the other scripts.
const commandTool = "run_command"

type scriptArgs struct {
	Skill  string   `json:"skill" jsonschema:"name of the skill"`
	Script string   `json:"script" jsonschema:"the script, like scripts/a.js"`
	Args   []string `json:"args,omitempty" jsonschema:"arguments of the script, one item each"`
}

// scripts returns run_skill_script, if one of the skills has files. Its risk is that of scripts
// in golem's engine; scripts for other interpreters are calls of run_command, which its own gate
// decides on.
func (s *Set) scripts(env toolset.Env) tool.Tool {
	spec := tool.Spec{
		Name: scriptTool, Toolset: "skills", Provider: "builtin", Risk: tool.Read, Uses: []string{commandTool},
		Description: "Runs a script of a skill with arguments and returns what it prints. JavaScript and TypeScript run in golem's own engine, " +
			map[bool]string{false: "which reads your files and changes none", true: "which reads and changes your files"}[s.write] +
			"; other scripts are commands, and need run_command.",
	}
	ops := []string{"read"}
	if s.write {
		spec.Risk, ops = tool.Write, append(ops, "write", "delete")
		spec.Rules = []string{"write_file", "sandbox.write"}
	} else if env.Files != nil {
		spec.Rules = []string{"read_file", "sandbox.read"}
	}
	spec.Files = toolset.Uses(env.Files, ops...)
	return tool.FuncWithCall(spec, func(ctx context.Context, c tool.Call, in scriptArgs) (tool.Output, error) {
		return s.run(ctx, env, c, in)
	})
}

func (s *Set) run(ctx context.Context, env toolset.Env, c tool.Call, in scriptArgs) (tool.Output, error) {
	one, err := s.named(in.Skill)
	if err != nil {
		return tool.Output{}, err
	}
	file := path.Clean(in.Script)
	data, err := s.from.File(one.Name, file)
	if err != nil {
		return tool.Output{}, unknownFile(one.Name, file, err)
	}
	program, err := script.Program(file, data)
	if err != nil {
		return tool.Output{}, err
	}
	if !permitted(one.Tools, program) {
		return tool.Output{}, fault.New(fault.NotAllowed, "the allowed-tools of the skill %s leave out scripts for %s", one.Name, program).
			Hinting("they are %s; follow the skill without the script", strings.Join(one.Tools, ", "))
	}
	if script.IsJavaScript(file) {
		return s.from.Run(ctx, env, Script{one.Name, file, in.Args, s.write, c})
	}
	at, err := s.from.Place(env, Script{Skill: one.Name, File: file}, program, data)
	if err != nil {
		return tool.Output{}, err
	}
	var words []string
	for _, word := range append([]string{program, at}, in.Args...) {
		if strings.ContainsRune(word, 0) {
			return tool.Output{}, fault.New(fault.ToolInput, "an argument of %s has a byte 0, which no command can have", file)
		}
		words = append(words, shellWord(word))
	}
	args, err := json.Marshal(map[string]string{"command": strings.Join(words, " ")})
	if err != nil {
		return tool.Output{}, err
	}
	return env.Call(ctx, c, commandTool, args)
}

// shellWord quotes a word for a shell, if it needs it.
func shellWord(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// permitted reports whether allowed-tools leave room for scripts that a program runs: they name
// no tools, or this one, or commands that begin with the program.
func permitted(allowed []string, program string) bool {
	if allowed == nil {
		return true
	}
	for _, one := range allowed {
		name, pattern, some := strings.Cut(one, "(")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case scriptTool:
			return true
		case "bash", "shell", commandTool:
		default:
			continue
		}
		first, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(pattern), ")"), " ")
		first, _, _ = strings.Cut(first, ":")
		if !some || first == "*" || first == program || sameFamily(first, program) {
			return true
		}
	}
	return false
}

// sameFamily reports whether two programs run the same scripts.
func sameFamily(a, b string) bool {
	for _, family := range [][]string{{"node", "deno", "bun", "tsx", "npx", "ts-node"}, {"python", "python3", "uv"}, {"sh", "bash"}} {
		if slices.Contains(family, a) && slices.Contains(family, b) {
			return true
		}
	}
	return false
}

// named returns the skill of a name, of those that the worker has.
func (s *Set) named(name string) (skills.Skill, error) {
	var names []string
	for _, one := range s.used {
		if one.Name == name {
			return one, nil
		}
		names = append(names, one.Name)
	}
	return skills.Skill{}, fault.New(fault.NotFound, "there is no skill %s", fault.Quoted(name)).Hinting("%s", fault.DidYouMean(name, names))
}
