package reference

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golem/core/options"
)

// group is a page of commands.
type group struct {
	name, title, first string
	commands           []string
}

// groups are the pages of commands. A command brings its own commands with it.
var groups = []group{
	{"commands-run", "Commands: run and talk", "They run workers, and go on with what was said.", []string{"run", "chat", "conversations"}},
	{"commands-project", "Commands: projects", "They make, check and pack a project, and turn a worker into code.", []string{"init", "import", "check", "pack", "harden"}},
	{"commands-show", "Commands: what a project has", "They list workers, skills, models and schemas.", []string{"workers", "skills", "describe", "models", "schema"}},
	{"commands-test", "Commands: tests and traces", "They try workers, and show what they did.", []string{"test", "trace"}},
	{"commands-decide", "Commands: changes", "They show what a run changed or staged, and take it back.", []string{"clearance", "undo"}},
	{"commands-you", "Commands: your own settings", "They keep your keys, secrets, yes and rules.", []string{"login", "secret", "trust", "approvals", "docs", "explain", "version", "completion", "help"}},
	{"commands-tools", "Commands: tools", "They make, look at, call and pin custom tools.", []string{"tool"}},
	{"commands-libraries", "Commands: libraries", "They install and pin libraries.", []string{"lib"}},
	{"commands-batch", "Commands: batches", "They run a worker for each of many inputs.", []string{"batch"}},
	{"commands-serve", "Commands: servers", "They offer workers to browsers, editors, programs and other machines.", []string{"web", "mcp", "serve", "acp", "worker"}},
}

// Help returns what golem prints for "golem WORDS --help".
type Help func(words ...string) (string, error)

// command is a command as its help describes it.
type command struct {
	path     string // without golem
	short    string // one line
	usage    string
	text     string // Markdown
	flags    []flag
	commands []child
}

type child struct{ name, short string }

type flag struct{ form, name, text string }

// Commands returns the pages of the commands that golem's help names, and the list of them.
func Commands(help Help) (map[string]string, error) {
	root, err := read(help)
	if err != nil {
		return nil, err
	}
	var list strings.Builder
	list.WriteString("# All commands\n\nEach command, with a link to its flags. `golem COMMAND --help` shows the same in a terminal. [The command line](../cli.md) says how to use golem; [flags of a run](flags.md) are in one list, because many commands share them.\n\n| command | what it does |\n|---|---|\n")
	pages := map[string]string{}
	left := root.commands
	for _, g := range groups {
		page := "# " + g.title + "\n\n" + g.first + "\n"
		for _, name := range g.commands {
			i := slices.IndexFunc(left, func(c child) bool { return c.name == name })
			if i < 0 {
				return nil, fmt.Errorf("golem has no command %s", name)
			}
			all, err := below(help, left[i].short, name)
			left = slices.Delete(left, i, i+1)
			if err != nil {
				return nil, err
			}
			for _, c := range all {
				page += c.section()
				list.WriteString(c.row(g.name))
			}
		}
		pages["reference/"+g.name+".md"] = page
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("docs/reference/commands.go has no page for the command %s", left[0].name)
	}
	pages["reference/commands.md"] = list.String()
	return pages, nil
}

// below returns a command, which short describes, and all below it.
func below(help Help, short string, words ...string) ([]command, error) {
	c, err := read(help, words...)
	if err != nil {
		return nil, err
	}
	c.short = short
	all := []command{c}
	if words[0] == "completion" {
		return all, nil // one for each shell
	}
	for _, one := range c.commands {
		more, err := below(help, one.short, append(slices.Clone(words), one.name)...)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

var (
	flagLine  = regexp.MustCompile(`^ +(?:(-\w), +)?--([a-z-]+)(?: (\w+))?(\[=[^\]]*\])?(?:   +(.*))?$`)
	childLine = regexp.MustCompile(`^  ([a-z]+) +(\S.*)$`)
)

// read asks for the help of a command and reads it.
func read(help Help, words ...string) (command, error) {
	text, err := help(words...)
	if err != nil {
		return command{}, fmt.Errorf("golem %s --help: %w", strings.Join(words, " "), err)
	}
	c := command{path: strings.Join(words, " ")}
	text, rest, found := strings.Cut(text, "\nUsage:\n")
	if !found {
		return c, fmt.Errorf("the help of golem %s has no usage", c.path)
	}
	c.text = prose(strings.TrimSpace(text))
	part := "Usage:"
	var examples []string
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line != "" && line[0] != ' ' && strings.HasSuffix(line, ":"):
			part = line
		case line == "" || line[0] != ' ':
		case part == "Usage:" && c.usage == "":
			c.usage = strings.TrimSuffix(strings.TrimSpace(line), " [flags]")
		case part == "Examples:":
			examples = append(examples, strings.TrimPrefix(line, "  "))
		case part == "Available Commands:":
			if m := childLine.FindStringSubmatch(line); m != nil {
				c.commands = append(c.commands, child{m[1], m[2]})
			}
		case part == "Flags:":
			m := flagLine.FindStringSubmatch(line)
			if m == nil {
				return c, fmt.Errorf("golem %s: %q is not a flag", c.path, line)
			}
			if m[2] != "help" {
				c.flags = append(c.flags, flag{form(m[1], m[2], m[3], m[5]), m[2], m[5]})
			}
		}
	}
	if len(examples) > 0 {
		c.text += "\n\n```\n" + strings.Join(examples, "\n") + "\n```"
	}
	return c, nil
}

