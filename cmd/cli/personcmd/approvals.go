package personcmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/consent"
	"golem/core/run"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/target"
)

// ApprovalsCommand returns golem approvals.
func ApprovalsCommand(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "list and remove the approval rules that you keep for a project",
		Long: `Where a run asks about a call, the answer r (rule) saves a rule, so that such calls
do not ask in this project. golem shows the rule first and writes it to
$GOLEM_HOME/config.yaml, under projects: and the project's directory; it writes
nothing to the project. A copy of the project in another directory asks again. For a
worker found on GOLEM_PATH a rule is valid in the current directory and for this worker
alone; the list for the directory shows it. No rule is offered for a custom tool,
where none would be safe, and in a packed project.

  golem approvals list             the rules for the project in this directory
  golem approvals remove 2 DIR     remove the second rule for the project in DIR`,
		Args: cobra.NoArgs,
		RunE: console.Alone,
	}
	var asJSON bool
	list := &cobra.Command{
		Use: "list [DIR]", Short: "list the rules that you keep for a project", Args: console.Words(0, 1),
		RunE: func(_ *cobra.Command, args []string) error { return listRules(c, args, asJSON) },
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	remove := &cobra.Command{
		Use: "remove [N] [DIR]", Short: "remove a rule by its number in the list", Args: console.Words(0, 2),
		RunE: func(_ *cobra.Command, args []string) error { return removeRule(c, args) },
	}
	cmd.AddCommand(list, remove)
	return cmd
}

func listRules(c *console.Console, args []string, asJSON bool) error {
	rules, err := keptRules(c, args)
	switch {
	case err != nil:
		return err
	case asJSON:
		return printRules(c, rules)
	case len(rules) == 0:
		return c.Print("no rules are kept for this project\n")
	}
	return c.Print(keptText(rules))
}

// keptRule is a saved approval rule of the person, and the list that it is in.
type keptRule struct {
	approval.Rule
	n      int // its number in that list, from 1
	kept   consent.Rules
	worker string // the worker on GOLEM_PATH for which it holds; "": it holds for the project
}

// keptRules returns the rules for the project that the words name, by default the
// current directory, and then those for workers on GOLEM_PATH that hold in that
// directory.
func keptRules(c *console.Console, args []string) ([]keptRule, error) {
	of := target.OrProject(c, strings.Join(args, ""))
	if target.IsPack(of) {
		return nil, console.Usage("no rules are kept for a packed project").Hinting(console.UnpackIt)
	}
	p, err := target.Resolve(c, of)
	if err != nil {
		return nil, err
	}
	kept := target.Rules(c, p)
	all := []consent.Rules{kept}
	if p.Work == "" && kept.File != nil {
		data, err := kept.File.Read()
		if err != nil {
			return nil, err
		}
		for _, key := range config.RuleKeys(data, kept.Key+target.ForWorker, kept.Home) {
			all = append(all, consent.Rules{File: kept.File, Key: key, Home: kept.Home})
		}
	}
	var out []keptRule
	for _, k := range all {
		rules, err := k.List()
		if err != nil {
			return nil, err
		}
		_, worker, _ := strings.Cut(strings.TrimPrefix(k.Key, disk.RealPath(p.Sandbox())), target.ForWorker)
		for i, r := range rules {
			out = append(out, keptRule{r, i + 1, k, worker})
		}
	}
	return out, nil
}

func removeRule(c *console.Console, args []string) error {
	n := 0
	if len(args) > 0 {
		number, err := strconv.Atoi(args[0])
		if err != nil && len(args) == 2 {
			return console.Usage("%q is not a number", args[0]).Hinting("golem approvals remove N DIR")
		}
		if err == nil {
			n, args = number, args[1:]
		}
	}
	given := n != 0
	rules, err := keptRules(c, args)
	switch {
	case err != nil:
		return err
	case len(rules) == 0:
		return console.Usage("no rules are kept for this project")
	case !given && len(rules) > 1:
		return console.Usage("%d rules are kept for this project, and N says which one to remove", len(rules)).Hinting("golem approvals list shows their numbers")
	case !given:
		n = 1
	}
	if n < 1 || n > len(rules) {
		return console.Usage("there is no rule %d", n).Hinting("golem approvals list shows their numbers, 1 to %d", len(rules))
	}
	r := rules[n-1]
	if err := r.kept.Remove(r.n, r.YAML()); err != nil {
		return err
	}
	return c.Print("removed: " + r.text() + "\n")
}

