package helpcmd

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"golem/core/fault"

	"golem/cmd/cli/console"
)

// explanation is what golem knows of a code, as golem explain --json prints it.
type explanation struct {
	Code     string    `json:"code"`
	Meaning  string    `json:"meaning"`
	Causes   []cause   `json:"causes"`
	Help     []symptom `json:"help,omitempty"`
	Messages []message `json:"messages"`
}

// cause is what usually leads to a code.
type cause struct {
	What string `json:"what"`
	Do   string `json:"do"`
}

// symptom is a row of help.md.
type symptom struct {
	Seen    string `json:"seen"`
	Meaning string `json:"meaning"`
	Do      string `json:"do"`
}

// message is a text that has the code. "{…}" stands for a value.
type message struct {
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// ExplainCommand returns the command golem explain (SPEC §13).
func ExplainCommand(c *console.Console) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: "explain CODE [MESSAGE]", Short: "explain an error by its code, or by its whole message",
		Long: `golem explain says what a code such as E_TRUST means, what to do, and which messages have it.

  golem explain                    the list of codes
  golem explain E_TRUST            everything about a code
  golem explain 'E_MODEL: there is no key for openai'
                                   only what fits to this message`,
		Args:              console.Words(0, math.MaxInt),
		ValidArgsFunction: completeCodes,
		RunE: func(_ *cobra.Command, words []string) error {
			if len(words) == 0 {
				return listCodes(c, asJSON)
			}
			return explain(c, strings.Join(words, " "), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	return cmd
}

func completeCodes(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var codes []string
	for _, code := range fault.Codes() {
		codes = append(codes, string(code))
	}
	return codes, cobra.ShellCompDirectiveNoFileComp
}

func listCodes(c *console.Console, asJSON bool) error {
	all, err := explanations()
	if err != nil {
		return err
	}
	if asJSON {
		return c.PrintJSON(struct {
			Golem string        `json:"golem"`
			V     int           `json:"v"`
			Codes []explanation `json:"codes"`
		}{"codes", 1, all})
	}
	var b strings.Builder
	for _, e := range all {
		fmt.Fprintf(&b, "%-22s %s\n", e.Code, e.Meaning)
	}
	return c.Show(b.String() + "\ngolem explain CODE says more about one\n")
}

var codeInText = regexp.MustCompile(`\bE_[A-Z_]+\b`)

// explain prints what golem knows of the code in a text. If the text has a message too, only
// what fits to the message is printed.
func explain(c *console.Console, text string, asJSON bool) error {
	all, err := explanations()
	if err != nil {
		return err
	}
	first, rest, _ := strings.Cut(text, " ")
	code, said := strings.ToUpper(strings.Trim(first, ":,.")), rest
	if at := codeInText.FindStringIndex(text); at != nil {
		code, said = text[at[0]:at[1]], strings.TrimLeft(text[at[1]:], ": ")
	}
	i := slices.IndexFunc(all, func(e explanation) bool { return e.Code == code || e.Code == "E_"+code })
	if i < 0 && rest != "" && !strings.HasPrefix(code, "E_") {
		return console.Usage("this text has no code").Hinting("write the code before the message, as in golem explain 'E_MODEL: MESSAGE'; golem explain lists the codes")
	}
	if i < 0 {
		var known []string
		for _, e := range all {
			known = append(known, e.Code)
		}
		return console.Usage("golem has no code %q", first).Hinting("%s; golem explain lists them", fault.DidYouMean("E_"+strings.TrimPrefix(code, "E_"), known))
	}
	e := all[i]
	if said != "" {
		e.Messages = fitting(e.Messages, said)
		e.Help = slices.DeleteFunc(e.Help, func(s symptom) bool { return fit(s.Seen, said) < alike })
	}
	if asJSON {
		return c.PrintJSON(struct {
			Golem string `json:"golem"`
			V     int    `json:"v"`
			explanation
		}{"explanation", 1, e})
	}
	return c.Show(explained(e, said))
}

// explained returns an explanation for people.
func explained(e explanation, said string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", e.Code, e.Meaning)
	if said == "" {
		b.WriteString("\nUsual causes:\n")
		for _, c := range e.Causes {
			fmt.Fprintf(&b, "\n  %s\n    do: %s\n", c.What, c.Do)
		}
	}
	for _, s := range e.Help {
		fmt.Fprintf(&b, "\n%s\n  means: %s\n  do: %s\n", s.Seen, s.Meaning, s.Do)
	}
	title := "Messages with this code ({…} stands for a value)"
	if said != "" {
		title = "The message"
		if len(e.Messages) != 1 {
			title = "Messages like this one"
		}
		if len(e.Messages) == 0 {
			return b.String() + fmt.Sprintf("\nNo message with this code is like %q; golem explain %s lists them all\n", said, e.Code)
		}
	}
	fmt.Fprintf(&b, "\n%s:\n", title)
	for _, m := range e.Messages {
		fmt.Fprintf(&b, "\n  %s\n", m.Text)
		if m.Hint != "" {
			fmt.Fprintf(&b, "    do: %s\n", m.Hint)
		}
	}
	return b.String()
}

// alike is the fit from which a message or a row of help.md is like a text.
const alike = 0.6

// fitting returns the messages whose words are most like a text: at most three, and only one
// if it fits better than all others.
func fitting(all []message, said string) []message {
	score := map[message]float64{}
	for _, m := range all {
		score[m] = fit(m.Text, said)
	}
	out := slices.DeleteFunc(slices.Clone(all), func(m message) bool { return score[m] < alike })
	slices.SortStableFunc(out, func(a, b message) int { return cmp.Compare(score[b], score[a]) })
	for i, m := range out {
		if i == 3 || score[m] < score[out[0]] {
			return out[:i]
		}
	}
	return out
}

var (
	valueInText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\{[^}]*\}|…`)
	})
	wordInText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[\pL\pN_.-]+`)
	})
)

// fit returns which part of the words of a pattern, without its values, a text has: 0 to 1.
// Among patterns of which a text has all words, a longer one fits a little better.
func fit(pattern, text string) float64 {
	words := wordInText().FindAllString(strings.ToLower(codeInText.ReplaceAllString(valueInText().ReplaceAllString(pattern, " "), " ")), -1)
	if len(words) == 0 {
		return 0
	}
	has := map[string]bool{}
	for _, w := range wordInText().FindAllString(strings.ToLower(text), -1) {
		has[w] = true
	}
	found := 0
	for _, w := range words {
		if has[w] {
			found++
		}
	}
	return float64(found)/float64(len(words)) + float64(min(found, 50))/1000
}
