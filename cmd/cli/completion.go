package main

import (
	"strings"

	"github.com/spf13/cobra"

	"golem/core/approval"
	"golem/core/model"
)

// complete registers the completions of flag values. Files are completed only for flags
// whose values are files.
func (h *host) complete(cmd *cobra.Command, f *flags) {
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
		return h.workerNames(f, words), cobra.ShellCompDirectiveNoFileComp
	})
	offer("approval", fixed(string(approval.Interactive), string(approval.ApproveAll), string(approval.AutoDeny)))
	offer("sandbox", fixed("memory"))
	offer("platform", fixed("native", "browser"))
	for _, free := range []string{"input", "limit", "set", "max-depth", "max-turns"} {
		offer(free, fixed())
	}
}

// workerNames returns the workers of the project that the words typed so far name.
func (h *host) workerNames(f *flags, words []string) []string {
	if len(words) == 0 && f.project == "" {
		words = []string{"."}
	}
	if len(words) > 0 && isAddress(words[0]) {
		return nil // completion must not download anything
	}
	p, _, err := h.target(f, words)
	if err != nil {
		return nil
	}
	t := h.newTools(false)
	defer t.close()
	inst, err := h.open(p, f, t)
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
	return names
}

// completeWorkers offers the workers of the project for the first word of a
// command, and directories for the second.
func (h *host) completeWorkers(cmd *cobra.Command, f *flags) {
	cmd.ValidArgsFunction = func(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(words) > 0 {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		if f.project == "" && h.setting("PROJECT") == "" {
			words = []string{"."}
		}
		return h.workerNames(f, words), cobra.ShellCompDirectiveDefault
	}
}
