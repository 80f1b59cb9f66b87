package wasmtool_test

import (
	"fmt"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool"
)

// described describes a module whose custom section is doc.
func described(t testing.TB, doc string) ([]wasmtool.Description, error) {
	t.Helper()
	return library(t, says("")).Module(source("tools/a.wasm", packed(t, module(t, "servlet"), doc), "")).Describe(t.Context(), wasmtool.Describing{})
}

func TestDescription(t *testing.T) {
	ds, err := described(t, `{"nextCursor":null,"tools":[{"name":"a-b_1","title":"T","description":"does\tthis\r\n\u001b[31mred\u202eder\u200b",
	  "inputSchema":{"type":"object", "properties":{"n":{"type":"number"}}},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"x":1},
	  "risk":"write","exec":"manual","needs_approval":true,"stateful":true,"timeout":"1m30s","_meta":{"any":"thing"}},{"name":"b","description":null,"inputSchema":null}]}`)
	if err != nil || len(ds) != 2 {
		t.Fatalf("%v, %v", ds, err)
	}
	d := ds[0]
	if d.Name != "a-b_1" || d.Description != "does    this\n\\u001b[31mred\\u202eder\\u200b" {
		t.Errorf("%q %q", d.Name, d.Description)
	}
	if string(d.Input) != `{"type":"object","properties":{"n":{"type":"number"}}}` || string(d.Output) != `{"type":"object"}` {
		t.Errorf("schemas %s %s", d.Input, d.Output)
	}
	if d.Risk != tool.Write || d.Exec != tool.ExecManual || !*d.NeedsApproval || !d.Stateful || d.Timeout != "1m30s" {
		t.Errorf("%+v", d)
	}
	if ds[1].Input != nil || ds[1].Description != "" {
		t.Errorf("%+v", ds[1])
	}
}

// Providers accept only schemas of objects.
func TestInputSchemaIsAnObject(t *testing.T) {
	for schema, want := range map[string]string{
		`{}`: `{"type":"object"}`, `{"properties":{"a":{}}}`: `{"type":"object","properties":{"a":{}}}`,
		`{"type":"object"}`: `{"type":"object"}`,
	} {
		ds, err := described(t, `{"tools":[{"name":"a","inputSchema":`+schema+`}]}`)
		if err != nil || string(ds[0].Input) != want {
			t.Errorf("%s: %s, %v; want %s", schema, ds[0].Input, err, want)
		}
	}
}

// MCP's destructiveHint makes a tool destructive; its other hints loosen
// nothing.
func TestHintsTighten(t *testing.T) {
	for fields, want := range map[string]tool.Risk{
		`"annotations":{"destructiveHint":true}`:                  tool.Destructive,
		`"annotations":{"destructiveHint":true},"risk":"read"`:    tool.Destructive,
		`"annotations":{"destructiveHint":true},"risk":"command"`: tool.Command,
		`"annotations":{"destructiveHint":false},"risk":"write"`:  tool.Write,
		`"annotations":{"readOnlyHint":true}`:                     "",
		`"annotations":null`:                                      "",
	} {
		ds, err := described(t, `{"tools":[{"name":"a",`+fields+`}]}`)
		if err != nil || ds[0].Risk != want {
			t.Errorf("%s: %q, %v; want %q", fields, ds[0].Risk, err, want)
		}
	}
}

