package guard

// To find loops, wazero's compiler climbs the dominator tree to its root, from every
// edge and block of a function. So a row of branches costs it the square of the row's
// length, and 30 KB can take half a minute. The scanner computes an upper limit of the
// number of these steps. It ignores code that cannot be reached, because an edge from
// such code would make the depth look too small.

// climbed is the cost of one step, in the units of work. Measured were 3 to 14 ns,
// depending on how much of the tree stays in the processor's cache.
const climbed = 15

// live reports whether the current code can be reached, so that the compiler compiles it.
func (s *scanner) live() bool {
	top := &s.labels[len(s.labels)-1]
	return !top.dead && !top.lost
}

// climb counts the steps from n edges or blocks at the current depth.
func (s *scanner) climb(n int) {
	if s.live() {
		s.out.climb += int64(n) * int64(s.depth)
	}
}

// countEdge counts an edge from here to the end of the label's block.
func (s *scanner) countEdge(l *label) {
	if s.live() {
		s.climb(2)
		l.near = nearer(l.near, s.depth)
	}
}

// nearer returns the lesser of two depths; a is 0 if there is none yet.
func nearer(a, b int) int {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// descend begins the block l, which is the innermost label already. lost says that its
// beginning cannot be reached. For a loop it counts the head and the guard's check.
func (s *scanner) descend(l *label, lost bool) {
	l.depth, l.within, l.lost = s.depth, lost, lost
	s.out.held += int64(s.height)
	switch l.op {
	case opLoop:
		s.climb(9)
		s.depth += 2
	case opIf:
		s.climb(4)
		s.depth++
	}
}

// elseLabel handles else: what follows the if is reached from both branches, or from the
// second one alone.
func (s *scanner) elseLabel(l *label) {
	if s.live() {
		s.countEdge(l)
		l.arm = true
	}
	l.lost = l.within
	s.depth = l.depth + 1
}

// ascend ends the block l, which is still the innermost label, and reports whether the
// code after it can be reached.
func (s *scanner) ascend(l *label) bool {
	if l.op == opIf && !l.within { // its else is empty
		s.out.climb += 2 * int64(l.depth+1)
		l.near, l.arm = nearer(l.near, l.depth+1), true
	}
	if s.live() {
		s.countEdge(l)
		if l.arm {
			l.near = min(l.near, l.depth)
		}
	}
	if l.near == 0 {
		s.depth = l.depth
		return false
	}
	s.depth = l.near + 1
	s.out.climb += int64(s.depth)
	return true
}

// branch handles a br_if: execution may also continue after it.
func (s *scanner) branch() {
	s.climb(2)
	s.depth++
	s.out.held += int64(s.height)
}

// fork handles a branch back to a loop, which the guard replaces with several branches.
// After a br_if the next instruction is two steps deeper, and branch counts one of them.
func (s *scanner) fork(op byte) {
	s.out.blocks++
	s.climb(6)
	s.out.held += 2 * int64(s.height)
	if op == opBrIf {
		s.climb(5)
		s.depth++
	}
}

// filled handles an instruction that is compiled to a loop.
func (s *scanner) filled() {
	s.out.blocks++
	s.climb(8)
	s.depth++
	s.out.held += 3 * int64(s.height)
}
