package yamltree_test

import (
	"strings"
	"testing"

	"golem/core/yamltree"
)

// What the YAML library reads otherwise than YAML 1.2, without an error, is refused.
func TestMisreadIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"key: &an:chor value":                    `1:6: E_CONFIG: the name of an anchor`,
		"key: &an.x\n  a: b\n":                   "1:6: E_CONFIG: malformed",
		"&a:b key: value":                        `E_CONFIG: the name of an anchor`,
		"x: {?foo: bar}":                         `1:6: E_CONFIG: a ? stands directly before the key "foo"`,
		"x: [?foo]":                              `a ? stands directly before the key "foo"`,
		"x: [! 12]":                              "YAML tags are not supported",
		"x: ! 'a'":                               "YAML tags are not supported",
		"%TAG ! tag:x,2000:\n---\na: b":          "1:1: E_CONFIG: a YAML directive other",
		"a: \"x\\/y\"":                           `1:6: E_CONFIG: malformed YAML: \/ is not an escape in double quotes (write / alone)`,
		"%YAML 1.2\n---\na: b":                   `{"a":"b"}`,
		"# c\n\n%YAML 1.1 # old\n# x\n---\na: b": `{"a":"b"}`,
		"a: &x_1 b\nc: *x_1":                     `{"a":"b","c":"b"}`,
		"a: [&x {b: 1}, &y, *x]":                 `{"a":[{"b":1},null,{"b":1}]}`,
		"a: &x\n  b: 1\nc: *x":                   `{"a":{"b":1},"c":{"b":1}}`,
		"a: {bc: d!e, f: g&h:i, 'j?': '!k'}":     `{"a":{"bc":"d!e","f":"g&h:i","j?":"!k"}}`,
		"? a\n: b\n?c: d":                        `{"a":"b","?c":"d"}`,
		"ä: {ö: &x ü, é: *x}":                    `{"ä":{"ö":"ü","é":"ü"}}`,
		"a: |+\n   ":                             `{"a":"\n"}`,
	} {
		n, faults := yamltree.Parse("x.yaml", []byte(text))
		got := ""
		if len(faults) > 0 {
			got = faults.Error()
		} else if raw, err := n.JSON(); err == nil {
			got = string(raw)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