func TestBadDescription(t *testing.T) {
	deep := strings.Repeat(`{"items":`, 70) + "{}" + strings.Repeat("}", 70)
	many := strings.TrimSuffix(strings.Repeat(`{"name":"a"},`, 257), ",")
	for doc, word := range map[string]string{
		``:                                       "not valid JSON of tools",
		`null`:                                   "not a JSON object",
		`[]`:                                     "not a JSON object",
		`{"tools":null}`:                         "no list",
		`{"tools":{}}`:                           "no list",
		`{"Tools":[{"name":"a"}]}`:               "no list",
		`{"tools":[]}`:                           "no tools",
		`{"tools":[` + many + `]}`:               "257 tools",
		`{"tools":[null]}`:                       "tool 1",
		`{"tools":["a"]}`:                        "tool 1",
		`{"tools":[{"name":"a"}],"tools":[]}`:    "not valid JSON of tools",
		`{"tools":[{"name":"a"}]} x`:             "not valid JSON of tools",
		`{"tools":[{"name":"a","name":"b"}]}`:    "not valid JSON of tools",
		`{"tools":[{"name":"a` + "\xff" + `"}]}`: "not valid JSON of tools",
		`{"tools":[{}]}`:                         "a name has",
		`{"tools":[{"Name":"a"}]}`:               "a name has",
		`{"tools":[{"name":""}]}`:                "a name has",
		`{"tools":[{"name":7}]}`:                 "the name of tool 1 is not text",
		`{"tools":[{"name":"a b"}]}`:             `"a b"`,
		`{"tools":[{"name":"a\u001b[2J"}]}`:      `\\u001b`,
		`{"tools":[{"name":"ä"}]}`:               "a name has",
		`{"tools":[{"name":"` + strings.Repeat("a", 65) + `"}]}`:                                       "a name has",
		`{"tools":[{"name":"a"},{"name":"a"}]}`:                                                        "twice",
		`{"tools":[{"name":"a","description":"` + strings.Repeat("x", 17000) + `"}]}`:                  "17000 bytes",
		`{"tools":[{"name":"a","description":["x"]}]}`:                                                 "description of a is not text",
		`{"tools":[{"name":"a","inputSchema":"object"}]}`:                                              "not a JSON Schema",
		`{"tools":[{"name":"a","inputSchema":true}]}`:                                                  "not a JSON Schema",
		`{"tools":[{"name":"a","inputSchema":{"type":"string"}}]}`:                                     "arguments are always an object",
		`{"tools":[{"name":"a","inputSchema":{"type":"obj"}}]}`:                                        "arguments are always an object",
		`{"tools":[{"name":"a","outputSchema":{"minimum":"x"}}]}`:                                      "the outputSchema of a is not valid",
		`{"tools":[{"name":"a","inputSchema":{"$ref":"https://example.com/x"}}]}`:                      "the inputSchema of a is not valid",
		`{"tools":[{"name":"a","inputSchema":{"properties":{"x":` + deep + `}}}]}`:                     "the inputSchema of a is not valid",
		`{"tools":[{"name":"a","inputSchema":{"description":"` + strings.Repeat("x", 270000) + `"}}]}`: "inputSchema of a has",
		`{"tools":[{"name":"a","annotations":"none"}]}`:                                                "annotations",
		`{"tools":[{"name":"a","risk":"safe"}]}`:                                                       `the risk of a is "safe"`,
		`{"tools":[{"name":"a","risk":"\u202eread"}]}`:                                                 `\u202e`,
		`{"tools":[{"name":"a","exec":"always"}]}`:                                                     `the exec of a is "always"`,
		`{"tools":[{"name":"a","needs_approval":"yes"}]}`:                                              "needs_approval of a is not true or false",
		`{"tools":[{"name":"a","stateful":1}]}`:                                                        "stateful of a",
		`{"tools":[{"name":"a","timeout":"soon"}]}`:                                                    `the timeout of a is "soon"`,
		`{"tools":[{"name":"a","timeout":"-1s"}]}`:                                                     "the timeout of a",
		`{"tools":[{"name":"a","timeout":5}]}`:                                                         "the timeout of a is not text",
		`{"tools":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`:                        "not valid JSON of tools",
	} {
		code := fault.ToolContract
		if strings.Contains(word, "is not valid") {
			code = fault.Schema
		}
		_, err := described(t, doc)
		if err == nil {
			t.Errorf("%.100s was accepted", doc)
			continue
		}
		wants(t, err, code, "tools/a.wasm", word)
		if len(err.Error()) > 2000 {
			t.Errorf("%.100s: the message has %d bytes", doc, len(err.Error()))
		}
	}
}

// Each description that golem accepts can be offered to a model: its name is valid for
// providers, its schemas compile, and its text has no control characters.
func FuzzDescription(f *testing.F) {
	f.Add([]byte(inSection))
	f.Add([]byte(`{"tools":[{"name":"a","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true},"timeout":"1s"}]}`))
	f.Add([]byte("tools:\n- name: a\n  inputSchema: &a {properties: {x: {type: string}}}\n- {name: b, inputSchema: *a}\n"))
	f.Add([]byte("{\n\t\"tools\": [{\"name\": \"\\ud83d\\ude00\"}]\n}"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		run, errRun := library(t, says(string(doc))).Module(source("a.wasm", module(t, "servlet"), "")).Describe(t.Context(), wasmtool.Describing{Run: true})
		side, errSide := wasmtool.ParseSidecar(doc, "a.tools.yaml")
		for _, err := range []error{errRun, errSide} {
			if err != nil && fault.Of(err, fault.Tool).Code == fault.Tool {
				t.Fatalf("no coded fault: %v", err)
			}
		}
		for _, d := range append(run, side...) {
			if !tool.ValidName(d.Name) {
				t.Fatalf("name %q", d.Name)
			}
			for _, schema := range [][]byte{d.Input, d.Output} {
				if _, err := tool.Compile(schema); err != nil {
					t.Fatalf("%s: %v", schema, err)
				}
			}
			if strings.ContainsFunc(d.Description, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' }) {
				t.Fatalf("description %q", d.Description)
			}
		}
		if errSide == nil {
			again, err := wasmtool.Pack(module(t, "servlet"), doc, "a.tools.yaml")
			if err != nil {
				t.Fatalf("a description that is read cannot be packed: %v", err)
			}
			m := library(t, says("")).Module(source("a.wasm", again, ""))
			back, err := m.Describe(t.Context(), wasmtool.Describing{})
			if err != nil || fmt.Sprint(mustText(back)) != fmt.Sprint(mustText(side)) {
				t.Fatalf("packed and read again: %v, %v; was %v", back, err, side)
			}
		}
	})
}

func mustText(ds []wasmtool.Description) []string {
	var out []string
	for _, d := range ds {
		approval := "nil"
		if d.NeedsApproval != nil {
			approval = fmt.Sprint(*d.NeedsApproval)
		}
		out = append(out, fmt.Sprintf("%q %q %s %s %s %s %v %v %s", d.Name, d.Description, d.Input, d.Output, d.Risk, d.Exec, approval, d.Stateful, d.Timeout))
	}
	return out
}
