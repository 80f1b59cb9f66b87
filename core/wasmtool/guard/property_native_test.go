//go:build !js

package guard

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"pgregory.net/rapid"
)

// machine runs modules on one engine, with a tick that grants in slices.
type machine struct {
	runtime wazero.Runtime
	slice   int64
	budget  int64
	granted int64
}

func newMachine(t testing.TB, interpreter bool) *machine {
	config := wazero.NewRuntimeConfig()
	if interpreter {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	ctx := context.Background()
	m := &machine{slice: 1 << 30, budget: 1 << 40}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, config.WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesTailCall))
	t.Cleanup(func() {
		if err := m.runtime.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	tick := func(left int64) int64 {
		debt := max(-left, 0)
		rest := m.budget - m.granted
		if rest < debt {
			panic("out of fuel")
		}
		grant := min(m.slice+debt, rest)
		m.granted += grant
		return grant
	}
	if _, err := m.runtime.NewHostModuleBuilder(TickModule).NewFunctionBuilder().WithFunc(tick).Export(TickName).Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	return m
}

// run calls "run" with arguments. It returns the result or the trap, with the contents of
// the memory and the globals, and the fuel that was used.
func (m *machine) run(module []byte, args ...uint64) (outcome string, fuel int64, err error) {
	ctx := context.Background()
	code, err := m.runtime.CompileModule(ctx, module)
	if err != nil {
		return "", 0, err
	}
	defer code.Close(ctx)
	inst, err := m.runtime.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return "", 0, err
	}
	defer inst.Close(ctx)
	m.granted = 0
	results, err := inst.ExportedFunction("run").Call(ctx, args...)
	outcome = fmt.Sprint(results)
	if err != nil {
		outcome = "trap"
	}
	mem, _ := inst.Memory().Read(0, 64)
	outcome += fmt.Sprintf(" %x %d", mem, inst.ExportedGlobal("g").Get())
	if g := inst.ExportedGlobal(FuelExport); g != nil {
		fuel = m.granted - int64(g.Get())
	}
	return outcome, fuel, nil
}

// global runs a module and returns the value that a global has then.
func (m *machine) global(module []byte, name string, args ...uint64) (int64, error) {
	ctx := context.Background()
	inst, err := m.runtime.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return 0, err
	}
	defer inst.Close(ctx)
	if _, err := inst.ExportedFunction("run").Call(ctx, args...); err != nil && !strings.Contains(err.Error(), "wasm error") {
		return 0, err
	}
	return int64(inst.ExportedGlobal(name).Get()), nil
}

// A guarded module is valid, has the same result or trap as the unguarded one, and uses
// the same fuel on compiler and interpreter, in slices of any size. With one unit of fuel
// less than it uses, it fails.
func TestGuardedIsTheSame(t *testing.T) {
	compiler, interpreter := newMachine(t, false), newMachine(t, true)
	rapid.Check(t, func(t *rapid.T) {
		module := (&generator{t: t}).module()
		args := []uint64{uint64(rapid.Uint32().Draw(t, "a")), uint64(rapid.Uint32().Draw(t, "b"))}
		want, _, err := compiler.run(module, args...)
		if err != nil {
			t.Fatalf("the generator made an invalid module: %v", err)
		}
		woven, err := Weave(module)
		if err != nil {
			t.Fatal(err)
		}
		compiler.slice, compiler.budget = 1<<30, 1<<40
		got, fuel, err := compiler.run(woven, args...)
		if err != nil || got != want {
			t.Fatalf("guarded %q (%v), unguarded %q", got, err, want)
		}
		interpreter.slice = int64(rapid.IntRange(1, 1000).Draw(t, "slice"))
		also, same, err := interpreter.run(woven, args...)
		if err != nil || also != want || same != fuel {
			t.Fatalf("the interpreter: %q with fuel %d (%v), the compiler %q with %d", also, same, err, want, fuel)
		}
	})
}

// generator generates valid modules with a few functions over i32: arithmetic,
// memory, a global, blocks, bounded loops, branches, calls of later functions,
// indirect calls, early returns, traps.
type generator struct {
	t     *rapid.T
	body  []byte
	fn    int
	count int // of functions
	depth int // open labels that a branch may take: blocks
}

const (
	genParams = 2
	genLocals = 4 // two parameters, a variable, a counter for each loop depth
	genLoops  = 3
)

func (g *generator) n(least, most int) int { return rapid.IntRange(least, most).Draw(g.t, "n") }

func (g *generator) op(b ...byte) { g.body = append(g.body, b...) }

func (g *generator) module() []byte {
	g.count = g.n(1, 4)
	bodies := appendU32(nil, uint32(g.count))
	for g.fn = range g.count {
		g.body, g.depth = nil, 0
		for range g.n(1, 6) {
			g.statement(0)
		}
		g.value(2)
		g.op(opEnd)
		b := append([]byte{1, genLocals - genParams + genLoops, typeI32}, g.body...)
		bodies = append(appendU32(bodies, uint32(len(b))), b...)
	}
	elems := appendU32([]byte{1, 0, opI32Const, 0, opEnd}, uint32(g.count))
	for i := range g.count {
		elems = appendU32(elems, uint32(i))
	}
	exports := append([]byte{2, 3, 'r', 'u', 'n', 0, 0}, 1, 'g', 3, 0)
	return assemble(
		sec(secType, 1, 0x60, genParams, typeI32, typeI32, 1, typeI32),
		sec(secFunction, vec(g.count, 0)...), sec(secTable, 1, typeFuncref, 0, 8), sec(secMemory, 1, 0, 1),
		sec(secGlobal, 1, typeI32, 1, opI32Const, 7, opEnd), sec(secExport, exports...), sec(secElement, elems...), sec(secCode, bodies...),
	)
}

