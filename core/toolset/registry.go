package toolset

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// Registry knows factories by name (S0-19). It is a value: a platform makes
// its own, and there is no global one. The zero value is empty.
type Registry struct {
	factories map[string]Factory
}

// NewRegistry holds the given factories; a later one of the same name wins.
func NewRegistry(fs ...Factory) Registry {
	r := Registry{factories: make(map[string]Factory, len(fs))}
	for _, f := range fs {
		r.factories[f.Name] = f
	}
	return r
}

// Names are the known toolsets, sorted.
func (r Registry) Names() []string {
	names := make([]string, 0, len(r.factories))
	for n := range r.factories {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Open makes a worker's tools. Unknown names and options are E_CONFIG and
// list what there is. The caller owns the result and must Close it.
func (r Registry) Open(ctx context.Context, name string, options json.RawMessage, env Env) (tool.Toolset, error) {
	f, opts, err := r.decode(name, options)
	if err != nil {
		return nil, err
	}
	return f.Open(ctx, env, opts)
}

// Check validates options without making anything, for golem check.
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
	if len(options) == 0 {
		return f, opts, nil
	}
	if err := knownKeys(name, options, opts); err != nil {
		return f, nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(options))
	dec.DisallowUnknownFields()
	if err := dec.Decode(opts); err != nil {
		return f, nil, fault.New(fault.Config, "the options of toolset %s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
	}
	return f, opts, nil
}

// knownKeys names an unknown option and the ones there are.
func knownKeys(name string, options json.RawMessage, opts any) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(options, &given); err != nil {
		return fault.New(fault.Config, "the options of toolset %s are no mapping", name)
	}
	known := optionKeys(opts)
	for _, k := range slices.Sorted(mapKeys(given)) {
		if !slices.Contains(known, k) {
			return fault.New(fault.Config, "toolset %s has no option %q", name, k).Hinting("%s", fault.DidYouMean(k, append(known, "approval")))
		}
	}
	return nil
}

// optionKeys are the json names of an option struct's fields.
func optionKeys(opts any) []string {
	var keys []string
	t := reflect.TypeOf(opts).Elem()
	for i := range t.NumField() {
		if key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

func mapKeys(m map[string]json.RawMessage) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Tools is the simplest toolset: a list, with nothing to free.
type Tools []tool.Tool

var _ tool.Toolset = Tools(nil)

// Tools is the list.
func (t Tools) Tools() []tool.Tool { return t }

// Close does nothing.
func (Tools) Close() error { return nil }
