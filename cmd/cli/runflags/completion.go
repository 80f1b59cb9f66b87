package runflags

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"golem/core/model"

	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// Complete registers the completions of flag values. Files are completed only for flags
// whose values are files.
func Complete(c *console.Console, cmd *cobra.Command, f *Flags) {
	offer := func(flag string, values func(words []string) ([]string, cobra.ShellCompDirective)) {
		if cmd.Flags().Lookup(flag) == nil {
			return
		}
		// It fails only for a flag that is not there.
		_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
			return values(words)
		})
	}
	fixed := func(values ...string) func([]string) ([]string, cobra.ShellCompDirective) {
		return func([]string) ([]string, cobra.ShellCompDirective) { return values, cobra.ShellCompDirectiveNoFileComp }
	}
	offer("model", func([]string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, p := range model.Rows() {
			names = append(names, p.Name+":")
		}
		return append(names, "script:", "replay:"), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	})
	offer("entry", func(words []string) ([]string, cobra.ShellCompDirective) {
		return workerNames(c, f, words), cobra.ShellCompDirectiveNoFileComp
	})
	for _, o := range f.table() {
		switch {
		case o.Flag.Values != nil:
			offer(o.FlagName(), fixed(o.Flag.Values...))
		case slices.Contains([]string{"JSON", "NAME=VALUE", "N"}, o.Flag.Arg):
			offer(o.FlagName(), fixed())
		}
	}
}

// workerNames returns the workers of the project that the words typed so far name.
func workerNames(c *console.Console, f *Flags, words []string) []string {
	if len(words) == 0 && f.Project == "" {
		words = []string{"."}
	}
	if len(words) > 0 && target.IsAddress(words[0]) {
		return nil // completion must not download anything
	}
	p, _, err := target.Find(c, f.Wanted(), words)
	if err != nil {
		return nil
	}
	t := toolhost.New(c, false)
	defer t.Close()
	inst, err := machine.Open(c, p, f.OpenWith(), t)
	if err != nil {
		return nil
	}
	list, _ := inst.Workers()
	var names []string
	for _, w := range list {
		names = append(names, w.ID)
		if lib, _, ok := strings.Cut(w.Path, ":"); ok && strings.HasPrefix(w.Source, "lib ") {
			names = append(names, lib+":"+w.ID)
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return strings.ContainsFunc(n, special) })
}

// special reports whether a character may mean something to a shell or a terminal. Worker names
// are file names of the project, and a shell puts what is offered into the command line.
func special(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-/:@+", r)
}

// CompleteWorkers offers the workers of the project for the first word of a
// command, and directories for the second.
func CompleteWorkers(c *console.Console, cmd *cobra.Command, f *Flags) {
	cmd.ValidArgsFunction = func(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(words) > 0 {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		if f.Project == "" && c.Env.Setting("PROJECT") == "" {
			words = []string{"."}
		}
		return workerNames(c, f, words), cobra.ShellCompDirectiveDefault
	}
}
