package tui

import "golem/cmd/cli/markdown"

// said is one text of the model as lines. They are indented, so that none looks like a
// line of golem itself (SECURITY 9). Finished lines are drawn only once.
type said struct {
	voids    int
	stream   *markdown.Stream
	taken    int // how many bytes of the text were written to stream
	over     bool
	indented []string // the finished lines
}

func newSaid(as look, voids int) *said {
	return &said{voids: voids, stream: markdown.New(markdown.Options{Width: as.width - 2, Color: as.color})}
}

// lines returns the lines of the text so far, with an empty line first: those that are
// finished, and those that may still change.
func (s *said) lines(text string, over bool) (finished, tail []string) {
	s.stream.Write(text[s.taken:])
	s.taken = len(text)
	if over && !s.over {
		s.over = true
		s.stream.End()
	}
	for _, l := range s.stream.Unfinished() {
		tail = append(tail, indent(l))
	}
	all := s.stream.Finished()
	if len(all) == 0 && len(tail) == 0 {
		return nil, nil
	}
	if len(s.indented) == 0 {
		s.indented = append(s.indented, "")
	}
	for _, l := range all[len(s.indented)-1:] {
		s.indented = append(s.indented, indent(l))
	}
	return s.indented, tail
}

func indent(l string) string {
	if l == "" {
		return l
	}
	return "  " + l
}
