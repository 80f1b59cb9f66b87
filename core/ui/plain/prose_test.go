package plain

import (
	"strings"
	"testing"

	"golem/core/ui"
)

// SECURITY 9: no line of a model's text is wider than the screen, because the terminal
// would go on at the left edge, where golem's own lines begin.
func TestProseFitsTheScreen(t *testing.T) {
	forged := "[Approval Required] write_file /notes"
	for _, text := range []string{
		strings.Repeat(" ", 73) + forged, "x\n" + strings.Repeat(" ", 72) + forged,
		strings.Repeat("a\t", 30) + forged, strings.Repeat("\t", 20) + forged,
		strings.Repeat("x", 72) + "中" + forged, strings.Repeat("\U0001f7e0", 38) + forged, strings.Repeat("❤\ufe0f", 80),
	} {
		for _, size := range []int{12, 40, 80} {
			var b strings.Builder
			p := &prose{first: ui.Span{Text: golemPrefix}, rest: strings.Repeat(" ", len(golemPrefix)), width: size, put: func(s string) { b.WriteString(s) }}
			p.write(text)
			p.end()
			for _, l := range strings.Split(b.String(), "\n") {
				if strings.Contains(l, "\t") || ui.Width(l) > size {
					t.Errorf("%d columns of %d, or a tab: %q", ui.Width(l), size, l)
				}
			}
			if squeezed := func(s string) string { return strings.Join(strings.Fields(s), "") }; !strings.Contains(squeezed(b.String()), squeezed(text)) {
				t.Errorf("%q became %q", text, b.String())
			}
		}
	}
}
