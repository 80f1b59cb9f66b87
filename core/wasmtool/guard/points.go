package guard

// A point is where fuel is charged: for all instructions up to the next point
// that a run comes to. A point stands at the function's entry, before each
// loop, and wherever a run may have gone another way: in the branches of an
// if, behind a br_if, and behind a block that can be left past its end. What
// a loop's point costs is charged again with each branch back to its head.
//
// Small ones are folded into the point before that every run to them passes,
// which charges for them then whether or not they are run: a counter at each
// branch would cost more than it tells.
type point struct {
	before int // every run to this point passes that one, once for each time
	cost   int64
	folded int64 // how much of cost is perhaps not run
	// likely says that runs mostly come from the point before to this one: it
	// lies behind what may leave, forward.
	likely bool
	backs  int // branches back to it, if it is a loop's
	// head says that a loop is charged at its head, every round: some branch
	// back to it can carry no charge, or they are many.
	head bool
	kept bool // charged where it stands, not folded
}

const (
	// foldMost is how much a point may charge for what is perhaps not run;
	// foldLikely with what is likely.
	foldMost   = 64
	foldLikely = 256
	// backsMost is how many branches back to a loop are charged one by one.
	backsMost = 3
)

// charge adds to the cost at the point that the next instruction belongs to.
func (s *scanner) charge(n int64) {
	if top := &s.labels[len(s.labels)-1]; !top.dead {
		s.out.points[top.point].cost += n
	}
}

// newPoint begins a segment at a place in the file, which runs come to through
// that other point.
func (s *scanner) newPoint(before int, likely bool, pos int) int {
	i := len(s.out.points)
	s.out.points = append(s.out.points, point{before: before, likely: likely})
	s.edit(editPoint, pos, pos, uint32(i))
	return i
}

// split begins a segment in the innermost block.
func (s *scanner) split(likely bool) {
	if top := &s.labels[len(s.labels)-1]; !top.dead {
		top.point = s.newPoint(top.point, likely, s.r.pos)
	}
}

// back notes a branch to a loop's head, the instruction from there to here.
func (s *scanner) back(op byte, from, point int) {
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

// fold settles which points are kept; those behind come first, so that what
// was folded into a point goes with it.
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

// total is what one run through the function is charged at most, each loop's
// first round included.
func (b *body) total() int64 {
	var n int64
	for _, p := range b.points {
		if p.kept {
			n += p.cost
		}
	}
	return n
}
