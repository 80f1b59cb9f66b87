package tool_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"golem/core/fault"
	"golem/core/tool"
)

// Arguments are what Decode, Canonical and encoding/json make of a text, each by itself.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"b":[1,-0,2.50,9007199254740993,"é\n"],"a":{"d":null,"c":[]},"":true}`, ` { "x" : { "z":1 , "y":2 } } `, `null`, `""`, `[{"b":1,"a":2}]`, ``, ` `, `{"a":1,"A":2}`, `{bad`, "\"\xff\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a := tool.ReadArguments(text)
		decoded, err := tool.Decode(text)
		if (a.Err() == nil) != (err == nil) || err != nil && errors.Unwrap(a.Err()).Error() != errors.Unwrap(err).Error() {
			t.Fatalf("%q: %v, and Decode says %v", text, a.Err(), err)
		}
		if a.Text() != string(text) || !json.Valid(a.Written()) || json.Valid(text) && string(a.Written()) != string(text) {
			t.Fatalf("%q is written %q", text, a.Written())
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(text, &fields) != nil {
			fields = nil
		}
		if diff := cmp.Diff(fields, a.WrittenFields()); diff != "" {
			t.Fatalf("%q: the fields as written: %s", text, diff)
		}
		if err != nil {
			return
		}
		canonical, err := tool.Canonical(decoded)
		if err != nil || string(a.JSON()) != string(canonical) {
			t.Fatalf("%q = %s, want %s, %v", text, a.JSON(), canonical, err)
		}
		var value any
		if err := json.Unmarshal(canonical, &value); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(value, a.Value()); diff != "" {
			t.Fatalf("%q has another value: %s", text, diff)
		}
		all := map[string]json.RawMessage{}
		if a.IsObject() {
			if err := json.Unmarshal(canonical, &all); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(all, a.Fields()); diff != "" {
			t.Fatalf("%q has other fields: %s", text, diff)
		}
		for name, raw := range all {
			if string(a.Field(name)) != string(raw) {
				t.Fatalf("%q: the field %q is %s, want %s", text, name, a.Field(name), raw)
			}
		}
	})
}

func TestArgumentsOfATypedValue(t *testing.T) {
	type in struct {
		Path  string `json:"path"`
		Limit int    `json:"limit,omitempty"`
	}
	read := tool.ReadArguments([]byte(`{"path":"a<b","limit":1.0}`))
	var one in
	if err := read.Into("read_file", &one); err != nil || one != (in{"a<b", 1}) {
		t.Fatalf("%+v, %v", one, err)
	}
	one.Path = "/a<b"
	made, err := read.With(&one)
	if err != nil || string(made.JSON()) != `{"limit":1,"path":"/a<b"}` || made.Err() != nil || string(made.Field("path")) != `"/a<b"` {
		t.Fatalf("%s, %v", made.JSON(), err)
	}
	var again in
	if err := made.Into("read_file", &again); err != nil || again != one {
		t.Errorf("%+v, %v; want %+v", again, err, one)
	}
	var other struct{ Path string }
	if err := made.Into("read_file", &other); err != nil || other.Path != one.Path {
		t.Errorf("as another type: %+v, %v", other, err)
	}
	if same, err := made.With(&again); err != nil || same != made {
		t.Errorf("unchanged arguments were made again: %s, %v", same.JSON(), err)
	}
	again.Limit = 2
	if next, err := made.With(&again); err != nil || string(next.JSON()) != `{"limit":2,"path":"/a<b"}` {
		t.Errorf("changed arguments: %s, %v", next.JSON(), err)
	}
}

func TestArgumentsThatDoNotFitTheirType(t *testing.T) {
	var in struct {
		Limit int `json:"limit"`
	}
	for _, text := range []string{`{"limit":1e30}`, `{"limit":`} {
		if err := tool.ReadArguments([]byte(text)).Into("read_file", &in); !errors.Is(err, fault.ToolInput) {
			t.Errorf("%s: %v", text, err)
		}
	}
	var none *tool.Arguments
	if err := none.Into("read_file", &in); err != nil || string(none.JSON()) != "{}" || none.Err() != nil || none.Field("limit") != nil || len(none.Fields()) != 0 {
		t.Errorf("no arguments: %s, %v", none.JSON(), err)
	}
}
