// Package reference makes the pages of docs that list what the program has: commands and
// flags, providers of models, events of a trace, limits, programs and system calls that a
// command may use. They come from the tables that golem itself uses. go run ./docs/reference/write writes them.
package reference

import (
	"maps"
	"strings"

	"golem/core/options"
	"golem/core/ui"
)

// Golem runs golem with these words, for a person with this home, and returns its output.
type Golem func(home string, words ...string) (string, error)

// Pages returns the pages by their names in docs. root is the directory of the repository, home
// an empty directory.
func Pages(root, home string, golem Golem) (map[string]string, error) {
	pages, err := Commands(func(words ...string) (string, error) { return golem(home, append(words, "--help")...) })
	if err != nil {
		return nil, err
	}
	if pages["reference/tools.md"], err = Tools(golem); err != nil {
		return nil, err
	}
	events, err := Events(root)
	if err != nil {
		return nil, err
	}
	maps.Copy(pages, events)
	keys, err := Schemas(root)
	if err != nil {
		return nil, err
	}
	maps.Copy(pages, keys)
	for name, write := range map[string]func(root string) (string, error){
		"reference/limits.md": Limits, "reference/limits-runs.md": LimitsOfRuns, "reference/templates.md": Templates, "shell/programs.md": Programs, "shell/system-calls.md": Calls,
		"reference/chat.md": Chat, "reference/json.md": JSON, "reference/otlp.md": Attributes, "reference/golem-js.md": Methods,
	} {
		if pages[name], err = write(root); err != nil {
			return nil, err
		}
	}
	pages["models/providers.md"], err = Providers()
	if err != nil {
		return nil, err
	}
	pages["reference/flags.md"] = Flags()
	pages["reference/page-options.md"] = PageOptions()
	pages["reference/pages.md"], err = allPages(root, pages)
	return pages, err
}

// Flags returns the page of the flags that several commands share.
func Flags() string {
	parts, _ := options.All.Markdown()
	return "# Flags of a run\n\n`golem run` and `golem chat` have them, and other commands have some: [all commands](commands.md). [Settings](../workers/settings.md#environment) lists the environment variables.\n\n" +
		strings.ReplaceAll(strings.Join(parts, "\n"), "](", "](../")
}

// Chat returns the page of the commands and keys of a chat.
func Chat(root string) (string, error) {
	keys, err := newSource(root).value("cmd/cli/tui/welcome.go", "keyHelp")
	if err != nil {
		return "", err
	}
	return "# Commands and keys of a chat\n\nType the commands in `golem chat`, and in the page where it has no view for them. [Chat](../cli/chat.md) says more about some.\n\n```\n" + ui.CommandHelp(true) + "```\n" +
		"\n## Keys\n\nOn the full screen of a terminal. [The screens](../cli/screens.md) says what they show.\n\n```" + text(keys) + "```\n", nil
}

// PageOptions returns the page that compares the options of golem.js with flags.
func PageOptions() string {
	_, page := options.All.Markdown()
	return "# Options of golem.js and flags\n\nThe options of a method are the flags of the command line under the names of JavaScript. `golem-options.d.ts` describes them.\n\n" + page[0] + "\nThese flags are not options:\n\n" + page[1]
}