// SayAllowing prints the rules that would allow the denied calls in the next run, and
// the calls for which golem proposes no rule. A call that was denied for lack of trust
// gets no rule.
func SayAllowing(c *console.Console, denied []run.Denial, p target.Place) {
	var rules, without, untrusted []string
	for _, d := range denied {
		switch {
		case d.Trust:
			untrusted = append(untrusted, fmt.Sprintf("%s (call %s)", d.Tool, d.ID))
		case d.Allow == "":
			without = append(without, fmt.Sprintf("%s (call %s)", d.Tool, d.ID))
		case !slices.Contains(rules, d.Allow):
			rules = append(rules, d.Allow)
		}
	}
	if len(untrusted) > 0 {
		c.Say("not used, because your trust is needed and nobody could be asked for it: %s; golem trust shows what the project's files say and asks, --trust says yes for one run", strings.Join(untrusted, ", "))
	}
	if len(untrusted) == len(denied) {
		return
	}
	if p.Pack != nil {
		c.Say("no rules are kept for a packed project: to allow these calls, use --approve-all, or %s", console.UnpackIt)
		return
	}
	if len(without) > 0 {
		c.Say("golem proposes no rule for %s: set approval for it in the worker or the manifest, or use --approve-all", strings.Join(without, ", "))
	}
	if len(rules) == 0 {
		return
	}
	if c.Home.Dir() == "" {
		c.Say("to allow them, set GOLEM_HOME to a directory of your own, and add to config.yaml in it:")
	} else {
		c.Say("to allow them, add to $GOLEM_HOME/config.yaml:")
	}
	text := []string{"projects:", "  " + approval.Quoted(target.Rules(c, p).Key) + ":", "    approval:", "      rules:"}
	for _, r := range rules {
		text = append(text, "        - "+r)
	}
	c.Beside(func() {
		for _, line := range text {
			line, _ = approval.Visible(line)
			fmt.Fprintln(c.Err, line)
		}
	})
}

// RuleText returns a rule as one line. Spaces stay as they are: they are a part of its patterns.
func RuleText(r approval.Rule) string {
	text, _ := approval.Visible(r.YAML())
	return text
}

// RulesText returns a numbered line for each rule.
func RulesText(rules []approval.Rule) string {
	var b strings.Builder
	for i, r := range rules {
		fmt.Fprintf(&b, "%d  %s\n", i+1, RuleText(r))
	}
	return b.String()
}

func keptText(rules []keptRule) string {
	var b strings.Builder
	for i, r := range rules {
		fmt.Fprintf(&b, "%d  %s\n", i+1, r.text())
	}
	return b.String()
}

// text returns the rule as one line, with the worker if it holds only for a worker on
// GOLEM_PATH.
func (r keptRule) text() string {
	text := RuleText(r.Rule)
	if r.worker != "" {
		text += "  for " + ui.OneLine(r.worker)
	}
	return text
}

func printRules(c *console.Console, rules []keptRule) error {
	type numbered struct {
		N int `json:"n"`
		approval.Rule
		YAML   string `json:"yaml"`
		Worker string `json:"worker,omitempty"`
	}
	out := []numbered{}
	for i, r := range rules {
		out = append(out, numbered{i + 1, r.Rule, r.YAML(), r.worker})
	}
	return c.PrintJSON(struct {
		Golem string     `json:"golem"`
		V     int        `json:"v"`
		Rules []numbered `json:"rules"`
	}{"approvals", 1, out})
}
