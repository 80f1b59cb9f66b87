package tui

// said is a text of golem's as lines, indented so that none of them looks like a line
// of golem's own (SECURITY 9).
type said struct {
	as    look
	voids int
}

func newSaid(as look, voids int) *said { return &said{as: as, voids: voids} }

func (s *said) lines(text string, _ bool) []string {
	var out []string
	for _, l := range wrap(clean(text), s.as.width-2) {
		out = append(out, "  "+l)
	}
	return out
}
