package ui

import (
	"slices"
	"strings"

	"golem/core/approval"
)

// asEnter says of an answer that Enter alone gives it.
const asEnter = ", as Enter alone"

// letters has the words that a person can type for each answer; the first word is the
// answer's letter.
var letters = []struct {
	answer approval.Answer
	words  []string
	means  string // in the list of answers; TOOL is the tool's name
}{
	{approval.Yes, []string{"y", "yes"}, "yes, this once"},
	{approval.No, []string{"n", "no"}, "no, this once" + asEnter + "; n and a reason tells the model why"},
	{approval.Session, []string{"s", "session"}, "yes, and yes whenever this exact call comes again in this session"},
	{approval.Always, []string{"a", "always"}, "yes, and yes to every call of TOOL in this session, whatever its arguments"},
	{approval.Keep, []string{"r", "rule"}, "yes, and save a rule so that calls like this do not ask in this project; the rule is shown first"},
	{approval.Never, []string{"d", "deny", "never"}, "no, and no whenever this exact call comes again in this session"},
}

// keys returns the last line of a question (S4-35), which says what each letter means. On
// a narrow screen it is broken between two answers.
func (v *requestView) keys(r approval.Request) string {
	words := []string{"[y]es", "[n]o"}
	var session []string
	for _, k := range []struct {
		answer approval.Answer
		text   string
	}{
		{approval.Session, "[s]ame call"},
		{approval.Always, "[a]ll " + Clip(v.visible(r.Tool), 40) + " calls"},
		{approval.Never, "[d]eny"},
	} {
		if r.Offers(k.answer) {
			session = append(session, k.text)
		}
	}
	parts := []string{strings.Join(words, " / ")}
	for i, s := range session {
		if i == 0 {
			parts = append(parts, " / this session: "+s)
		} else {
			parts = append(parts, ", "+s)
		}
	}
	if r.Offers(approval.Keep) {
		parts = append(parts, "; in this project: [r]ule")
	}
	for _, k := range v.others.Keys {
		parts = append(parts, " / "+k.Label)
	}
	var b strings.Builder
	col := 0
	for i, p := range parts {
		if col > 0 && col+Width(p)+len(": y") > v.width {
			b.WriteString("\n")
			p, col = "  "+strings.TrimLeft(p, " ,;/"), 0
		}
		b.WriteString(p)
		col += Width(p)
		if i == len(parts)-1 {
			b.WriteString(": ")
		}
	}
	return b.String()
}

// hint returns the line above the keys, with what the keys do not say.
func (v *requestView) hint(r approval.Request) string {
	text := "Enter alone: no. ?: what the keys mean. n and a reason: the model is told why."
	switch {
	case v.others.Hint != "":
		text = v.others.Hint
	case r.Kind == approval.KindInput:
		text = "Type the answer. Enter alone: no answer, and the run ends here."
	case !r.Offers(approval.Session):
		text = "Yes covers all of this. Enter alone: no."
	}
	return Faint.Paint(v.color, Clip(text, v.width)) + "\n"
}

// uncut is a limit of rows that is so high that nothing is cut.
const uncut = 1 << 10

// lasting describes the rule that would be saved: what it covers, and its exact text.
func (v *requestView) lasting(l *approval.Lasting) string {
	v.b.Reset()
	v.label("Rule: ", l.Says, uncut)
	v.b.WriteString("These lines go into your own configuration, under this project; golem approvals lists and removes them:\n")
	v.label("  - ", l.YAML, uncut)
	return v.b.String()
}

// repeatCall returns the first line of a call again, for the end of the complete request,
// which can be longer than the screen.
func (v *requestView) repeatCall(r approval.Request) string {
	if r.Kind != approval.KindTool {
		return ""
	}
	line, _ := v.headline(r)
	return Clip(approvalPrefix+v.visible(line), v.width) + "\n"
}

// help returns one line for each answer that the request offers.
func (v *requestView) help(r approval.Request) string {
	var b strings.Builder
	for _, l := range letters {
		if r.Offers(l.answer) {
			means := strings.ReplaceAll(l.means, "TOOL", v.visible(r.Tool))
			if _, other := v.others.chosen(""); other {
				means = strings.Replace(means, asEnter, "", 1)
			}
			b.WriteString(strings.Join(v.broken("  "+l.words[0]+": ", means), "\n") + "\n")
		}
	}
	b.WriteString(v.others.help())
	if r.Kind == approval.KindTool && !r.Offers(approval.Keep) && len(v.others.Keys) == 0 {
		b.WriteString("  r: not for this call; no rule is kept for a custom tool, nor in a packed project\n")
	}
	b.WriteString("  v: show all of it\n")
	return b.String()
}

// ParseAnswer parses the answer to a request: y, n, s, a, r or d, as a letter or a
// word; a reason may follow n and d. An empty line means no. ok is false for
// any other text, and for an answer that is not offered.
func ParseAnswer(line string, offered []approval.Answer) (answer approval.Answer, reason string, ok bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	word, rest = strings.ToLower(strings.TrimRight(word, ",:")), strings.TrimSpace(rest)
	if word == "" {
		return approval.No, "", true
	}
	for _, l := range letters {
		if !slices.Contains(l.words, word) || !slices.Contains(offered, l.answer) {
			continue
		}
		takesReason := l.answer == approval.No || l.answer == approval.Never
		if rest != "" && !takesReason {
			return "", "", false
		}
		return l.answer, rest, true
	}
	return "", "", false
}

// asks reports whether a line is exactly one of the words, in any case.
func asks(line string, words ...string) bool {
	return slices.Contains(words, strings.ToLower(strings.TrimSpace(line)))
}
