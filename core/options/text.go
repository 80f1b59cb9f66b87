package options

import (
	"cmp"
	"fmt"
	"strings"
)

// TypeScript returns the interfaces of golem-options.d.ts.
func (t Table) TypeScript() string {
	var out strings.Builder
	for _, i := range []struct{ name, head, doc string }{
		{toOpen, toOpen + " extends " + toAny, "The person's settings for a project, as the flags of the command line."},
		{toCheck, toCheck + " extends " + toOpen, "Options of check."},
		{toRun, toRun + " extends " + toOpen, "Options of run, chat, call and resume."},
		{toBatch, toBatch + " extends " + toOpen + ", Pick<" + toRun + ", 'approve' | 'doubt'>", "Options of batch."},
	} {
		fmt.Fprintf(&out, "/** %s */\nexport interface %s {\n", i.doc, i.head)
		for _, o := range t {
			if o.Page.For != i.name {
				continue
			}
			switch lines := strings.Split(o.Page.Doc, "\n"); {
			case o.Page.Doc == "":
			case len(lines) == 1:
				fmt.Fprintf(&out, "  /** %s */\n", o.Page.Doc)
			default:
				fmt.Fprintf(&out, "  /**\n   * %s\n   */\n", strings.Join(lines, "\n   * "))
			}
			fmt.Fprintf(&out, "  %s?: %s\n", o.PageName(), o.scriptType())
		}
		out.WriteString("}\n\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// scriptType returns the type of an option in TypeScript.
func (o Option) scriptType() string {
	if o.Page.Type != "" {
		return o.Page.Type
	}
	switch o.Value(&Run{}).(type) {
	case *bool, **bool:
		return "boolean"
	case *int, **int:
		return "number"
	case *[]string:
		return "string[]"
	case *map[string]string:
		return "Record<string, string>"
	}
	return "string"
}

// Markdown returns the parts of docs/reference/flags.md and docs/reference/page-options.md that are made from the table: a
// table for each section of flags, the options of a page beside the flags, and the flags that a
// page does not have.
func (t Table) Markdown() (cli, web []string) {
	for _, section := range []string{what, may, shown, packed} {
		part := section + ":\n\n| flag | meaning |\n|---|---|\n"
		for _, o := range t {
			if o.Section == section && o.Flag.In != "" {
				part += fmt.Sprintf("| %s | %s |\n", o.flagForm(), cmp.Or(o.Doc, o.Flag.Help))
			}
		}
		cli = append(cli, part)
	}
	var same, options, flags rows
	for _, o := range t {
		switch {
		case o.Page.For == "":
			flags.add(o.Why, "--"+o.FlagName())
		case o.Flag.In == "":
			options.add(o.Why, o.PageName())
		case o.FlagName() == o.Name && o.Page.Name == "":
			same.add("the flags of these names: `--max-depth` for `maxDepth`", o.PageName())
		default:
			options.add("`--"+o.FlagName()+"`", o.PageName())
		}
	}
	return cli, []string{
		"| option | on the command line |\n|---|---|\n" + append(same, options...).text(),
		"| flag | in a page |\n|---|---|\n" + flags.text(),
	}
}

// rows are rows of a table, each with the names that have the same text.
type rows []struct{ names, text string }

func (r *rows) add(text, name string) {
	name = "`" + name + "`"
	for i, row := range *r {
		if row.text == text {
			(*r)[i].names += ", " + name
			return
		}
	}
	*r = append(*r, struct{ names, text string }{name, text})
}

func (r rows) text() (out string) {
	for _, row := range r {
		out += "| " + row.names + " | " + row.text + " |\n"
	}
	return out
}

// flagForm returns a flag as a person types it.
func (o Option) flagForm() string {
	form := "--" + o.FlagName()
	switch {
	case o.Flag.Bare != "":
		form += " [" + o.Flag.Arg + "]"
	case o.Flag.Arg != "":
		form += " " + o.Flag.Arg
	}
	form = "`" + form + "`"
	if o.Flag.Short != "" {
		form += ", `-" + o.Flag.Short + "`"
	}
	return form
}
