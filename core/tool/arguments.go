package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"sync"

	"golem/core/fault"
	"golem/core/sorting"
)

// Arguments are those of one call. They are made where the call arrives and are decoded
// once (SPEC §7): the schema is compared, rules are matched, a person is asked and the tool
// runs with this one value. They never change, and several goroutines may read them. nil
// stands for {}.
type Arguments struct {
	text json.RawMessage // as the caller wrote them
	made any             // the pointer that MakeArguments got; nil: a caller wrote them

	once      sync.Once
	err       error
	written   json.RawMessage
	canonical json.RawMessage
	value     any
	members   []member // of the outermost object
}

// ReadArguments returns the arguments in a text, which a caller wrote and which need not be
// JSON. They are decoded when they are first used. The text must not change later.
func ReadArguments(text []byte) *Arguments { return &Arguments{text: text} }

var noArguments = ReadArguments([]byte("{}"))

func (a *Arguments) read() *Arguments {
	if a == nil {
		return noArguments.read()
	}
	a.once.Do(a.scan)
	return a
}

func (a *Arguments) scan() {
	s := scanner{in: a.text, maxDepth: MaxDepth, sort: true, fold: true, tree: true}
	if a.made != nil {
		s.maxDepth, s.fold = canonicalDepth, false // the rules are for what a caller wrote
	}
	switch {
	case len(bytes.Trim(a.text, blanks)) == 0:
		a.canonical, a.value = json.RawMessage("{}"), map[string]any{}
	case len(a.text) > MaxArgs && a.made == nil:
		a.err = fault.New(fault.Limit, "the arguments have %d bytes; at most %d are allowed", len(a.text), MaxArgs).
			Hinting("send less, for example a path to a file instead of its content")
	default:
		if err := s.document(); err != nil {
			a.err = fault.New(fault.ToolInput, "the arguments are not valid JSON: %w", err).
				Hinting("send exactly one JSON object that fits the tool's parameters")
			break
		}
		a.written, a.canonical, a.value, a.members = a.text, s.out, s.root, s.top
		return
	}
	if a.written = a.text; !json.Valid(a.text) {
		a.written, _ = json.Marshal(string(a.text)) // a text always encodes
	}
}

// Text returns what the caller wrote.
func (a *Arguments) Text() string { return string(a.read().text) }

// Written returns what the caller wrote if it is JSON, else that text as a JSON string.
func (a *Arguments) Written() json.RawMessage { return a.read().written }

// WrittenFields returns the fields of an object as the caller wrote them, also of an object
// that Err refuses; nil if there is no object.
func (a *Arguments) WrittenFields() map[string]json.RawMessage {
	a = a.read()
	fields := map[string]json.RawMessage{}
	if a.err != nil || a.members == nil {
		if json.Unmarshal(a.text, &fields) != nil {
			return nil
		}
		return fields
	}
	for _, m := range a.members {
		fields[m.key] = a.text[m.from:m.to]
	}
	return fields
}

// Err returns why the arguments cannot be used: E_TOOL_INPUT with byte, line and column, or
// E_LIMIT. They must be exactly one JSON value, by the rules of Decode.
func (a *Arguments) Err() error { return a.read().err }

// JSON returns the arguments as Canonical does; nil if Err is not.
func (a *Arguments) JSON() json.RawMessage { return a.read().canonical }

// Value returns the arguments as encoding/json decodes them into an any. Do not change it.
func (a *Arguments) Value() any { return a.read().value }

// IsObject reports whether the arguments are one JSON object.
func (a *Arguments) IsObject() bool { return bytes.HasPrefix(a.JSON(), []byte("{")) }

// Field returns the canonical value of a field of the object; nil if it is not given.
func (a *Arguments) Field(name string) json.RawMessage {
	a = a.read()
	for _, m := range a.members {
		if m.key == name {
			return a.canonical[m.value:m.end]
		}
	}
	return nil
}

// Fields returns the canonical values of the object's fields, in a new map.
func (a *Arguments) Fields() map[string]json.RawMessage {
	a = a.read()
	fields := make(map[string]json.RawMessage, len(a.members))
	for _, m := range a.members {
		fields[m.key] = a.canonical[m.value:m.end]
	}
	return fields
}

// Names returns the names of the object's fields, in the order in which the caller wrote them.
func (a *Arguments) Names() []string {
	members := slices.Clone(a.read().members)
	sorting.By(members, func(a, b member) int { return a.from - b.from })
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.key
	}
	return names
}

// Into decodes the arguments of the tool name into what a pointer leads to. Arguments that were
// made of a value of the same type give that value. It fails only for numbers that are out of range,
// and where the type is stricter than the schema.
func (a *Arguments) Into(name string, in any) error {
	if err := a.Err(); err != nil {
		return err
	}
	if a != nil && a.made != nil && reflect.TypeOf(a.made) == reflect.TypeOf(in) {
		reflect.ValueOf(in).Elem().Set(reflect.ValueOf(a.made).Elem())
		return nil
	}
	err := json.Unmarshal(a.JSON(), in)
	if err == nil {
		return nil
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fault.New(fault.ToolInput, "%s: %s cannot be this %s", name, wrong.Field, wrong.Value).Hinting("use a smaller number, or a value of another type")
	}
	return fault.New(fault.ToolInput, "%s: %w", name, err)
}

// With returns the arguments that a value stands for: those of a preview, after Into and a
// change. If it is what a was made of, With returns a. See MakeArguments.
func (a *Arguments) With(in any) (*Arguments, error) {
	if a != nil && a.made != nil && reflect.DeepEqual(a.made, in) {
		return a, nil
	}
	return MakeArguments(in)
}

// MakeArguments returns the arguments that a value stands for, as encoding/json writes it. in is a
// pointer; what it leads to must not change later.
func MakeArguments(in any) (*Arguments, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // people see them
	if err := enc.Encode(in); err != nil {
		return nil, err
	}
	return &Arguments{text: bytes.TrimSuffix(b.Bytes(), []byte("\n")), made: in}, nil
}
