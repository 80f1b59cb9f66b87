//go:build !js

package enginetest

import (
	"encoding/hex"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A run is a sequence of bytes that is repeated times times; a module consists of runs.
type run struct {
	bytes []byte
	times int
}

type runs []run

func raw(b ...byte) runs { return runs{{b, 1}} }

func again(times int, b ...byte) runs { return runs{{b, times}} }

func join(parts ...runs) runs { return slices.Concat(parts...) }

func (r runs) size() (n int) {
	for _, p := range r {
		n += len(p.bytes) * p.times
	}
	return n
}

func number(n int) (out []byte) {
	for ; n > 127; n >>= 7 {
		out = append(out, byte(n)|128)
	}
	return append(out, byte(n))
}

// section returns a section: its id, its size and its content.
func section(id byte, content ...runs) runs {
	all := join(content...)
	return join(raw(id), raw(number(all.size())...), all)
}

// vector returns a vector of n equal items: the count, then the items.
func vector(n int, item ...byte) runs { return join(raw(number(n)...), again(n, item...)) }

// parts returns the runs in the form that a Case has.
func (r runs) parts() (out []Part) {
	var plain []byte
	flush := func() {
		if len(plain) > 0 {
			out = append(out, Part{Hex: hex.EncodeToString(plain)})
			plain = nil
		}
	}
	for _, p := range r {
		if p.times == 1 {
			plain = append(plain, p.bytes...)
			continue
		}
		flush()
		if p.times > 0 {
			out = append(out, Part{Hex: hex.EncodeToString(p.bytes), Times: p.times})
		}
	}
	flush()
	return out
}

var (
	magic   = raw(0, 'a', 's', 'm', 1, 0, 0, 0)
	types   = section(1, raw(2, 0x60, 0, 1, 0x7f, 0x60, 0, 0)) // () → i32, () → ()
	oneFunc = section(3, raw(1, 0))
	exports = section(7, raw(1, 3, 'r', 'u', 'n', 0, 0))
	memory  = section(5, raw(1, 0, 1))
	zero    = raw(0x41, 0, 0x0b) // i32.const 0, end
)

// body returns a code section with one function that runs code and returns 0.
func body(locals runs, code ...runs) runs {
	all := join(locals, join(code...), zero)
	return section(10, raw(1), raw(number(all.size())...), all)
}

// function returns a module with one function.
func function(locals runs, code ...runs) runs {
	return join(magic, types, oneFunc, memory, exports, body(locals, code...))
}

// tool returns a module with one function that returns 0, and with further sections.
func tool(before, between, after runs) runs {
	return join(magic, types, before, oneFunc, between, exports, after, body(raw(0)))
}

// bombs returns modules whose compilation costs as much as the guard allows, or nearly,
// and whose calls still return 0.
func bombs() map[string]runs {
	none := raw(0)
	return map[string]runs{
		"functions": join(magic, types, section(3, join(raw(number(50_000)...), raw(0), again(49_999, 1))), exports,
			section(10, join(raw(number(50_000)...), raw(4, 0, 0x41, 0, 0x0b), again(49_999, 2, 0, 0x0b)))),
		"blocks in blocks":                  function(none, again(10_000, 0x02, 0x40), again(10_000, 0x0b)),
		"loops in loops":                    function(none, again(2_000, 0x03, 0x40), again(2_000, 0x0b)),
		"ifs in ifs":                        function(none, again(2_000, 0x41, 0, 0x04, 0x40), again(2_000, 0x0b)),
		"blocks after blocks":               function(none, again(8_000, 0x02, 0x40, 0x0b)),
		"a long branch table":               function(none, raw(0x02, 0x40, 0x41, 0, 0x0e), vector(20_000, 0), raw(0, 0x0b)),
		"locals":                            function(join(raw(1), raw(number(4_000)...), raw(0x7e))),
		"operands":                          function(none, again(3_900, 0x41, 0), again(3_900, 0x1a)),
		"a long function":                   function(none, again(200_000, 0x41, 1, 0x1a)),
		"sums":                              function(none, raw(0x41, 0), again(200_000, 0x41, 1, 0x6a), raw(0x1a)),
		"stores":                            function(none, again(20_000, 0x41, 0, 0x41, 1, 0x36, 2, 0)),
		"calls":                             join(magic, types, section(3, raw(2, 0, 1)), exports, section(10, raw(2), func() runs { b := join(raw(0), again(50_000, 0x10, 1), zero); return join(raw(number(b.size())...), b) }(), raw(2, 0, 0x0b))),
		"bulk operations":                   function(none, again(4_000, 0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 0x0b, 0)),
		"memory.grow":                       function(none, again(20_000, 0x41, 0, 0x40, 0, 0x1a)),
		"types":                             join(magic, section(1, join(raw(number(20_000)...), raw(0x60, 0, 1, 0x7f), again(19_999, 0x60, 0, 0))), oneFunc, exports, body(none)),
		"globals":                           tool(nil, section(6, vector(10_000, 0x7f, 1, 0x41, 0, 0x0b)), nil),
		"table entries":                     tool(nil, section(4, raw(1, 0x70, 0), raw(number(100_000)...)), section(9, raw(1, 0, 0x41, 0, 0x0b), vector(100_000, 0))),
		"element segments":                  tool(nil, nil, section(9, vector(10_000, 1, 0, 1, 0))),
		"data segments":                     join(magic, types, oneFunc, memory, exports, body(none), section(11, vector(50_000, 1, 0))),
		"active data segments":              join(magic, types, oneFunc, memory, exports, body(none), section(11, vector(50_000, 0, 0x41, 0, 0x0b, 1, 7))),
		"custom sections":                   join(magic, again(900, 0, 2, 1, 'x'), types, oneFunc, exports, body(none)),
		"a custom section's name that lies": join(magic, raw(0, 2, 0x40, 'x'), types, oneFunc, exports, body(none)), // no such section reaches an engine
		"a large custom section":            join(magic, types, oneFunc, exports, body(none), section(0, raw(1, 'x'), again(1_000_000, 0))),
	}
}

// lies returns files that are not modules, or that use what golem does not support.
func lies() map[string]runs {
	none := raw(0)
	return map[string]runs{
		"an empty file":          nil,
		"a text":                 raw([]byte("(module)")...),
		"a header alone, cut":    raw(0, 'a', 's', 'm', 1, 0, 0),
		"a component":            raw(0, 'a', 's', 'm', 0x0d, 0, 1, 0),
		"version 2":              raw(0, 'a', 's', 'm', 2, 0, 0, 0),
		"cut in the types":       join(magic, raw(1, 8, 2, 0x60, 0, 1)),
		"cut in the functions":   join(magic, types, raw(3, 2, 1)),
		"cut before the code":    join(magic, types, oneFunc, memory, exports),
		"cut in the code":        join(magic, types, oneFunc, exports, raw(10, 6, 1, 4, 0, 0x41)),
		"cut in a constant":      join(magic, types, oneFunc, exports, section(10, raw(1, 3, 0, 0x41))),
		"a section of 4 GiB":     join(magic, raw(1, 0xff, 0xff, 0xff, 0xff, 0x0f)),
		"a number too long":      join(magic, raw(1, 0x84, 0x80, 0x80, 0x80, 0x80, 0, 1, 0x60, 0, 0)),
		"a number of 33 bits":    join(magic, raw(1, 0xff, 0xff, 0xff, 0xff, 0x1f)),
		"a count that lies":      join(magic, section(1, raw(0xff, 0xff, 3, 0x60, 0, 0))),
		"a body that lies":       join(magic, types, oneFunc, exports, section(10, raw(1, 0x70, 0, 0x41, 0, 0x0b))),
		"a name that is no text": join(magic, types, oneFunc, section(7, raw(1, 1, 0xff, 0, 0)), body(none)),
		"sections out of order":  join(magic, oneFunc, types, exports, body(none)),
		"a section twice":        join(magic, types, types, oneFunc, exports, body(none)),
		"a section 14":           join(magic, section(14, raw(0))),
		"exceptions":             join(magic, types, oneFunc, memory, section(13, raw(1, 0, 1)), exports, body(none)),
		"threads":                join(magic, types, oneFunc, section(5, raw(1, 3, 1, 1)), exports, body(none)),
		"garbage collection":     join(magic, section(1, raw(1, 0x5f, 0)), oneFunc, exports, body(none)),
		"memory of 64 bits":      join(magic, types, oneFunc, section(5, raw(1, 4, 1)), exports, body(none)),
		"two memories":           join(magic, types, oneFunc, section(5, raw(2, 0, 1, 0, 1)), exports, body(none)),
		"relaxed vectors":        function(none, raw(0xfd, 0x0c), again(16, 0), raw(0xfd, 0x0c), again(16, 0), raw(0xfd, 0x80, 2, 0x1a)),
		"atomic operations":      function(none, raw(0x41, 0, 0xfe, 0x10, 2, 0, 0x1a)),
		"an unknown instruction": function(none, raw(0xff)),
		"a type error":           function(none, raw(0x42, 0, 0x45, 0x1a)),
		"a result missing":       join(magic, types, oneFunc, exports, section(10, raw(1, 2, 0, 0x0b))),
		"locals of 4 GiB":        function(raw(2, 0xff, 0xff, 0xff, 0xff, 7, 0x7f, 0xff, 0xff, 0xff, 0xff, 7, 0x7f)),
		"50,000 locals":          function(join(raw(1), raw(number(50_000)...), raw(0x7e))),
		"10,000 custom sections": join(magic, again(10_000, 0, 2, 1, 'x'), types, oneFunc, exports, body(none)),
		"30,000 blocks":          function(none, again(30_000, 0x02, 0x40), again(30_000, 0x0b)),
		"20,000 loops in a row":  function(none, again(20_000, 0x03, 0x40, 0x0b)),
		"20,000 ifs in a row":    function(none, again(20_000, 0x41, 0, 0x04, 0x40, 0, 0x0b)),
		"20,000 br_if in a row":  function(none, raw(0x02, 0x40), again(20_000, 0x41, 0, 0x0d, 0), raw(0x0b)),
		"20,000 memory.fill":     function(none, again(20_000, 0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 0x0b, 0)),
		"100,000 branch targets": function(none, raw(0x02, 0x40, 0x41, 0, 0x0e), vector(100_000, 0), raw(0, 0x0b)),
		"a function of 5 MB":     function(none, again(1_700_000, 0x41, 1, 0x1a)),
		"a million functions":    join(magic, types, section(3, vector(1_000_000, 1)), section(10, vector(1_000_000, 2, 0, 0x0b))),
		"a million types":        join(magic, section(1, vector(1_000_000, 0x60, 0, 0))),
		"a million globals":      tool(nil, section(6, vector(1_000_000, 0x7f, 1, 0x41, 0, 0x0b)), nil),
		"a million segments":     join(magic, types, oneFunc, memory, exports, body(none), section(11, vector(1_000_000, 1, 0))),
		"a thousand parameters":  join(magic, section(1, raw(1, 0x60), vector(1_000, 0x7f), raw(0))),
		"a huge table":           tool(nil, section(4, raw(1, 0x70, 0), raw(number(100_000_000)...)), nil),
		"the guard's fuel":       function(none, raw(0x42, 0x80, 0x7f, 0x24, 0)),
		"the guard's helper":     function(none, raw(0x10, 2)),
		"the tick":               function(none, raw(0x42, 0, 0x10, 1, 0x1a)),
	}
}

// sluggish returns modules that use little fuel in much time, so that ticks could come
// late: they read all over 64 MiB, and each read gives the next address.
func sluggish() map[string]runs {
	big := section(5, raw(1, 0), raw(number(1024)...))
	// i32.store (i << 2) (((i * 1103515245 + 12345) & 0xffffff) << 2), for all i below 1 << 24
	index := raw(0x20, 0, 0x41, 2, 0x74)
	next := raw(0x20, 0, 0x41, 0xed, 0x9c, 0x99, 0x8e, 4, 0x6c, 0x41, 0xb9, 0xe0, 0, 0x6a, 0x41, 0xff, 0xff, 0xff, 7, 0x71, 0x41, 2, 0x74)
	round := func(most ...byte) runs {
		return join(raw(0x20, 0, 0x41, 1, 0x6a, 0x22, 0, 0x41), raw(most...), raw(0x49, 0x0d, 0, 0x0b))
	} // br_if (++i < most)
	shuffle := join(raw(0x03, 0x40), index, next, raw(0x36, 2, 0), round(0x80, 0x80, 0x80, 8))
	leaf := join(raw(0, 0x23, 0), again(980, 0x28, 2, 0), raw(0x24, 0, 0x0b))
	spin := func(code ...runs) runs { return join(raw(0x03, 0x40), join(code...), raw(0x0c, 0, 0x0b)) }
	whole := func(code ...runs) runs {
		all := join(raw(1, 1, 0x7f), shuffle, join(code...), zero)
		return join(magic, types, section(3, raw(2, 0, 1)), big, section(6, raw(1, 0x7f, 1, 0x41, 0, 0x0b)), exports,
			section(10, raw(2), raw(number(all.size())...), all, raw(number(leaf.size())...), leaf))
	}
	table := join(magic, types, section(3, raw(2, 0, 1)), section(4, raw(1, 0x70, 0, 1)), big, section(6, raw(1, 0x7f, 1, 0x41, 0, 0x0b)), exports, section(9, raw(1, 0, 0x41, 0, 0x0b, 1, 1)))
	indirect := join(raw(1, 1, 0x7f), shuffle, spin(again(50_000, 0x41, 0, 0x11, 1, 0)), zero)
	return map[string]runs{
		"calls of leaves":          whole(spin(again(150_000, 0x10, 1))),
		"calls of leaves by table": join(table, section(10, raw(2), raw(number(indirect.size())...), indirect, raw(number(leaf.size())...), leaf)),
		// Fast instructions first, so that the slices of fuel grow.
		"quick, then slow": whole(raw(0x41, 0, 0x21, 0, 0x03, 0x40), again(20_000, 0x41, 0, 0x1a), round(0xe0, 0xa7, 0x12), spin(raw(0x10, 1))),
	}
}

// made returns the cases with modules that the text format cannot express, in a fixed
// order.
func made() (out []Case) {
	for i, set := range []map[string]runs{bombs(), lies(), sluggish()} {
		for name, r := range set {
			c := Case{Name: "bytes: " + name, Bytes: r.parts(), Want: Want{Code: []string{"", "E_TOOL_MODULE", "E_TIMEOUT"}[i]}}
			if c.Want.Code == "E_TIMEOUT" {
				c.Limits.Time = 500
			}
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// The bytes in cases.json must be those of made; GOLEM_UPDATE=1 writes them.
func TestBytes(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range made() {
		i := slices.IndexFunc(cases, func(c Case) bool { return c.Name == want.Name })
		if i < 0 || !reflect.DeepEqual(cases[i].Bytes, want.Bytes) || cases[i].Want.Code != want.Want.Code || cases[i].Limits != want.Limits {
			t.Errorf("%s is not in cases.json as it is made", want.Name)
		}
	}
}
