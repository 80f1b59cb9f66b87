package guard

// A point is a place where fuel is charged for all instructions up to the next point
// that execution reaches. Points are at the function's entry, before each loop, and
// wherever execution may have taken another path: in the branches of an if, after a
// br_if, and after a block from which a branch can lead further out. The cost of a
// loop's point is charged again with each branch back to its head.
//
// A point with a small cost is folded into the earlier point that every path to it
// passes. The earlier point then charges this cost too, whether or not the instructions
// run, because a change of the counter in each branch would cost too much time.
type point struct {
	before int // the point that every path to this one passes, once each time
	cost   int64
	folded int64 // the part of cost whose instructions may not run
	// likely says that execution mostly continues from the point before to this one,
	// because only a branch forward can skip it.
	likely bool
	backs  int // branches back to it, if it is a loop's
	// head says that a loop is charged at its head, in every round, because a branch
	// back to it cannot be charged by itself, or there are too many.
	head bool
	kept bool // charged at its own place, not folded
}

const (
	// foldMost is the greatest cost that a point may charge for folded points;
	// foldLikely is the limit for folding a likely point.
	foldMost   = 64
	foldLikely = 256
	// backsMost is the greatest number of branches back to a loop that are charged
	// one by one.
	backsMost = 3
)

// charge adds to the cost at the point that the next instruction belongs to.
func (s *scanner) charge(n int64) {
	if top := &s.labels[len(s.labels)-1]; !top.dead {
		s.out.points[top.point].cost += n
	}
}

// newPoint adds a point at a place in the file. Every path to it passes the point before.
func (s *scanner) newPoint(before int, likely bool, pos int) int {
	i := len(s.out.points)
	s.out.points = append(s.out.points, point{before: before, likely: likely})
	s.edit(editPoint, pos, pos, uint32(i))
	return i
}

// split adds a point at the current place in the innermost block.
func (s *scanner) split(likely bool) {
	if top := &s.labels[len(s.labels)-1]; !top.dead {
		top.point = s.newPoint(top.point, likely, s.r.pos)
	}
}

// branchBack handles a branch to a loop's head, the instruction from from to the current place.
func (s *scanner) branchBack(op byte, from, point int) {
	p := &s.out.points[point]
	p.backs++
	if op == opBrTable {
		p.head = true
		s.climb(2)
		return
	}
	s.fork(op)
	s.edit(editBack, from, s.r.pos, uint32(point))
}

// fold decides which points are kept. It starts with the last one, so that a point is
// folded together with what was folded into it.
func (b *body) fold() {
	for i := len(b.points) - 1; i > 0; i-- {
		p := &b.points[i]
		if p.head = p.head || p.backs > backsMost; p.head {
			p.kept = true
			continue
		}
		to, most := &b.points[p.before], int64(foldMost)
		if p.likely {
			most = foldLikely
		}
		if p.kept = to.folded+p.cost > most; !p.kept {
			to.folded += p.cost
			to.cost += p.cost
		}
	}
}

// total returns the greatest cost of a run through the function that takes each loop
// once.
func (b *body) total() int64 {
	var n int64
	for _, p := range b.points {
		if p.kept {
			n += p.cost
		}
	}
	return n
}