// form returns a flag as a person types it.
func form(short, name, kind, text string) string {
	for _, o := range options.All {
		same := o.Flag.Help == text || slices.ContainsFunc(o.Flag.HelpIn, func(h options.Help) bool { return h.Text == text })
		if o.FlagName() == name && o.Flag.Arg != "" && kind != "" && same {
			kind = o.Flag.Arg
		}
	}
	switch kind {
	case "string", "stringArray":
		kind = "VALUE"
	case "int":
		kind = "N"
	case "duration":
		kind = "TIME"
	}
	out := "`" + strings.TrimSpace("--"+name+" "+kind) + "`"
	if short != "" {
		out += ", `" + short + "`"
	}
	return out
}

// shared reports whether a flag is in flags.md, with the same meaning.
func (f flag) shared() bool {
	return slices.ContainsFunc(options.All, func(o options.Option) bool {
		return o.Section != "" && o.FlagName() == f.name && o.Flag.Help == f.text
	})
}

// section returns the part of a page that describes the command.
func (c command) section() string {
	var own, common []string
	for _, f := range c.flags {
		if f.shared() {
			common = append(common, "`--"+f.name+"`")
			continue
		}
		own = append(own, fmt.Sprintf("| %s | %s |\n", f.form, cell(f.text)))
	}
	out := fmt.Sprintf("\n## golem %s\n\n`%s`\n\n%s\n", c.path, c.usage, c.text)
	if len(own) > 0 {
		out += "\n| flag | meaning |\n|---|---|\n" + strings.Join(own, "")
	}
	switch {
	case len(common) > 30:
		out += "\nAnd the [flags of a run](flags.md).\n"
	case len(common) > 0:
		out += "\nAnd these [flags of a run](flags.md): " + strings.Join(common, ", ") + ".\n"
	}
	return out
}

// row returns the row of the command in the list of all.
func (c command) row(page string) string {
	name := "`golem " + c.path + "`"
	if !strings.Contains(c.path, " ") {
		name = "[" + name + "](" + page + ".md#golem-" + c.path + ")"
	}
	return fmt.Sprintf("| %s | %s |\n", name, cell(c.short))
}

var inMarkdown = strings.NewReplacer("<", "&lt;", "*", `\*`)

// prose returns the text of a help as Markdown: indented lines become blocks of code, and the
// other lines of a paragraph one line.
func prose(text string) string {
	var out []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			out = append(out, block(strings.Split(paragraph, "\n")))
			continue
		}
		lines := strings.Split(paragraph, "\n")
		code := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  ") })
		if code < 0 {
			code = len(lines)
		}
		out = append(out, sentence(inMarkdown.Replace(strings.Join(lines[:code], " "))))
		if code < len(lines) {
			out = append(out, block(lines[code:]))
		}
	}
	return strings.Join(out, "\n\n")
}

func block(lines []string) string {
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "  ")
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```"
}

// sentence returns a text with a capital at its beginning, unless that is golem, and an end.
func sentence(text string) string {
	if !strings.HasPrefix(text, "golem") && text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if !strings.ContainsAny(text[max(0, len(text)-1):], ".:") {
		text += "."
	}
	return text
}

// cell returns a text for a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(text)
}
