package guard

// A point is where fuel is charged: for all instructions up to the next point
// that a run comes to. A point stands at the function's entry, at each loop's
// head, and wherever a run may have gone another way: in the branches of an
// if, behind a br_if, and behind a block that can be left past its end.
//
// Small ones are folded into the point before that every run to them passes,
// which charges for them then whether or not they are run: a counter at each
// branch would cost more than it tells. A point never folds into one outside
// its loop, so that each round is paid for.
type point struct {
	before int // every run to this point passes that one, once for each time
	cost   int64
	folded int64 // how much of cost is of points folded into this
	kept   bool  // not to be folded: an entry or a loop's head
}

// foldMost is how much a point may charge for what is perhaps not run.
const foldMost = 64

// charge adds to the cost at the point that the next instruction belongs to.
func (s *scanner) charge(n int64) {
	if top := &s.labels[len(s.labels)-1]; !top.dead {
		s.out.points[top.point].cost += n
	}
}

// newPoint begins a segment here, which runs come to through that other point.
func (s *scanner) newPoint(before int, kind editKind) int {
	i := len(s.out.points)
	s.out.points = append(s.out.points, point{before: before, kept: kind == editLoop})
	s.edit(kind, s.r.pos, s.r.pos, uint32(i))
	return i
}

// split begins a segment in the innermost block.
func (s *scanner) split() {
	if top := &s.labels[len(s.labels)-1]; !top.dead {
		top.point = s.newPoint(top.point, editPoint)
	}
}

// fold settles which points are kept; those behind come first, so that what
// was folded into a point goes with it.
func (b *body) fold() {
	for i := len(b.points) - 1; i > 0; i-- {
		p := &b.points[i]
		if p.kept {
			continue
		}
		to := &b.points[p.before]
		if p.kept = to.folded+p.cost > foldMost; !p.kept {
			to.folded += p.cost
			to.cost += p.cost
		}
	}
}

// total is what one run through the function is charged at most, if it has no
// loops.
func (b *body) total() int64 {
	var n int64
	for _, p := range b.points {
		if p.kept {
			n += p.cost
		}
	}
	return n
}