// statement generates code that leaves the stack unchanged.
func (g *generator) statement(loops int) {
	switch g.n(0, 9) {
	case 0:
		g.value(2)
		g.op(opLocalSet, byte(g.n(0, genLocals-1)))
	case 1:
		g.value(2)
		g.op(opGlobalSet, 0)
	case 2:
		g.value(1)
		g.op(opI32Const, 0x3c, 0x71) // & 60
		g.value(1)
		g.op(0x36, 2, 0) // i32.store
	case 3, 4:
		g.value(1)
		g.op(opIf, 0x40)
		g.nested(loops)
		if g.n(0, 1) == 1 {
			g.op(opElse)
			g.nested(loops)
		}
		g.op(opEnd)
	case 5:
		g.op(opBlock, 0x40)
		g.nested(loops)
		g.op(opEnd)
	case 6, 7:
		g.loop(loops)
	case 8:
		g.branch()
	case 9:
		g.bulk()
	}
}

func (g *generator) nested(loops int) {
	g.depth++
	for range g.n(0, 2) {
		g.statement(loops)
	}
	g.depth--
}

// loop generates a loop of a few rounds, counted in a local of its own. It goes back to
// its head in one of the possible ways: with br_if, br or br_table, from several places,
// with operands.
func (g *generator) loop(loops int) {
	if loops == genLoops {
		return
	}
	counter := byte(genLocals + loops)
	g.op(opI32Const, byte(g.n(1, 5)), opLocalSet, counter, opBlock, 0x40)
	saved := g.depth
	g.depth = 0 // no branch may skip the count
	form := g.n(0, 5)
	if form == 5 {
		g.value(1)
		g.value(1)
		g.op(opLoop, 0, 0x6a, opLocalSet, 2) // with two operands: the type of every function
	} else {
		g.op(opLoop, 0x40)
	}
	g.op(opLocalGet, counter, opI32Const, 1, 0x6b, opLocalSet, counter)
	for range g.n(0, 3) {
		g.statement(loops + 1)
	}
	switch form {
	case 0, 1:
		g.op(opLocalGet, counter, opBrIf, 0)
	case 2:
		g.op(opLocalGet, counter, opI32Eqz, opBrIf, 1, opBr, 0)
	case 3:
		g.op(opLocalGet, counter, opI32Eqz, opBrTable, 1, 0, 1)
	case 4:
		for range g.n(1, backsMost+1) {
			g.op(opLocalGet, counter, opIf, 0x40)
			g.value(1)
			g.op(opBrIf, 1, opEnd)
		}
	case 5:
		g.op(opLocalGet, 2, opI32Const, 3, opLocalGet, counter, opBrIf, 0, opDrop)
	}
	g.op(opEnd)
	if form == 5 {
		g.op(opLocalSet, 2)
	}
	g.op(opEnd)
	g.depth = saved
}

// branch generates a conditional branch out of a block, or, rarely, a return or a trap.
func (g *generator) branch() {
	g.value(1)
	switch k := g.n(0, 9); {
	case g.depth > 0 && k < 6:
		g.op(opBrIf, byte(g.n(0, g.depth-1)))
	case g.depth > 0 && k == 6:
		g.op(opBrTable, 1, byte(g.n(0, g.depth-1)), byte(g.n(0, g.depth-1)))
	case k == 7:
		g.op(opIf, 0x40)
		g.value(1)
		g.op(opReturn, opEnd)
	case k == 8:
		g.op(opI32Const, 0x1f, 0x71, opI32Eqz, opIf, 0x40, opUnreachable, opEnd)
	default:
		g.op(opDrop)
	}
}

func (g *generator) bulk() {
	g.op(opI32Const, byte(g.n(0, 60)))
	g.value(0)
	g.op(opI32Const, byte(g.n(0, 60)), opBulk, 11, 0) // memory.fill
	if g.n(0, 3) == 0 {
		g.op(opI32Const, byte(g.n(0, 3)), opMemoryGrow, 0, opDrop)
	}
}

// value generates code that pushes an i32.
func (g *generator) value(depth int) {
	if depth == 0 {
		g.op(opI32Const, byte(g.n(0, 63)))
		return
	}
	switch g.n(0, 8) {
	case 0, 1:
		g.op(opLocalGet, byte(g.n(0, genLocals-1)))
	case 2:
		g.op(opGlobalGet, 0)
	case 3:
		g.value(depth - 1)
		g.op(opI32Const, 0x3c, 0x71, 0x28, 2, 0) // i32.load of & 60
	case 4:
		g.call(depth)
	case 5:
		g.value(depth - 1)
		g.op(opI32Eqz)
	default:
		g.value(depth - 1)
		g.value(depth - 1)
		ops := []byte{0x6a, 0x6b, 0x6c, 0x6d, 0x71, 0x72, 0x73, 0x74, 0x76, 0x48, 0x4b} // 0x6d divides: it may trap
		g.op(ops[g.n(0, len(ops)-1)])
	}
}

// call generates a call of a later function, directly or through the table, so that there
// is no recursion. A table index may be wrong.
func (g *generator) call(depth int) {
	g.value(depth - 1)
	g.value(depth - 1)
	later := g.count - 1 - g.fn
	switch k := g.n(0, 5); {
	case later == 0:
		g.op(0x6a)
	case k == 0 && g.n(0, 9) == 0:
		g.op(opI32Const, 7, opCallIndirect, 0, 0) // nothing is there
	case k < 3:
		g.op(opI32Const, byte(g.fn+1+g.n(0, later-1)), opCallIndirect, 0, 0)
	default:
		g.op(opCall, byte(g.fn+1+g.n(0, later-1)))
	}
}
