package batch

// Suspects returns how many items fail if golem ends once more before anything new is kept of
// them: two holders in a row ended so, and a third one works on them.
func Suspects(l *Local) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.entries {
		if e := &l.entries[i]; e.status == Open && e.barren >= mostBarren {
			n++
		}
	}
	return n
}
