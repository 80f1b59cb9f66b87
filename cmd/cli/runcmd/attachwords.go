package runcmd

import (
	"os"
	"strings"

	"golem/core/fault"
	"golem/core/project"

	"golem/cmd/cli/console"
	"golem/cmd/cli/runflags"
)

// attachWords attaches the words that name existing files, if the worker or the manifest says
// attachment_policy, and returns the other words (SPEC §12). Without such a policy it changes
// nothing and says how a file is attached.
func attachWords(c *console.Console, f *runflags.Flags, words []string, entry *project.Worker) []string {
	var rest, files []string
	for _, word := range words {
		if info, err := os.Stat(c.Path(word)); err == nil && info.Mode().IsRegular() && !strings.HasPrefix(word, "@") {
			files = append(files, word)
		} else {
			rest = append(rest, word)
		}
	}
	switch {
	case len(files) == 0:
		return words
	case !entry.Attachments.Set:
		c.Say("note: %s goes to %s as a word; to attach the file, write --attach %s, or attachment_policy: {} in the worker's file", fault.Brief(files[0]), entry.ID, fault.Brief(files[0]))
		return words
	}
	f.Attach = append(f.Attach, files...)
	return rest
}
