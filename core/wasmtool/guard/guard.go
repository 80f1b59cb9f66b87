// Package guard makes a WebAssembly module safe to give to an engine (SPEC §6,
// SECURITY 7). It parses the bytes itself, rejects modules that engines cannot
// handle (because of sizes, counts, nesting, tables, or features that one of
// the engines lacks), limits memory and tables, and adds code that counts fuel
// and call depth. So a call ends at the same instruction on every engine.
//
// Fuel is charged at points where execution can take different paths: at the
// entry of a function, before a loop and at each branch back to it, and in
// branches that are not short. Each time it covers the instructions up to the
// next such point (see point). Bulk operations cost by their length, growing
// memory by the number of pages, and calls of imports cost extra. The module
// checks whether its counter is below zero at the entry of functions (except
// small ones that call no others), where a loop goes back, and at each call in
// functions with very many calls. If it is, the module calls the tick import,
// which adds fuel or ends the call. The amount depends only on the module and
// its input, so it is the same on every engine.
//
// Call depth is counted in bytes of an assumed stack frame, so that recursion
// ends at the same call on every engine, before an engine's own stack is full.
package guard

// Version is the version of what Weave does. It rises whenever Weave would
// return different bytes for the same module, and is part of every cache key.
const Version = 6

// Names that a woven module and its engine share. A module that uses one of
// these names itself is rejected.
const (
	// TickModule and TickName name the import (param i64) (result i64). It gets
	// the counter, which is negative by the fuel used beyond what was granted,
	// and returns how much to add, or ends the call with a trap.
	TickModule = "golem"
	TickName   = "tick"
	// FuelExport is a global, i64: the fuel that is left, or, if negative, the
	// fuel used beyond what was granted. Read it after a call, and never write
	// it.
	FuelExport = "golem:fuel"
	// FlagsExport is a global, i32, with the Flag bits.
	FlagsExport = "golem:flags"
	// StartExport is the start function, if the module has one. It is exported
	// and not run at instantiation, because a browser could not suspend it
	// there. The engine calls it first.
	StartExport = "golem:start"
	// MemoryExport is the module's memory, if it has one, even if the module
	// itself does not export it, so that WASI finds it on every engine.
	MemoryExport = "golem:memory"
)

// The bits of the global FlagsExport.
const (
	FlagDepth int32 = 1 << iota // the call ended because it was too deep
	FlagGrew                    // growing a memory or table was refused
)

// Limits of a module. They limit the work of compiling it and the memory of an
// instance.
const (
	MaxSize        = 32 << 20 // bytes of the file
	MaxSections    = 1_000    // because looking for a description reads each section
	MaxTypes       = 20_000
	MaxTypeValues  = 500_000 // parameters and results of all types
	MaxParams      = 256
	MaxResults     = 64
	MaxImports     = 1_000
	MaxFunctions   = 200_000
	MaxTables      = 8
	MaxTableSize   = 1 << 17 // entries; a larger maximum is reduced to this
	MaxMemoryPages = 1024    // 64 MiB; a larger maximum is reduced to this, unless more is allowed (WeaveFor)
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

	// MostMemoryPages is the most that can be allowed: 1 GiB.
	MostMemoryPages = 16384

	// MaxWork limits the cost of compiling all functions together, beyond their
	// size; see body.work.
	MaxWork = 4_000_000_000
)

// Call depth: a frame counts as frameBase, plus frameValue for each of its
// values, and at least frameLeast; all frames of a call together as at most
// frameLimit.
const (
	frameLeast = 216
	frameBase  = 64
	frameValue = 8
	frameLimit = 400_000
)

// Costs in units of fuel. An instruction costs one.
const (
	costImport = 100
	costEnter  = 5
	costPage   = 1024
	bulkShift  = 3 // a unit for 8 bytes or entries
	// cheapLeaf is the greatest cost of a function without calls that does not check the
	// counter at its entry but leaves this to its caller. Only the first round of each
	// loop counts.
	cheapLeaf = 1_000
	// manyCalls is the greatest number of calls in a function that checks the counter
	// only at its entry and in its loops. A function with more checks it at each call,
	// because each can run a cheap leaf, which does not check.
	manyCalls = 2_000
)

// Weave checks a module and returns the guarded one. If the module is rejected,
// the error is E_TOOL_MODULE with the offset in the file.
func Weave(module []byte) ([]byte, error) { return WeaveFor(module, MaxMemoryPages) }

// WeaveFor does the same as Weave with another limit of the memory: pages of 64 KiB, at
// most MostMemoryPages.
func WeaveFor(module []byte, pages uint32) ([]byte, error) {
	m, err := parseFor(module, min(pages, MostMemoryPages))
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
