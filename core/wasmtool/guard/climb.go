package guard

// Where loops are, wazero's compiler finds out by climbing the tree of
// dominators to its root, from every edge and block of a function: a row of
// branches costs it the square of its length, so that 30 KB can take half a
// minute. The scanner keeps account of how long these ways are, at most. Code
// that cannot be reached must not count: it would make them look short.

// climbed is what one step on the way costs, in the units of work: 3 to 14 ns
// were measured, by how much of the tree stays in the cache.
const climbed = 15

// live tells whether the compiler sees what stands here.
func (s *scanner) live() bool {
	top := &s.labels[len(s.labels)-1]
	return !top.dead && !top.lost
}

// climb books edges or blocks where the function is now.
func (s *scanner) climb(n int) {
	if s.live() {
		s.out.climb += int64(n) * int64(s.depth)
	}
}

// comes books an edge from here to what follows the label's block.
func (s *scanner) comes(l *label) {
	if s.live() {
		s.climb(2)
		l.near = nearer(l.near, s.depth)
	}
}

// nearer is the lesser depth; 0 is none.
func nearer(a, b int) int {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// descend begins a block: a loop with its head and the guard's own look at the
// counter. It is the innermost already.
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

// turn is else: what follows the if is reached from two sides, or from the
// second branch alone.
func (s *scanner) turn(l *label) {
	if s.live() {
		s.comes(l)
		l.arm = true
	}
	l.lost = l.within
	s.depth = l.depth + 1
}

// ascend ends a block, which is still the innermost, and tells whether what
// follows can be reached.
func (s *scanner) ascend(l *label) bool {
	if l.op == opIf && !l.within { // its else is empty
		s.out.climb += 2 * int64(l.depth+1)
		l.near, l.arm = nearer(l.near, l.depth+1), true
	}
	if s.live() {
		s.comes(l)
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

// branch is a br_if, which may also go on.
func (s *scanner) branch() {
	s.climb(2)
	s.depth++
	s.out.held += int64(s.height)
}

// fork is a branch back to a loop, which the guard makes several of: behind a
// br_if, what follows is two steps deeper, and branch has booked one of them.
func (s *scanner) fork(op byte) {
	s.out.blocks++
	s.climb(6)
	s.out.held += 2 * int64(s.height)
	if op == opBrIf {
		s.climb(5)
		s.depth++
	}
}

// filled is an instruction that is a loop of its own once it is compiled.
func (s *scanner) filled() {
	s.out.blocks++
	s.climb(8)
	s.depth++
	s.out.held += 3 * int64(s.height)
}
