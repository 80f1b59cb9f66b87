// Package sdk makes a golem tool from a plain Go function with a struct argument:
//
//	func main() {
//		sdk.Main(sdk.Tool("add", "adds two numbers", func(in struct{ A, B float64 }) (float64, error) { return in.A + in.B, nil }))
//	}
//
// Build the program with the standard Go toolchain: GOOS=wasip1 GOARCH=wasm go build
// -o tools/add.wasm. It is a WASI command that golem runs with `call add` and the
// arguments on standard input, or with `describe` to get its description (SPEC §6).
// golem need not run it for that if the description is embedded in the module. The same
// program, built for any system, prints the description:
//
//	go run . describe > tools.json && golem tool pack add.wasm --tools tools.json
//
// The schema is inferred from the struct and its tags. They have the same meaning as
// for tool.Func in a program that embeds golem: `json` names a field and omitempty
// makes it optional, as a pointer does; `jsonschema` describes it. In addition,
// `enum:"a,b"` lists the values that a string may have. The package links nothing else
// of golem, and the same program runs on any system for tests (S0-15..17).
//
// Each call is a process of its own, so variables do not keep their values between
// calls.
package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
)

// A Function is one tool. Make it with Tool or ToolContext, and set the exported fields
// before Main. They can make golem's rules for the tool stricter, but never weaker.
type Function struct {
	Name        string
	Description string
	Risk        string // read, write, network, destructive or command; "": unknown
	Exec        string // llm, manual or both; "": llm
	Timeout     string // "10s"; "": the worker's tool_timeout
	// NeedsApproval makes golem ask a person before each call, whatever the
	// risk is.
	NeedsApproval bool

	input, output schema
	call          func(ctx context.Context, args []byte) (any, error)
	err           error
}

// Tool returns a tool that runs the function f. In must be a struct. A result of kind
// string is returned as it is; any other result is returned as JSON, and its
// schema is declared. If no schema can be inferred, Main and Test report it.
func Tool[In, Out any](name, description string, f func(In) (Out, error)) *Function {
	return ToolContext(name, description, func(_ context.Context, in In) (Out, error) { return f(in) })
}

// ToolContext does the same as Tool for a function that calls tools or workers: Call
// needs the context.
func ToolContext[In, Out any](name, description string, f func(context.Context, In) (Out, error)) *Function {
	t := &Function{Name: name, Description: description}
	t.input, t.err = argument(reflect.TypeFor[In]())
	if out := reflect.TypeFor[Out](); out.Kind() != reflect.String && t.err == nil {
		t.output, t.err = inference{result: true}.of(out)
	}
	t.call = func(ctx context.Context, args []byte) (result any, err error) {
		var in In
		if err := decode(args, &in); err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", name, err)
		}
		defer func() {
			if p := recover(); p != nil {
				result, err = nil, fmt.Errorf("%s crashed: %v", name, p)
			}
		}()
		return f(ctx, in)
	}
	return t
}

// decode reads exactly one JSON value and refuses unknown fields. No bytes mean {}.
func decode(args []byte, in any) error {
	if len(bytes.TrimSpace(args)) == 0 {
		args = []byte("{}")
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one JSON value")
	}
	return nil
}

// Main is the whole main function of a tool: it runs one call or prints the
// description, as the program's arguments say. After an error it writes the error to
// standard error and exits with code 1.
func Main(tools ...*Function) {
	if err := run(context.Background(), os.Args, os.Stdin, os.Stdout, tools); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Test calls a tool in this process, for unit tests. args are the arguments as JSON.
// It returns the result as text or JSON. The tool cannot call other tools: for
// that use TestWith.
func Test(name, args string, tools ...*Function) (string, error) {
	return TestWith(nil, name, args, tools...)
}

// TestWith does the same as Test for tools that call others: the function golem
// answers each Call in place of golem, with a result or an error, such as an *Error.
func TestWith(golem func(name, args string) (string, error), name, args string, tools ...*Function) (string, error) {
	var out bytes.Buffer
	ctx := context.WithValue(context.Background(), standIn{}, golem)
	err := run(ctx, []string{"test", "call", name}, bytes.NewReader([]byte(args)), &out, tools)
	return out.String(), err
}

// standIn is the context key of the function that answers calls in a test.
type standIn struct{}

func run(ctx context.Context, argv []string, in io.Reader, out io.Writer, tools []*Function) error {
	for _, t := range tools {
		if t.err != nil {
			return fmt.Errorf("tool %s: %w", t.Name, t.err)
		}
	}
	switch {
	case len(argv) == 2 && argv[1] == "describe":
		return describe(out, tools)
	case len(argv) != 3 || argv[1] != "call":
		return errors.New("usage: call TOOL, with the arguments as JSON on standard input; or describe")
	}
	for _, t := range tools {
		if t.Name != argv[2] {
			continue
		}
		args, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		result, err := t.call(ctx, args)
		if err != nil {
			return err
		}
		return print(out, result)
	}
	return fmt.Errorf("there is no tool %s", argv[2])
}

func print(out io.Writer, result any) error {
	if v := reflect.ValueOf(result); v.Kind() == reflect.String {
		_, err := io.WriteString(out, v.String())
		return err
	}
	data, err := json.Marshal(result)
	if err == nil {
		_, err = out.Write(data)
	}
	return err
}

// described is the description of one tool in the form that golem reads (SPEC §6).
type described struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Input       schema `json:"inputSchema"`
	Output      schema `json:"outputSchema,omitempty"`
	Risk        string `json:"risk,omitempty"`
	Exec        string `json:"exec,omitempty"`
	Timeout     string `json:"timeout,omitempty"`
	Asks        bool   `json:"needs_approval,omitempty"`
}

func describe(out io.Writer, tools []*Function) error {
	list := make([]described, len(tools))
	for i, t := range tools {
		list[i] = described{t.Name, t.Description, t.input, t.output, t.Risk, t.Exec, t.Timeout, t.NeedsApproval}
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(map[string]any{"tools": list})
}
