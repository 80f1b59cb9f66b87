package main

import "golem/core/ui"

// beside calls write, which writes to standard error, with the status line removed
// before.
func (h *host) beside(write func()) {
	if aside := h.aside.Load(); aside != nil {
		(*aside)(write)
		return
	}
	write()
}

// live returns a function that reports whether a status line may be written to standard
// error: golem must be the foreground job. It returns nil if standard error is no
// terminal.
func (h *host) live() func() bool {
	if !h.escapes(h.err) {
		return nil
	}
	return func() bool { return inForeground(h.err) }
}

// spinner returns a status line that shows, on a terminal, what a command waits for
// outside a run. The caller must call end, which removes it; calling end again is
// allowed.
func (h *host) spinner() (s *ui.Spinner, end func()) {
	s = &ui.Spinner{W: h.err, Live: h.live(), Width: func() int { return columns(h.err) }, Color: h.colors(h.err, &flags{})}
	aside := s.Aside
	h.aside.Store(&aside)
	return s, func() {
		s.Done()
		h.aside.Store(nil)
	}
}
