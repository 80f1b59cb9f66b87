package tui

import "golem/cmd/cli/markdown"

// said is a text of golem's as lines, indented so that none of them looks like a line
// of golem's own (SECURITY 9). What is finished of it is drawn once.
type said struct {
	voids    int
	stream   *markdown.Stream
	taken    int // bytes of the text that the stream has
	over     bool
	indented []string // the finished lines
}

func newSaid(as look, voids int) *said {
	return &said{voids: voids, stream: markdown.New(markdown.Options{Width: as.width - 2, Color: as.color})}
}

// lines are the lines of the text so far, after an empty one: those that are finished,
// and those that may change.
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
