package config

import (
	"golem/core/fault"
	"golem/core/yamltree"
)

// hardenedShape returns the shape of hardened: the module that answers for a worker before its
// model (SPEC §18).
func hardenedShape() *yamltree.Shape {
	s := yamltree.KeysOf(map[string]*yamltree.Shape{
		"module":    key("The .wasm file that answers, from the project root; golem harden makes it.", yamltree.Text(hardenedProblem)),
		"when":      key("always: for every input, the default; schema: only for inputs that fit input_schema.", yamltree.OneOf("always", "schema")),
		"otherwise": key("What happens where the module fails, is unsure, or gives an answer that does not fit output_schema: the worker answers, the default, or the call fails.", yamltree.OneOf("worker", "error")),
		"fs":        key("true: the module reads the files that the worker sees; it never writes.", yamltree.Flag()),
		"calls":     key("Tools of the worker that the module may call; default none.", yamltree.ListOf(yamltree.Text(yamltree.NameProblem))),
	})
	s.Musts = []string{"module"}
	return named("hardened", s)
}

// hardenedProblem returns what is wrong with the path of a hardened module; "" if nothing is.
func hardenedProblem(s string) string {
	if p := yamltree.NameProblem(s); p != "" {
		return p
	}
	if _, ok := Inside(s); !ok || !IsModule(s) {
		return fault.Quoted(s) + " is not the path of a .wasm file in the project, such as workers/classify.wasm"
	}
	return ""
}
