package main

import "golem/core/ui"

// beside writes to standard error with the status line taken away first.
func (h *host) beside(write func()) {
	if aside := h.aside.Load(); aside != nil {
		(*aside)(write)
		return
	}
	write()
}

// live says whether a status line may be written to standard error: it is a
// terminal, and golem its foreground job. nil: never.
func (h *host) live() func() bool {
	if !h.escapes(h.err) {
		return nil
	}
	return func() bool { return inForeground(h.err) }
}

// spinner tells on a terminal what a command waits for that is not a run; end
// takes it away, and may be called again.
func (h *host) spinner() (s *ui.Spinner, end func()) {
	s = &ui.Spinner{W: h.err, Live: h.live(), Width: func() int { return columns(h.err) }, Color: h.colors(h.err, &flags{})}
	aside := s.Aside
	h.aside.Store(&aside)
	return s, func() {
		s.Done()
		h.aside.Store(nil)
	}
}
