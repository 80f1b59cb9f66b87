package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/approval"
	"golem/core/consent"
	"golem/core/project"
	"golem/core/run"
)

func (h *host) approvalsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "list and remove the approval rules that you keep for a project",
		Long: `Where a run asks about a call, the answer r (rule) saves a rule, so that such calls
do not ask in this project. golem shows the rule first and writes it to
$GOLEM_HOME/config.yaml, under projects: and the project's directory; it writes
nothing to the project. A copy of the project in another directory asks again. For a
worker found on GOLEM_PATH a rule holds in the current directory and for this worker
alone; the list for the directory shows it. No rule is offered for a custom tool, where none would be safe, and in a packed project.

  golem approvals list             the rules for the project in this directory
  golem approvals remove 2 DIR     remove the second rule for the project in DIR`,
		Args: cobra.NoArgs,
		RunE: h.alone,
	}
	var asJSON bool
	list := &cobra.Command{
		Use: "list [DIR]", Short: "list the rules that you keep for a project", Args: words(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			rules, err := h.keptRules(args)
			if err != nil {
				return err
			}
			if asJSON {
				return h.printRules(rules)
			}
			if len(rules) == 0 {
				return h.print("no rules are kept for this project\n")
			}
			return h.print(keptText(rules))
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	remove := &cobra.Command{
		Use: "remove [N] [DIR]", Short: "remove a rule by its number in the list", Args: words(0, 2),
		RunE: func(_ *cobra.Command, args []string) error { return h.removeRule(args) },
	}
	cmd.AddCommand(list, remove)
	return cmd
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
func (h *host) keptRules(args []string) ([]keptRule, error) {
	of := h.orProject(strings.Join(args, ""))
	if isPack(of) {
		return nil, usage("no rules are kept for a packed project").Hinting(unpackIt)
	}
	p, err := h.resolve(of)
	if err != nil {
		return nil, err
	}
	kept := h.rules(p)
	all := []consent.Rules{kept}
	if p.work == "" && kept.File != nil {
		data, err := kept.File.Read()
		if err != nil {
			return nil, err
		}
		for _, key := range project.RuleKeys(data, kept.Key+forWorker, kept.Home) {
			all = append(all, consent.Rules{File: kept.File, Key: key, Home: kept.Home})
		}
	}
	var out []keptRule
	for _, k := range all {
		rules, err := k.List()
		if err != nil {
			return nil, err
		}
		_, worker, _ := strings.Cut(strings.TrimPrefix(k.Key, realPath(p.sandbox())), forWorker)
		for i, r := range rules {
			out = append(out, keptRule{r, i + 1, k, worker})
		}
	}
	return out, nil
}

func (h *host) removeRule(args []string) error {
	n := 0
	if len(args) > 0 {
		number, err := strconv.Atoi(args[0])
		if err != nil && len(args) == 2 {
			return usage("%q is not a number", args[0]).Hinting("golem approvals remove N DIR")
		}
		if err == nil {
			n, args = number, args[1:]
		}
	}
	given := n != 0
	rules, err := h.keptRules(args)
	switch {
	case err != nil:
		return err
	case len(rules) == 0:
		return usage("no rules are kept for this project")
	case !given && len(rules) > 1:
		return usage("%d rules are kept for this project, and N says which one to remove", len(rules)).Hinting("golem approvals list shows their numbers")
	case !given:
		n = 1
	}
	if n < 1 || n > len(rules) {
		return usage("there is no rule %d", n).Hinting("golem approvals list shows their numbers, 1 to %d", len(rules))
	}
	r := rules[n-1]
	if err := r.kept.Remove(r.n, r.YAML()); err != nil {
		return err
	}
	return h.print("removed: " + r.text() + "\n")
}

// unpackIt is the hint for a function that works only on a directory, and not on a
// packed project.
const unpackIt = "unpack the file (it is a zip file) and run the directory project in it"

// sayAllowing prints the rules that would allow the denied calls in the next run, and
// the calls for which golem proposes no rule. A call that was denied for lack of trust
// gets no rule.
func (h *host) sayAllowing(denied []run.Denial, p place) {
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
		h.say("to allow %s, trust what the project's files say: golem trust shows it and asks, --trust says yes for one run", strings.Join(untrusted, ", "))
	}
	if len(untrusted) == len(denied) {
		return
	}
	if p.pack != nil {
		h.say("no rules are kept for a packed project: to allow these calls, use --approve-all, or %s", unpackIt)
		return
	}
	if len(without) > 0 {
		h.say("golem proposes no rule for %s: set approval for it in the worker or the manifest, or use --approve-all", strings.Join(without, ", "))
	}
	if len(rules) == 0 {
		return
	}
	if h.home() == "" {
		h.say("to allow them, set GOLEM_HOME to a directory of your own, and add to config.yaml in it:")
	} else {
		h.say("to allow them, add to $GOLEM_HOME/config.yaml:")
	}
	text := []string{"projects:", "  " + approval.Quoted(h.rules(p).Key) + ":", "    approval:", "      rules:"}
	for _, r := range rules {
		text = append(text, "        - "+r)
	}
	h.beside(func() {
		for _, line := range text {
			line, _ = approval.Visible(line)
			fmt.Fprintln(h.err, line)
		}
	})
}

// rulesText returns a numbered line for each rule.
func rulesText(rules []approval.Rule) string {
	var b strings.Builder
	for i, r := range rules {
		fmt.Fprintf(&b, "%d  %s\n", i+1, oneLine(r.YAML()))
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
	text := oneLine(r.YAML())
	if r.worker != "" {
		text += "  for " + oneLine(r.worker)
	}
	return text
}

func (h *host) printRules(rules []keptRule) error {
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
	line, err := jsonLine(struct {
		Golem string     `json:"golem"`
		V     int        `json:"v"`
		Rules []numbered `json:"rules"`
	}{"approvals", 1, out})
	if err != nil {
		return err
	}
	return h.print(line)
}
