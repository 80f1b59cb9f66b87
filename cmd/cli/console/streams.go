package console

import "os"

// OneTerminal reports whether two streams are the same terminal.
func OneTerminal(a, b *os.File) bool {
	if !IsTerminal(a) || !IsTerminal(b) {
		return false
	}
	ia, errA := a.Stat()
	ib, errB := b.Stat()
	return errA != nil || errB != nil || os.SameFile(ia, ib) || os.PathSeparator == '\\'
}
