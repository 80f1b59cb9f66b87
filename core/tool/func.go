package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"golem/core/fault"
)

// Func makes a tool of a Go function with a struct argument (S0-15..17). The input
// schema is inferred from In's fields and their tags: `json` names a field,
// `omitempty` makes it optional, `jsonschema` describes it. If Spec.Input is set, it
// is used instead. A panic in f becomes E_TOOL.
//
// If no schema can be inferred, adding the tool to a Set fails.
func Func[In any](spec Spec, f func(context.Context, In) (Output, error)) Tool {
	return FuncWithCall(spec, func(ctx context.Context, _ Call, in In) (Output, error) { return f(ctx, in) })
}

// FuncWithCall does the same as Func for a function that also needs the Call: its ID,
// or its Host to call other tools.
func FuncWithCall[In any](spec Spec, f func(context.Context, Call, In) (Output, error)) Tool {
	t := &function[In]{spec: spec, f: f}
	if t.spec.Input == nil {
		t.spec.Input, t.err = InputOf(reflect.TypeFor[In]())
	}
	return t
}

type function[In any] struct {
	spec Spec
	f    func(context.Context, Call, In) (Output, error)
	err  error
}

// Spec returns the Spec that Func was given, with the input schema.
func (t *function[In]) Spec() Spec { return t.spec }

// Err returns the reason why no schema could be inferred, or nil. Set.Add checks it.
func (t *function[In]) Err() error { return t.err }

// Call decodes the arguments and runs the function.
func (t *function[In]) Call(ctx context.Context, c Call) (out Output, err error) {
	if t.err != nil {
		return Output{}, t.err
	}
	var in In
	if err := c.Args.Into(t.spec.Name, &in); err != nil {
		return Output{}, err
	}
	defer func() {
		if p := recover(); p != nil {
			out, err = Output{}, crashed(t.spec.Name, p)
		}
	}()
	return t.f(ctx, c, in)
}

// crashed returns the fault of a tool that panicked with p.
func crashed(name string, p any) error {
	return fault.New(fault.Tool, "%s crashed: %v", name, p).Hinting("the error is in the tool; go on without its result")
}

// InputOf returns the JSON Schema of a type of arguments, a struct. It is not generic, because
// the page would have its code once for each type.
func InputOf(in reflect.Type) (json.RawMessage, error) {
	schema, err := jsonschema.ForType(in, &jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}},
	})
	if err != nil {
		return nil, fault.New(fault.Schema, "no schema can be made for %s: %w", in, err)
	}
	if schema.Type != "object" {
		return nil, fault.New(fault.Schema, "the argument of a tool must be a struct, not %s", in)
	}
	notNull(schema)
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil, fault.New(fault.Schema, "no schema can be made for %s: %w", in, err)
	}
	return raw, nil
}

// notNull removes null from the types of arrays. The library infers it for slices, but
// a model should send an array.
func notNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" && s.Types[1] == "array" {
		s.Type, s.Types = "array", nil
	}
	for _, p := range s.Properties {
		notNull(p)
	}
	notNull(s.Items)
	notNull(s.AdditionalProperties)
}

// Text returns a plain result; with args, format is formatted as by fmt.Sprintf.
func Text(format string, args ...any) Output {
	if len(args) == 0 {
		return Output{Text: format}
	}
	return Output{Text: fmt.Sprintf(format, args...)}
}

// JSON returns a structured result with a one-line summary for people.
func JSON(v any, summary string) (Output, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return Output{}, fault.New(fault.ToolOutput, "the result cannot be written as JSON: %w", err)
	}
	return Output{Kind: "json", Data: raw, Summary: summary}, nil
}
