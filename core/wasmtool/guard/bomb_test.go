package guard

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
)

// assemble returns a module with these sections.
func assemble(sections ...[]byte) []byte {
	return append(bytes.Clone(header), bytes.Join(sections, nil)...)
}

func sec(id byte, content ...byte) []byte {
	return append(appendU32([]byte{id}, uint32(len(content))), content...)
}

// vec returns a vector: its count, then n times the item.
func vec(n int, item ...byte) []byte {
	return append(appendU32(nil, uint32(n)), bytes.Repeat(item, n)...)
}

// one returns a module with one function of type () → () with that body.
func one(body ...byte) []byte {
	b := append([]byte{0}, body...)
	code := append(appendU32([]byte{1}, uint32(len(b))), b...)
	return assemble(sec(secType, 1, 0x60, 0, 0), sec(secFunction, 1, 0), sec(secCode, code...))
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// refusals returns modules that must not reach an engine, with a part of the error
// message.
func refusals() map[string]struct {
	module []byte
	why    string
} {
	type r = struct {
		module []byte
		why    string
	}
	funcs := func(n int) []byte { return sec(secFunction, vec(n, 0)...) }
	bodies := func(n int) []byte { return sec(secCode, vec(n, 2, 0, opEnd)...) }
	void := sec(secType, 1, 0x60, 0, 0)
	locals := func(n int) []byte {
		b := append(appendU32([]byte{1}, uint32(n)), typeI32)
		b = append(b, opEnd)
		return assemble(void, funcs(1), sec(secCode, append(appendU32([]byte{1}, uint32(len(b))), b...)...))
	}
	return map[string]r{
		"empty":                            {nil, "the file is empty"},
		"text":                             {[]byte("(module)"), "not a WebAssembly"},
		"component":                        {componentHeader, "component"},
		"version 2":                        {[]byte{0, 'a', 's', 'm', 2, 0, 0, 0}, "not a WebAssembly"},
		"section without content":          {assemble([]byte{1, 200, 1}), "ends too early"},
		"section 13 (tags)":                {assemble([]byte{13, 1, 0}), "section for exceptions"},
		"sections out of order":            {assemble(sec(secFunction, 0), sec(secType, 0)), "in the wrong place"},
		"too many sections":                {assemble(bytes.Repeat([]byte{0, 1, 0}, MaxSections+1)), "sections"},
		"a section twice":                  {assemble(sec(secType, 0), sec(secType, 0)), "has two of them"},
		"data count after code":            {assemble(sec(secCode, 0), sec(secDataCount, 0)), "in the wrong place"},
		"an overlong number":               {assemble([]byte{1, 0x80, 0x80, 0x80, 0x80, 0x80, 0}), "too long"},
		"a number of 33 bits":              {assemble([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x1f}), "too long"},
		"a count that lies":                {assemble(sec(secType, 0xff, 0xff, 3)), "at most"},
		"bytes behind a section":           {assemble(sec(secType, 0, 0)), "follow its end"},
		"functions, no bodies":             {assemble(void, funcs(1)), "declares 1 functions and has 0"},
		"bodies, no functions":             {assemble(void, bodies(1)), "declares 0 functions and has 1"},
		"a type that is not":               {assemble(sec(secType, 1, 0x5f, 0, 0)), "a type of form"},
		"a value type that is not":         {assemble(sec(secType, 1, 0x60, 1, 0x6e, 0)), "value type 0x6e"},
		"too many parameters":              {assemble(sec(secType, join([]byte{1, 0x60}, vec(MaxParams+1, typeI32), []byte{0})...)), "parameters"},
		"too many results":                 {assemble(sec(secType, join([]byte{1, 0x60, 0}, vec(MaxResults+1, typeI32))...)), "results"},
		"too many types":                   {assemble(sec(secType, vec(MaxTypes+1, 0x60, 0, 0)...)), "types"},
		"types of too many values":         {assemble(sec(secType, vec(MaxTypeValues/200+1, append([]byte{0x60}, append(vec(200, typeI32), 0)...)...)...)), "parameters and results"},
		"too many functions":               {assemble(void, funcs(MaxFunctions+1)), "functions"},
		"too many globals":                 {assemble(sec(secGlobal, vec(MaxGlobals+1, typeI32, 0, opI32Const, 0, opEnd)...)), "globals"},
		"too many tables":                  {assemble(sec(secTable, vec(MaxTables+1, typeFuncref, 0, 0)...)), "tables"},
		"a table that is too large":        {assemble(sec(secTable, append([]byte{1, typeFuncref, 0}, appendU32(nil, MaxTableSize+1)...)...)), "a table has"},
		"a table with initialiser":         {assemble(sec(secTable, 1, 0x40, 0, typeFuncref, 0, 0, 0xd0, typeFuncref, opEnd)), "form 0x40"},
		"two memories":                     {assemble(sec(secMemory, 2, 0, 1, 0, 1)), "memories"},
		"shared memory":                    {assemble(sec(secMemory, 1, 3, 1, 2)), "form 0x3"},
		"memory of 64 bits":                {assemble(sec(secMemory, 1, 4, 1)), "form 0x4"},
		"memory above the limit":           {assemble(sec(secMemory, append([]byte{1, 0}, appendU32(nil, MaxMemoryPages+1)...)...)), "memory has 1025"},
		"a maximum below":                  {assemble(sec(secMemory, 1, 1, 2, 1)), "below its minimum"},
		"too many locals":                  {locals(MaxLocals + 1), "locals"},
		"locals beyond counting":           {locals(1<<31 - 1), "locals"},
		"a body that is too long":          {one(append(bytes.Repeat([]byte{opNop}, MaxBody), opEnd)...), "a function has"},
		"too many calls for arm64":         {one(append(bytes.Repeat([]byte{opCall, 0}, 250_000), opEnd)...), "bytes of machine code"},
		"blocks too deep":                  {one(append(bytes.Repeat([]byte{opBlock, 0x40}, MaxNesting+1), bytes.Repeat([]byte{opEnd}, MaxNesting+2)...)...), "nested"},
		"a stack too high":                 {one(join(bytes.Repeat([]byte{opI32Const, 0}, MaxOperands+1), bytes.Repeat([]byte{opDrop}, MaxOperands+1), []byte{opEnd})...), "operands on the stack"},
		"a branch table too long":          {one(join([]byte{opI32Const, 0, opBrTable}, vec(MaxBranches+1, 0), []byte{0, opEnd})...), "branch targets"},
		"an unknown instruction":           {one(0x27, opEnd), "instruction 0x27"},
		"throw":                            {one(0x08, 0, opEnd), "instruction 0x8"},
		"try":                              {one(0x06, 0x40, opEnd, opEnd), "exceptions"},
		"an atomic instruction":            {one(0xfe, 0, 0, opEnd), "instruction 0xfe"},
		"call_ref":                         {one(0x14, 0, opEnd), "instruction 0x14"},
		"relaxed vectors":                  {one(opVector, 0x80, 2, opEnd), "0xfd 256"},
		"an unknown vector":                {one(opVector, 0x9a, 1, opEnd), "0xfd 154"},
		"an unknown bulk":                  {one(opBulk, 18, opEnd), "0xfc 18"},
		"call beyond the functions":        {one(opCall, 1, opEnd), "function 1 does not exist"},
		"call of a helper":                 {one(opCall, 3, opEnd), "function 3 does not exist"},
		"ref.func of a helper":             {one(opRefFunc, 2, opDrop, opEnd), "function 2 does not exist"},
		"the fuel as a global":             {one(opI64Const, 0, opGlobalSet, 0, opEnd), "global 0 does not exist"},
		"a local that is not":              {one(opLocalGet, 0, opDrop, opEnd), "local 0 does not exist"},
		"the guard's own local":            {one(opI64Const, 0, opLocalSet, 0, opEnd), "local 0 does not exist"},
		"a label that is not":              {one(opBr, 1, opEnd), "label 1 does not exist"},
		"an empty stack":                   {one(opDrop, opEnd), "more operands than the stack has"},
		"operands left":                    {one(opI32Const, 0, opEnd), "operands are left"},
		"else without if":                  {one(opElse, opEnd), "else has no if"},
		"no end":                           {one(opNop), "ends too early"},
		"code after the end":               {one(opEnd, opNop), "instructions after its end"},
		"memory that is not":               {one(opMemorySize, 0, opDrop, opEnd), "the module has none"},
		"a second memory":                  {one(opI32Const, 0, 0x28, 0x42, 0, opDrop, opEnd), "second memory"},
		"data without a count":             {one(opBulk, 9, 0, opEnd), "data count section is missing"},
		"too many data segments":           {assemble(sec(secMemory, 1, 0, 1), sec(secData, vec(MaxData+1, 1, 0)...)), "data segments"},
		"a data count that lies":           {assemble(sec(secMemory, 1, 0, 1), sec(secDataCount, 2), sec(secData, 1, 1, 0)), "declares 2 data segments"},
		"data without memory":              {assemble(sec(secData, 1, 0, opI32Const, 0, opEnd, 0)), "memory that does not exist"},
		"a long constant":                  {assemble(sec(secGlobal, 1, typeI32, 0, opI32Const, 1, opI32Const, 1, opI32Add, opEnd)), "more than one instruction"},
		"a constant that is none":          {assemble(sec(secGlobal, 1, typeI32, 0, opLocalGet, 0, opEnd)), "not constant"},
		"the guard's global as a constant": {assemble(sec(secGlobal, 1, typeI64, 0, opGlobalGet, 1, opEnd)), "global 1 does not exist"},
		"an export twice":                  {assemble(void, funcs(1), sec(secExport, 2, 1, 'a', 0, 0, 1, 'a', 0, 0), bodies(1)), "exported twice"},
		"an export that is not":            {assemble(void, funcs(1), sec(secExport, 1, 1, 'a', 0, 1), bodies(1)), "exported item 1 does not exist"},
		"a start that takes":               {assemble(sec(secType, 1, 0x60, 1, typeI32, 0), funcs(1), sec(secStart, 0), bodies(1)), "start function"},
		"a name that is no text":           {assemble(void, sec(secImport, 1, 1, 0xff, 1, 'b', 0, 0)), "not UTF-8"},
		"an element that is not":           {assemble(void, funcs(1), sec(secTable, 1, typeFuncref, 0, 9), sec(secElement, 1, 0, opI32Const, 0, opEnd, 1, 5), bodies(1)), "function 5 does not exist"},
		"elements beyond a table":          {assemble(void, funcs(1), sec(secTable, 1, typeFuncref, 0, 1), sec(secElement, 1, 0, opI32Const, 1, opEnd, 1, 0), bodies(1)), "of a table that has 1"},
	}
}

// A long row of br_table instructions back to a loop is refused, a short one accepted.
func TestRowsOfTables(t *testing.T) {
	part := []byte{opBlock, 0x40, opI32Const, 0, opBrTable, 1, 1, 0, opEnd}
	for n, ok := range map[int]bool{2_000: true, 8_000: false} {
		loop := join([]byte{opLoop, 0x40}, bytes.Repeat(part, n), []byte{opEnd, opEnd})
		if _, err := Weave(one(loop...)); ok != (err == nil) {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// small returns a module with many equal small functions and many equal types.
func small(types, functions int, typ []byte, body ...byte) []byte {
	b := append(appendU32(nil, uint32(len(body))), body...)
	return assemble(sec(secType, vec(types, typ...)...), sec(secFunction, vec(functions, 0)...), sec(secCode, vec(functions, b...)...))
}

// A file of a megabyte can have two hundred thousand functions. So each function has a
// cost of its own, besides the cost of its code.
func TestManyFunctions(t *testing.T) {
	void := []byte{0x60, 0, 0}
	params := append([]byte{0x60}, append(vec(MaxParams, typeI32), 0)...)
	locals := append(append([]byte{1}, appendU32(nil, MaxLocals)...), typeV128, opEnd)
	for name, c := range map[string]struct {
		module []byte
		ok     bool
	}{
		"empty ones":               {small(1, MaxFunctions, void, 0, opEnd), true},
		"of ordinary modules":      {small(300, 100_000, void, 0, opEnd), true},
		"among many types":         {small(MaxTypes, MaxFunctions, void, 0, opEnd), false},
		"of many parameters":       {small(1, MaxFunctions, params, 0, opEnd), false},
		"of many locals":           {small(1, MaxFunctions, void, locals...), false},
		"some of them, many types": {small(MaxTypes, 4_000, void, 0, opEnd), true},
	} {
		_, err := Weave(c.module)
		if c.ok != (err == nil) || !c.ok && !errors.Is(err, fault.ToolModule) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Modules that engines cannot handle, or that use the guard's own names, are refused with
// the reason and the place (SECURITY 7).
func TestRefusals(t *testing.T) {
	for name, r := range refusals() {
		_, err := Weave(r.module)
		if !errors.Is(err, fault.ToolModule) || !strings.Contains(err.Error(), r.why) {
			t.Errorf("%s: %v, want %q", name, err, r.why)
		}
	}
}

// A module that is cut off at any byte is refused, unless what is left is a complete
// module.
func TestTruncated(t *testing.T) {
	whole := one(opBlock, 0x40, opEnd, opI32Const, 1, opDrop, opEnd)
	for n := range len(whole) {
		if _, err := Weave(whole[:n]); err == nil && n != len(header) && n != len(header)+len(sec(secType, 1, 0x60, 0, 0)) {
			t.Errorf("%d of %d bytes are accepted", n, len(whole))
		}
	}
}

// FuzzWeave gives the guard any bytes: it must not panic, and a woven module must be
// readable again, with the original's functions and the guard's helpers.
func FuzzWeave(f *testing.F) {
	for _, r := range refusals() {
		if len(r.module) < 4096 {
			f.Add(r.module)
		}
	}
	f.Add(one(opEnd))
	f.Fuzz(func(t *testing.T, module []byte) {
		seen := Outlined(module)
		switch info, err := Inspect(module); {
		case err != nil && !errors.Is(err, fault.ToolModule):
			t.Fatalf("inspect: %v", err)
		case err == nil && !info.Component && (len(info.Imports) != len(seen.Imports) || len(info.Exports) != len(seen.Exports)):
			t.Fatalf("of a sound module the outline is %+v, and it has %d imports, %d exports", seen, len(info.Imports), len(info.Exports))
		}
		out, err := Weave(module)
		if err != nil {
			if !errors.Is(err, fault.ToolModule) {
				t.Fatalf("weave: %v", err)
			}
			return
		}
		was, _ := parse(module)
		now, err := sections(out)
		if err != nil || now.custom == nil {
			t.Fatalf("what was woven cannot be read: %v", err)
		}
		info := len(was.functions)
		if r := now.reader(secFunction); int(r.u32()) != info+helpers {
			t.Fatalf("%d functions became another number than %d", info, info+helpers)
		}
	})
}

// Custom sections can be found and replaced, and weaving removes them.
func TestCustom(t *testing.T) {
	m := one(opEnd)
	packed, err := AppendCustom(m, "golem.tools", []byte("first"))
	if err != nil {
		t.Fatal(err)
	}
	if packed, err = AppendCustom(packed, "golem.tools", []byte("second")); err != nil {
		t.Fatal(err)
	}
	got, err := Custom(packed, "golem.tools")
	if err != nil || string(got) != "second" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := Custom(packed, "other"); got != nil || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if bytes.Count(packed, []byte("golem.tools")) != 1 {
		t.Error("the first section is still there")
	}
	woven, err := Weave(packed)
	if err != nil || bytes.Contains(woven, []byte("golem.tools")) {
		t.Errorf("the section is woven in, or %v", err)
	}
	again, err := Weave(m)
	if err != nil || !bytes.Equal(again, woven) {
		t.Errorf("a description changes what is woven, or %v", err)
	}
}

// Branches that are never taken do not make the guard underestimate a long row.
func TestRowsBehindDeadBranches(t *testing.T) {
	row := bytes.Repeat([]byte{opI32Const, 0, opIf, 0x40, opUnreachable, opEnd}, 10)
	for name, detour := range map[string][]byte{
		"none":                   nil,
		"behind a branch":        {opBlock, 0x40, opBr, 0, opBr, 1, opEnd},
		"in a block behind it":   {opBlock, 0x40, opBr, 0, opBlock, 0x40, opBr, 2, opEnd, opEnd},
		"in an if behind it":     {opBlock, 0x40, opBr, 0, opI32Const, 0, opIf, 0x40, opElse, opBr, 2, opEnd, opEnd},
		"behind a block's trap":  {opBlock, 0x40, opI32Const, 0, opBrIf, 0, opBlock, 0x40, opUnreachable, opEnd, opBr, 1, opEnd},
		"behind two traps":       {opBlock, 0x40, opI32Const, 0, opBrIf, 0, opI32Const, 0, opIf, 0x40, opUnreachable, opElse, opUnreachable, opEnd, opBr, 1, opEnd},
		"by a table never read":  {opBlock, 0x40, opBr, 0, opI32Const, 0, opBrTable, 1, 1, 1, opEnd},
		"behind a loop's return": {opBlock, 0x40, opI32Const, 0, opBrIf, 0, opLoop, 0x40, opReturn, opEnd, opBr, 1, opEnd},
	} {
		part := join([]byte{opBlock, 0x40}, detour, row, []byte{opEnd})
		if _, err := Weave(one(append(bytes.Repeat(part, 700), opEnd)...)); !errors.Is(err, fault.ToolModule) || !strings.Contains(err.Error(), "in time") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A branch that can be taken lowers the estimate, because the code after it is not deep.
	part := join([]byte{opBlock, 0x40, opI32Const, 0, opBrIf, 0}, row, []byte{opEnd})
	if _, err := Weave(one(append(bytes.Repeat(part, 500), opEnd)...)); err != nil {
		t.Error(err)
	}
}

// Errors contain at most a short part of a long name (SECURITY 16).
func TestNamesAreCut(t *testing.T) {
	long := appendName(nil, "\x1b[2J"+strings.Repeat("n", MaxName-10))
	void := sec(secType, 1, 0x60, 0, 0)
	for name, module := range map[string][]byte{
		"exported twice":        assemble(void, sec(secFunction, 1, 0), sec(secExport, join([]byte{2}, long, []byte{0, 0}, long, []byte{0, 0})...), sec(secCode, 1, 2, 0, opEnd)),
		"a memory imported":     assemble(sec(secImport, join([]byte{1}, long, long, []byte{2, 0, 1})...)),
		"from a module without": assemble(void, sec(secImport, join([]byte{1, 0}, long, []byte{0, 0})...)),
	} {
		_, err := Weave(module)
		if err == nil || len(err.Error()) > 700 || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %.300q", name, err)
		}
	}
}
