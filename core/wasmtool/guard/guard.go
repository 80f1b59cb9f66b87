// Package guard makes a WebAssembly module safe to hand to an engine
// (SPEC §6, SECURITY 7). It reads the bytes itself, refuses what engines
// cannot bear (sizes, counts, nesting, tables, features that one of them
// lacks), clamps memory and tables, and weaves in fuel and a depth counter,
// so that a call ends at the same instruction on every engine.
package guard

// Version names the transformation. It rises whenever Weave returns other
// bytes for the same module, and is part of every cache key.
const Version = 1
