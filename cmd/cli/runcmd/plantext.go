package runcmd

import (
	"fmt"
	"strings"

	"golem/core"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/ui"
)

// whyLeft says why a file of an imported conversation is left out.
var whyLeft = map[string]string{
	conversation.LeftSize:      "it is too large",
	conversation.LeftSecret:    "it has a secret, which was not exported",
	conversation.LeftProtected: "it defines the project, or no worker may read it",
	conversation.LeftMissing:   "it was not there any more when the conversation was exported",
}

// maxInstructions is how many characters of instructions are shown for one worker.
const maxInstructions = 2_000

// planText returns what importing a conversation would do, as lines for a person. All of it can
// come from anybody.
func planText(p *core.ImportPlan) string {
	var b strings.Builder
	l := p.Listing
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("conversation %s of the worker %s: %s", ui.OneLine(l.ID), ui.OneLine(l.Worker), ui.OneLine(l.Title))
	line("from the project %s, golem %s (%s), exported %s, as the file says", ui.OneLine(p.Origin.Project), ui.OneLine(p.Origin.Version), ui.OneLine(p.Origin.Platform), ui.OneLine(p.Origin.At))
	line("%s of a person, %s of models, last exchange: %s", fault.Count(l.Messages, "message"), fault.Count(l.Turns, "answer"), ui.OneLine(l.Status))
	if p.Model != "" {
		line("the model %s was chosen in it, and holds when it goes on", ui.OneLine(p.Model))
	}
	for _, name := range p.Changed {
		line("%s is different here: golem asks about it when the conversation goes on", ui.OneLine(name))
	}
	for _, t := range p.Instructions {
		line("it says that the instructions of %s are these, and they hold when it goes on:", ui.OneLine(t.Worker))
		for _, one := range ui.SafeLines(cutText(t.Text)) {
			line("| %s", one)
		}
	}
	for _, d := range p.Doubts {
		line("%s %s has no known end: golem asks about it when the conversation goes on", ui.OneLine(d.Tool), ui.Brief(d.Args))
	}
	same := 0
	for _, f := range p.Files {
		switch f.Action {
		case core.ImportSame:
			same++
		case core.ImportLeave:
			line("left out: %s: %s", ui.OneLine(f.Path), leftText(f.Why))
		case core.ImportMake:
			line("directory %s is made", ui.OneLine(f.Path))
		default:
			if f.Later {
				line("%s was changed after the conversation wrote it:", ui.OneLine(f.Path))
			}
			for _, one := range ui.SafeLines(strings.TrimSuffix(f.Diff, "\n")) {
				line("  %s", one)
			}
		}
	}
	if same > 0 {
		line("what it changed and is so here already: %s", fault.Count(same, "path"))
	}
	line("it counts as content that nobody vouches for; approvals that were given in it do not hold here")
	return b.String()
}

func leftText(why string) string {
	if text, ok := whyLeft[why]; ok {
		return text
	}
	return "something else is in its place here"
}

func cutText(text string) string {
	if r := []rune(text); len(r) > maxInstructions {
		return string(r[:maxInstructions]) + fmt.Sprintf("\n[%d characters more]", len(r)-maxInstructions)
	}
	return text
}
