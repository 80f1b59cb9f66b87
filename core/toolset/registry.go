package toolset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// Registry finds factories by name (S0-19). It is a value: each platform makes its
// own, and there is no global one. The zero value is empty.
type Registry struct {
	factories map[string]Factory
}

// NewRegistry returns a registry of the given factories. If two have the same name, it uses
// the later one.
func NewRegistry(fs ...Factory) Registry {
	r := Registry{factories: make(map[string]Factory, len(fs))}
	for _, f := range fs {
		r.factories[f.Name] = f
	}
	return r
}

// Names returns the names of the known toolsets, sorted.
func (r Registry) Names() []string {
	names := make([]string, 0, len(r.factories))
	for n := range r.factories {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// All returns the known factories, sorted by name.
func (r Registry) All() []Factory {
	out := make([]Factory, 0, len(r.factories))
	for _, n := range r.Names() {
		out = append(out, r.factories[n])
	}
	return out
}

// With returns a registry that also has the given factories, which replace factories of the
// same name. It is for factories that are made for one worker.
func (r Registry) With(fs ...Factory) Registry {
	return NewRegistry(append(r.All(), fs...)...)
}

// Open makes a worker's tools. The caller must call Whole before, and must Close the
// result. Unknown names and options are E_CONFIG, and the error lists the known ones.
func (r Registry) Open(ctx context.Context, name string, options json.RawMessage, env Env) (tool.Toolset, error) {
	f, opts, err := r.decode(name, options)
	if err != nil {
		return nil, err
	}
	return f.Open(ctx, env, opts)
}

// Whole returns E_ESCALATION if the toolset works on the real files (Factory.Outside), the
// worker does not see the whole project, and the tools cannot be confined to view, the
// worker's view. partial is the reason why the worker does not see the whole project
// (sandbox.Partial), or "" if it does.
func (r Registry) Whole(worker, name, partial string, view sandbox.FS) error {
	f := r.factories[name]
	if !f.Outside || partial == "" {
		return nil
	}
	if f.Confines != nil {
		why := f.Confines(view)
		if why == "" {
			return nil
		}
		partial += "; and it cannot be confined to what the worker sees: " + why
	}
	return fault.New(fault.Escalation, "the toolset %s needs the whole project, and the worker %s does not see all of it: %s", name, worker, partial).
		Hinting("remove the toolset %s, or let the worker and its callers see the whole project with mode: rw", name)
}

// Outside reports whether a toolset works on the real files (Factory.Outside).
func (r Registry) Outside(name string) bool { return r.factories[name].Outside }

// Check validates the options of a toolset without making tools (golem check).
func (r Registry) Check(name string, options json.RawMessage) error {
	_, _, err := r.decode(name, options)
	return err
}

func (r Registry) decode(name string, options json.RawMessage) (Factory, any, error) {
	f, ok := r.factories[name]
	if !ok {
		return f, nil, fault.New(fault.Config, "there is no toolset %q", name).Hinting("%s", fault.DidYouMean(name, r.Names()))
	}
	var opts any = &struct{}{}
	if f.Options != nil {
		opts = f.Options()
	}
	if kind := reflect.TypeOf(opts); f.Open == nil || kind == nil || kind.Kind() != reflect.Pointer || reflect.ValueOf(opts).IsNil() {
		return f, nil, fault.New(fault.Config, "the toolset %s is not registered correctly", name).
			Hinting("its factory needs Open, and Options that return a pointer to a new struct")
	}
	if len(options) == 0 {
		return f, opts, nil
	}
	if err := knownKeys(name, options, opts); err != nil {
		return f, nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(options))
	dec.DisallowUnknownFields()
	if err := dec.Decode(opts); err != nil {
		return f, nil, wrongOption(name, err)
	}
	return f, opts, nil
}

// wrongOption returns the fault for an option of the wrong type, without Go's names.
func wrongOption(name string, err error) error {
	var list fault.List
	if errors.As(err, &list) {
		return list
	}
	var own *fault.Fault
	if errors.As(err, &own) {
		return own
	}
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return fault.New(fault.Config, "the options of toolset %s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
	}
	return fault.New(fault.Config, "toolset %s: the option %s cannot be a %s", name, wrong.Field, wrong.Value).Hinting("it takes %s", wanted(wrong.Type))
}

// wanted returns the YAML name of a Go type, for people.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a mapping"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// knownKeys returns E_CONFIG for the first unknown option, with the known ones.
func knownKeys(name string, options json.RawMessage, opts any) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(options, &given); err != nil {
		return fault.New(fault.Config, "the options of toolset %s must be key: value pairs", name)
	}
	known, open := optionKeys(reflect.TypeOf(opts).Elem())
	if open {
		return nil
	}
	for _, k := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, k) {
			return fault.New(fault.Config, "toolset %s has no option %q", name, k).Hinting("%s", fault.DidYouMean(k, append(known, "approval")))
		}
	}
	return nil
}

// optionKeys returns the json names of the fields of an option struct, including those of
// embedded structs. open is true for other types, which take any key.
func optionKeys(t reflect.Type) (keys []string, open bool) {
	if t.Kind() != reflect.Struct {
		return nil, true
	}
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" && f.IsExported() && !f.Anonymous {
			key = f.Name
		}
		if key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys, false
}

// Tools is the simplest toolset: a list of tools without resources to close.
type Tools []tool.Tool

var _ tool.Toolset = Tools(nil)

// Tools returns the list.
func (t Tools) Tools() []tool.Tool { return t }

// Close does nothing.
func (Tools) Close() error { return nil }

// Reserved returns the names of golem's own tools, which no tool of a module may have.
func Reserved() []string { return slices.Clone(reserved()) }

var reserved = sync.OnceValue(func() []string {
	names := []string{"worker_call", "request_input", "read_result", "stage"}
	for _, t := range (&files{}).tools() {
		names = append(names, t.Spec().Name)
	}
	return names
})
