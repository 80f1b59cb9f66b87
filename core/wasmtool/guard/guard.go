// Package guard makes a WebAssembly module safe to hand to an engine
// (SPEC §6, SECURITY 7). It reads the bytes itself, refuses what engines
// cannot bear (sizes, counts, nesting, tables, features that one of them
// lacks), clamps memory and tables, and weaves in fuel and a depth counter,
// so that a call ends at the same instruction on every engine.
//
// Fuel is charged where a run may have gone another way: at function entries,
// before loops and with each branch back to one, and in branches that are not
// short, each time for the instructions up to the next such point (see point).
// Bulk operations pay by their length, growing memory by its pages, calls of
// imports a surcharge. At the entries of functions that call others, where a
// loop goes back, and at each call in a function of very many, the module looks
// whether its counter has fallen below zero, and calls the tick import, which
// grants more or ends the call. The amount is a property of the module and its
// input: every engine charges the same.
//
// Depth is counted in bytes of an assumed frame, so that recursion ends at the
// same call everywhere, before any engine's own stack does.
package guard

// Version names the transformation. It rises whenever Weave returns other
// bytes for the same module, and is part of every cache key.
const Version = 6

// What a woven module has in common with its engine. A module that uses one
// of these names itself is refused.
const (
	// TickModule and TickName are the import (param i64) (result i64): it is
	// given the counter, below zero by what is owed, and returns what to add
	// to it, or ends the call by trapping.
	TickModule = "golem"
	TickName   = "tick"
	// FuelExport is a global, i64: what is left of what was granted; below
	// zero what is owed. Read it after a call; never write it.
	FuelExport = "golem:fuel"
	// FlagsExport is a global, i32, of the Flag bits.
	FlagsExport = "golem:flags"
	// StartExport is the start function, if the module has one: it is exported
	// instead of run at instantiation, where a browser could not suspend it.
	// The engine calls it first.
	StartExport = "golem:start"
	// MemoryExport is the module's memory, if it has one, also where the module
	// itself does not export it: WASI reaches it there on every engine.
	MemoryExport = "golem:memory"
)

// Bits of the global FlagsExport.
const (
	FlagDepth int32 = 1 << iota // the call ended because it was too deep
	FlagGrew                    // growing a memory or table was refused
)

// Limits of a module. They bound what an engine spends on compiling, and what
// an instance holds.
const (
	MaxSize        = 32 << 20 // bytes of the file
	MaxSections    = 1_000    // each is a read of its own where a description is looked for
	MaxTypes       = 20_000
	MaxTypeValues  = 500_000 // parameters and results of all types
	MaxParams      = 256
	MaxResults     = 64
	MaxImports     = 1_000
	MaxFunctions   = 200_000
	MaxTables      = 8
	MaxTableSize   = 1 << 17 // entries; a larger maximum is clamped
	MaxMemoryPages = 1024    // 64 MiB; a larger maximum is clamped
	MaxGlobals     = 10_000
	MaxExports     = 10_000
	MaxElements    = 10_000    // segments
	MaxElementRefs = 1_000_000 // entries of all segments
	MaxData        = 100_000   // segments
	MaxBody        = 1 << 20   // bytes of one function
	MaxLocals      = 4_000     // of one function, parameters included
	MaxNesting     = 20_000    // blocks within blocks
	MaxBranches    = 65_536    // targets of one br_table
	MaxOperands    = 4_000     // values on the stack of one function
	MaxName        = 4_096     // bytes of an import's or export's name
	MaxCustom      = 1 << 20   // bytes of a custom section that is read

	// MaxWork bounds what all functions together may cost a compiler beyond
	// their size; see body.work.
	MaxWork = 4_000_000_000
)

// Depth: a frame is assumed to take frameBase and frameValue for each of its
// values, frameLeast at least; all frames of a call frameLimit at most.
const (
	frameLeast = 216
	frameBase  = 64
	frameValue = 8
	frameLimit = 400_000
)

// Costs in units of fuel; an instruction is one.
const (
	costImport = 100
	costEnter  = 5
	costPage   = 1024
	bulkShift  = 3 // a unit for 8 bytes or entries
	// cheapLeaf is what a function without calls may cost, its loops' further
	// rounds apart, and still leave the check to its caller.
	cheapLeaf = 1_000
	// manyCalls is how many calls a function may have and still look at the
	// counter only at its beginning and in its loops: beside each of them a
	// cheap leaf may run.
	manyCalls = 2_000
)

// Weave checks a module and returns the guarded one. What it refuses is
// E_TOOL_MODULE with the offset in the file.
func Weave(module []byte) ([]byte, error) {
	m, err := parse(module)
	if err != nil {
		return nil, err
	}
	w := &weaver{module: m, types: map[string]uint32{}}
	out, err := w.weave()
	if err != nil {
		return nil, refused(err)
	}
	return out, nil
}
