package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golem/core/tool"
)

// A number is a multiple of a unit as people calculate, not as floating-point numbers divide.
func TestMultipleOf(t *testing.T) {
	for _, c := range []struct {
		schema, value string
		valid         bool
	}{
		{`{"multipleOf":0.01}`, `19.99`, true},
		{`{"multipleOf":0.01}`, `19.995`, false},
		{`{"multipleOf":0.1}`, `0.3`, true},
		{`{"multipleOf":0.3}`, `1e22`, false},
		{`{"multipleOf":0.5}`, `1e308`, true},
		{`{"multipleOf":0.123456789}`, `1e308`, false},
		{`{"multipleOf":1e-8}`, `12391239123`, true},
		{`{"multipleOf":-0.01}`, `19.99`, true},
		{`{"multipleOf":0}`, `0`, false},
		{`{"multipleOf":7}`, `21`, true},
		{`{"multipleOf":0.01,"allOf":[{"minimum":30}]}`, `19.99`, false},
		{`{"not":{"multipleOf":0.01}}`, `19.99`, false},
		{`{"not":{"multipleOf":0.3}}`, `1e22`, true},
		{`{"oneOf":[{"multipleOf":0.01},{"type":"number"}]}`, `19.99`, false},
		{`{"properties":{"multipleOf":{"multipleOf":0.01}},"enum":[{"multipleOf":19.99}]}`, `{"multipleOf":19.99}`, true},
		{`{"type":"array","items":{"$ref":"#/$defs/price"},"$defs":{"price":{"multipleOf":0.01}}}`, `[19.99,1.1,4.35]`, true},
		{`{"type":"array","items":{"$ref":"#/$defs/price"},"$defs":{"price":{"multipleOf":0.01}}}`, `[19.99,1.1,4.355]`, false},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"multipleOf":0.1},{"multipleOf":0.01}]}`, `[0.3,19.99]`, true},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"multipleOf":0.1},{"multipleOf":0.01}]}`, `[19.99,0.3]`, false},
	} {
		s, err := tool.Compile(json.RawMessage(c.schema))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if v := s.Validate(json.RawMessage(c.value)); (len(v) == 0) != c.valid {
				t.Errorf("%s: %s: %v", c.schema, c.value, v)
			}
		}
	}
}

// Many prices are checked; numbers without end that the library would judge wrong are not.
func TestManyMultiples(t *testing.T) {
	s, err := tool.Compile(json.RawMessage(`{"items":{"multipleOf":0.01}}`))
	if err != nil {
		t.Fatal(err)
	}
	prices := func(n int) json.RawMessage {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ",%d.%02d", i/100, i%100)
		}
		return json.RawMessage("[" + b.String()[1:] + "]")
	}
	if v := s.Validate(prices(3000)); len(v) > 0 {
		t.Error(v)
	}
	if v := s.Validate(prices(200_000)); len(v) != 1 || !strings.Contains(v[0].Message, "too large") {
		t.Error(v)
	}
}
