package guard

import (
	"fmt"
	"unicode/utf8"
)

// reader parses bytes. It keeps the first error in err and then returns only zeros.
// Every loop over a count from the file must check err.
type reader struct {
	data []byte
	pos  int
	end  int
	err  error
	own  uint32 // how many items golem may have added to a vector, beyond its limit
}

func newReader(data []byte) *reader { return &reader{data: data, end: len(data)} }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format+" (at byte %d)", append(args, r.pos)...)
		r.pos = r.end
	}
}

func (r *reader) more() bool { return r.err == nil && r.pos < r.end }

func (r *reader) byte() byte {
	if r.pos >= r.end {
		r.fail("it ends too early")
		return 0
	}
	b := r.data[r.pos]
	r.pos++
	return b
}

func (r *reader) next(n int) []byte {
	if n < 0 || n > r.end-r.pos {
		r.fail("it ends too early")
		return nil
	}
	b := r.data[r.pos : r.pos+n]
	r.pos += n
	return b
}

// u32 reads an unsigned LEB128 of at most 5 bytes.
func (r *reader) u32() uint32 {
	if r.pos < r.end && r.data[r.pos] < 0x80 { // the fast path: one byte
		r.pos++
		return uint32(r.data[r.pos-1])
	}
	var v uint32
	for shift := uint(0); ; shift += 7 {
		b := r.byte()
		if r.err != nil {
			return 0
		}
		if shift == 28 && b > 0x0f {
			r.fail("a number is too long")
			return 0
		}
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

// signed reads a signed LEB128 of the given number of bits.
func (r *reader) signed(bits uint) int64 {
	var v int64
	for shift := uint(0); ; shift += 7 {
		b := r.byte()
		if r.err != nil {
			return 0
		}
		if shift+7 > bits {
			// The last byte: what lies beyond the bits must repeat the sign.
			used := bits - shift
			rest := int8(b<<1) >> used // bits above the number's own, with the sign bit
			if b >= 0x80 || (rest != 0 && rest != -1) {
				r.fail("a number is too long")
				return 0
			}
		}
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			if next := shift + 7; next < 64 && b&0x40 != 0 {
				v |= -1 << next
			}
			return v
		}
	}
}

// count reads the length of a vector whose items take at least one byte each.
func (r *reader) count(what string, limit uint32) uint32 {
	n := r.u32()
	if r.err == nil && n > limit+r.own {
		r.fail("%d %s; at most %d are allowed", n, what, limit)
		return 0
	}
	if r.err == nil && int64(n) > int64(r.end-r.pos) {
		r.fail("it ends too early")
		return 0
	}
	return n
}

func (r *reader) name() string {
	n := r.count("bytes in a name", MaxName)
	b := r.next(int(n))
	if !utf8.Valid(b) {
		r.fail("a name is not UTF-8")
		return ""
	}
	return string(b)
}

func (r *reader) index(what string, count int) uint32 {
	i := r.u32()
	if r.err == nil && int64(i) >= int64(count) {
		r.fail("%s %d does not exist", what, i)
		return 0
	}
	return i
}

func appendU32(out []byte, v uint32) []byte {
	for v >= 0x80 {
		out = append(out, byte(v)|0x80)
		v >>= 7
	}
	return append(out, byte(v))
}

func appendS64(out []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && b&0x40 == 0) || (v == -1 && b&0x40 != 0) {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

func appendName(out []byte, s string) []byte {
	out = appendU32(out, uint32(len(s)))
	return append(out, s...)
}
