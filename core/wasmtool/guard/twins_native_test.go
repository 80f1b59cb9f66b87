//go:build !js

package guard

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// twins runs a module three times: unguarded, guarded, and guarded on the
// interpreter.
type twins struct {
	raw, woven, interpreted *side
	modules, calls          int
}

// side is one of the three, with twinFuel units of fuel for each call.
type side struct {
	runtime wazero.Runtime
	granted int64
	inst    api.Module
}

const twinFuel = 300_000

func newTwins(t *testing.T) *twins {
	return &twins{newSide(t, wazero.NewRuntimeConfigCompiler()), newSide(t, wazero.NewRuntimeConfigCompiler()), newSide(t, wazero.NewRuntimeConfigInterpreter()), 0, 0}
}

func newSide(t *testing.T, config wazero.RuntimeConfig) *side {
	ctx := context.Background()
	s := &side{runtime: wazero.NewRuntimeWithConfig(ctx, config.WithMemoryLimitPages(MaxMemoryPages).WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesTailCall))}
	t.Cleanup(func() {
		if err := s.runtime.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	tick := func(left int64) int64 {
		if s.granted > twinFuel {
			panic("out of fuel")
		}
		grant := 10_000 - left
		s.granted += grant
		return grant
	}
	if _, err := s.runtime.NewHostModuleBuilder(TickModule).NewFunctionBuilder().WithFunc(tick).Export(TickName).Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	// The host module that the tests of the WebAssembly specification import.
	b := s.runtime.NewHostModuleBuilder("spectest")
	for name, f := range map[string]any{
		"print": func() {}, "print_i32": func(int32) {}, "print_i64": func(int64) {}, "print_f32": func(float32) {},
		"print_f64": func(float64) {}, "print_i32_f32": func(int32, float32) {}, "print_f64_f64": func(float64, float64) {},
	} {
		b.NewFunctionBuilder().WithFunc(f).Export(name)
	}
	if _, err := b.Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	return s
}

// open makes a new instance and runs the start function, guarded or not.
func (s *side) open(module []byte) error {
	ctx := context.Background()
	if s.inst != nil {
		if err := s.inst.Close(ctx); err != nil {
			return err
		}
	}
	var err error
	s.granted = 0
	if s.inst, err = s.runtime.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithName("").WithStartFunctions()); err != nil {
		s.inst = nil
		return err
	}
	if start := s.inst.ExportedFunction(StartExport); start != nil {
		_, err = start.Call(ctx)
	}
	return err
}

// call calls an export and returns its results or the trap, and the fuel that it used.
func (s *side) call(name string, args []uint64) (string, int64) {
	f := s.inst.ExportedFunction(name)
	counter := s.inst.ExportedGlobal(FuelExport)
	var before int64
	if s.granted = 0; counter != nil {
		before = int64(counter.Get())
	}
	results, err := f.Call(context.Background(), args...)
	var fuel int64
	if counter != nil {
		fuel = s.granted + before - int64(counter.Get())
	}
	if err != nil {
		trap, _, _ := strings.Cut(err.Error(), "\n")
		return trap, fuel
	}
	for i, t := range f.Definition().ResultTypes() {
		if t == api.ValueTypeI32 || t == api.ValueTypeF32 {
			results[i] &= 0xffff_ffff // above is nothing that counts
		}
	}
	return fmt.Sprint(results), fuel
}

// run calls every export of a module that works on numbers several times, and compares
// the results. It skips a module that is refused or cannot be instantiated here.
func (w *twins) run(t *testing.T, name string, module []byte) {
	woven, err := Weave(module)
	if err != nil || w.woven.open(woven) != nil || w.raw.open(module) != nil || w.interpreted.open(woven) != nil {
		return
	}
	w.modules++
	rng := rand.New(rand.NewPCG(1, 2))
	exports := w.raw.inst.ExportedFunctionDefinitions()
	for _, export := range slices.Sorted(maps.Keys(exports)) {
		if !numbers(exports[export]) {
			continue
		}
		for k := range 6 {
			args := arguments(rng, exports[export].ParamTypes(), k < 4)
			got, fuel := w.woven.call(export, args)
			if w.calls++; strings.Contains(got, "out of fuel") || strings.Contains(got, "stack") || w.woven.flags() != 0 {
				break // without the guard it might not end, end elsewhere, or get more
			}
			want, _ := w.raw.call(export, args)
			_, same := w.interpreted.call(export, args) // only the fuel: the bits of a NaN may differ there
			if got != want || fuel != same {
				t.Errorf("%s, %s%v: unguarded %s, guarded %s with fuel %d, interpreted with %d", name, export, args, want, got, fuel, same)
			}
		}
		if w.woven.open(woven) != nil || w.raw.open(module) != nil || w.interpreted.open(woven) != nil {
			t.Errorf("%s cannot be instantiated again", name)
			return
		}
	}
}

func (s *side) flags() int32 { return int32(s.inst.ExportedGlobal(FlagsExport).Get()) }

// numbers reports whether an export takes and returns only numbers.
func numbers(d api.FunctionDefinition) bool {
	for _, t := range slices.Concat(d.ParamTypes(), d.ResultTypes()) {
		if isRefType(t) {
			return false
		}
	}
	return true
}

func arguments(rng *rand.Rand, types []api.ValueType, small bool) []uint64 {
	var args []uint64
	for _, t := range types {
		v := rng.Uint64()
		if small {
			v %= 20
		}
		switch t {
		case api.ValueTypeI32, api.ValueTypeF32:
			v &= 0xffff_ffff
		case typeV128:
			args = append(args, rng.Uint64())
		}
		args = append(args, v)
	}
	return args
}

// Scenario 13: the modules of enginetest have the same results and traps guarded and
// unguarded.
func TestModulesRunTheSame(t *testing.T) {
	files, err := filepath.Glob("../enginetest/testdata/*.wasm")
	if err != nil {
		t.Fatal(err)
	}
	w := newTwins(t)
	for _, f := range files {
		module, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(module) < 1<<16 {
			w.run(t, f, module)
		}
	}
	if w.calls < 200 {
		t.Errorf("only %d calls of %d modules", w.calls, w.modules)
	}
}
