package batchcmd

import (
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"golem/core/approval"
	"golem/core/batch"
	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/console"
)

// questioning are the flags of golem batch questions.
type questioning struct {
	questions, when             []string
	rule, answer, reason, shown string
	again, json                 bool
}

// questionsCommand returns golem batch questions.
func questionsCommand(c *console.Console) *cobra.Command {
	f := &questioning{}
	cmd := &cobra.Command{
		Use:   "questions BATCH",
		Short: "answer what the items of a batch ask",
		Long: `Shows the questions of parked items, each once with the number of items that ask it,
and asks for an answer on a terminal. An answer is for all items that ask the same
call with the same arguments. Calls that only read and write the files of the items
can also be answered by a rule, after all calls that it covers were shown; it also
answers what items of this batch ask later. The batch goes on with these items: at
once if a golem runs it, else with the next golem batch retry or the command that
began it.

Without a terminal, answer with flags: --json shows each question with its key, and
--rule without --answer shows what a rule covers.`,
		Example: `  golem batch questions reviews
  golem batch questions reviews --json
  golem batch questions reviews --question 1f6c09a2b7 --answer no --reason "not there"
  golem batch questions reviews --rule write_file --when 'path=/out/**'
  golem batch questions reviews --rule write_file --when 'path=/out/**' --answer yes --shown 9d40…`,
		Args: console.Words(1, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := f.refuse(); err != nil {
				return err
			}
			q, err := reading(c, words[0])
			if err != nil {
				return err
			}
			groups, err := q.Questions(f.again)
			if err != nil {
				return err
			}
			a := &answering{c: c, q: q, groups: groups}
			return f.carryOut(cmd.Context(), a)
		},
	}
	s := cmd.Flags()
	s.BoolVar(&f.json, "json", false, "print the questions as one line of JSON")
	s.BoolVar(&f.again, "again", false, "show also what is answered, until its items go on: the last answer counts")
	s.StringArrayVar(&f.questions, "question", nil, "the key of a question to answer, or its beginning")
	s.StringVar(&f.rule, "rule", "", "the tool whose calls one answer is for")
	s.StringArrayVar(&f.when, "when", nil, "what the calls of --rule have in common: ARG=PATTERN, such as 'path=/out/**'")
	s.StringVar(&f.answer, "answer", "", "the answer: yes or no")
	s.StringVar(&f.reason, "reason", "", "why the answer is no, for the model")
	s.StringVar(&f.shown, "shown", "", "the digest at the end of the list of calls that --rule covers")
	return cmd
}

// refuse returns an error for flags that do not go together.
func (f *questioning) refuse() error {
	switch {
	case f.answer != "" && f.answer != string(approval.Yes) && f.answer != string(approval.No):
		return console.Usage("--answer %q is not yes or no", f.answer)
	case f.rule != "" && len(f.questions) > 0:
		return console.Usage("--rule and --question do not go together").Hinting("answer the questions of the rule, then the others")
	case f.rule == "" && (len(f.when) > 0 || f.shown != ""):
		return console.Usage("--when and --shown belong to --rule")
	case f.answer == "" && len(f.questions) > 0:
		return console.Usage("--question needs --answer yes or --answer no")
	case f.answer != "" && f.rule == "" && len(f.questions) == 0:
		return console.Usage("--answer needs --question KEY or --rule TOOL").Hinting("golem batch questions BATCH --json shows the keys")
	case f.reason != "" && f.answer != string(approval.No):
		return console.Usage("--reason belongs to --answer no")
	}
	return nil
}

// answering is a person, or a program for them, who answers the questions of a batch.
type answering struct {
	c      *console.Console
	q      *batch.Local
	groups []batch.Group
	given  int
}

// give keeps an answer.
func (a *answering) give(answers ...batch.Answer) error {
	for i := range answers {
		answers[i].By, answers[i].At = accountName(a.c), time.Now().UTC().Format(time.RFC3339)
	}
	err := a.q.Answer(answers...)
	if err == nil {
		a.given += len(answers)
	}
	return err
}

// accountName returns the name of the account that runs golem, by the user database and not by the
// environment.
func accountName(c *console.Console) string {
	if uid := os.Getuid(); uid >= 0 {
		if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
			return u.Username
		}
		return "user " + strconv.Itoa(uid)
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return c.Home.Account()
}

// end says how the batch goes on.
func (a *answering) end() {
	if a.given > 0 && !a.q.Held() {
		a.c.Say("golem batch retry %s goes on", a.q.Head.Name)
	}
}

// headline returns a question in one line.
func headline(g batch.Group) string {
	r := g.Question.Request
	about := r.Title
	if about == "" {
		about = r.Tool + " " + string(r.Args)
	}
	return ui.Clip(ui.OneLine(about), headlineWidth)
}

// headlineWidth is how much of a question its headline has.
const headlineWidth = 160

// callsText returns the calls that a rule covers, each with all its arguments.
func callsText(rule batch.Rule, covered []batch.Group) string {
	items := 0
	var b strings.Builder
	for _, g := range covered {
		items += len(g.Items)
		b.WriteString("  " + g.Question.Request.Tool + " " + string(g.Question.Request.Args) + " (" + fault.Count(len(g.Items), "item") + ")\n")
	}
	head := "The rule: " + rule.String() + "\nIt covers " + fault.Count(len(covered), "question") + " of " + fault.Count(items, "item") + ":\n"
	return ui.Safe(head + b.String() + "and what items of this batch ask later that it matches.\n")
}

// unanswered returns the questions without an answer.
func unanswered(groups []batch.Group) []batch.Group {
	return slices.DeleteFunc(slices.Clone(groups), func(g batch.Group) bool { return g.Answer != nil })
}
