package guard

// vector handles an instruction after the prefix 0xfd: 128-bit SIMD, without the
// relaxed instructions (0x100 and above), which engines compute differently.
func (s *scanner) vector() {
	r := s.r
	op := r.u32()
	switch {
	case op <= 10 || op == 92 || op == 93: // loads
		s.r.memArg(s.m, 4)
		s.pop(1)
		s.push(1)
	case op == 11: // store
		s.r.memArg(s.m, 4)
		s.pop(2)
	case op == 12: // const
		r.next(16)
		s.push(1)
	case op == 13: // shuffle
		for _, lane := range r.next(16) {
			if lane > 31 {
				r.fail("a shuffle instruction uses lane %d, which does not exist", lane)
			}
		}
		s.pop(2)
		s.push(1)
	case op >= 15 && op <= 20: // splat
		s.pop(1)
		s.push(1)
	case op >= 21 && op <= 34: // extract and replace lanes
		r.byte()
		if replace := op == 23 || op == 26 || op == 28 || op == 30 || op == 32 || op == 34; replace {
			s.pop(1)
		}
		s.pop(1)
		s.push(1)
	case op >= 84 && op <= 91: // load and store lanes
		s.r.memArg(s.m, 4)
		r.byte()
		s.pop(2)
		if op <= 87 {
			s.push(1)
		}
	case op == 82: // bitselect
		s.pop(3)
		s.push(1)
	case op > 255 || vectorUnknown(op):
		r.refuse(noRelaxed, "instruction 0xfd %d is not defined in WebAssembly 2.0", op)
	default:
		if !vectorUnary(op) {
			s.pop(1)
		}
		s.pop(1)
		s.push(1)
	}
}

// vectorUnary reports whether an instruction has one operand: not, any and all true,
// bitmask, absolute values, roundings, conversions, widenings of halves.
func vectorUnary(op uint32) bool {
	switch op {
	case 77, 83, // not, any_true
		94, 95, // demote, promote
		96, 97, 98, 99, 100, // i8x16 abs neg popcnt all_true bitmask
		103, 104, 105, 106, // f32x4 ceil floor trunc nearest
		116, 117, 122, // f64x2 ceil floor trunc
		124, 125, 126, 127, // extadd_pairwise
		128, 129, 131, 132, // i16x8 abs neg all_true bitmask
		135, 136, 137, 138, // i16x8 extend
		148,                // f64x2 nearest
		160, 161, 163, 164, // i32x4 abs neg all_true bitmask
		167, 168, 169, 170, // i32x4 extend
		192, 193, 195, 196, // i64x2 abs neg all_true bitmask
		199, 200, 201, 202, // i64x2 extend
		224, 225, 227, // f32x4 abs neg sqrt
		236, 237, 239, // f64x2 abs neg sqrt
		248, 249, 250, 251, 252, 253, 254, 255: // conversions
		return true
	}
	return false
}

// vectorUnknown reports whether no instruction has this number.
func vectorUnknown(op uint32) bool {
	switch op {
	case 154, 162, 165, 166, 175, 176, 178, 179, 180, 187, 194, 197, 198, 207, 208, 210, 211, 212, 226, 238:
		return true
	}
	return false
}
