package wasmtool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool"
)

// answered returns what golem makes of a module's output. declares says that the
// tool has an output schema.
func answered(t testing.TB, form, output string, declares bool) (tool.Output, error) {
	t.Helper()
	d := wasmtool.Description{Name: "echo"}
	if declares {
		d.Output = json.RawMessage(`{}`)
	}
	_, tl := callable(t, says(output), form, d, wasmtool.Grants{})
	return call(t, tl, `{}`)
}

func TestAnswerOfContent(t *testing.T) {
	for output, want := range map[string]struct {
		text, data, parts string
	}{
		`{"content":[]}`: {"", "", ""},
		`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b\n"}],"isError":false}`:                                  {"a\nb\n", "", ""},
		`{"content":[{"type":"text","text":"{\"a\": 1}"}]}`:                                                                      {`{"a": 1}`, "", ""},
		`{"content":[{"type":"text","text":"t"}],"structuredContent":{"b":1, "a":[ ]}}`:                                          {"t", `{"b":1,"a":[]}`, ""},
		`{"structuredContent":{"n":12345678901234567890}}`:                                                                       {"", `{"n":12345678901234567890}`, ""},
		`{"content":[{"type":"text","text":"t"}],"structuredContent":null,"_meta":{}}`:                                           {"t", "", ""},
		`{"content":[{"type":"image","data":"aGk=","mimeType":"image/PNG"}]}`:                                                    {"", "", "image image/png  hi"},
		`{"content":[{"type":"audio","data":"aGk=","mimeType":"audio/wav;rate=8000"}]}`:                                          {"", "", "resource audio/wav  hi"},
		`{"content":[{"type":"resource","resource":{"uri":"file:///a","text":"r"}}]}`:                                            {"r", "", ""},
		`{"content":[{"type":"resource","resource":{"uri":"file:///a\u001b","blob":"aGk=","mimeType":"application/pdf"}}]}`:      {"", "", `resource application/pdf file:///a\u001b hi`},
		`{"content":[{"type":"text","text":"a","data":null,"mimeType":null,"annotations":null,"resource":null}],"isError":null}`: {"a", "", ""},
		`{"content":[{"type":"resource","text":"r","mimeType":"text/plain"},{"type":"resource","data":"aGk="}]}`:                 {"r", "", "resource application/octet-stream  hi"},
		`{"content":[{"type":"resource","resource":{"blob":"aGk="}}]}`:                                                           {"", "", "resource application/octet-stream  hi"},
		`{"content":[{"type":"resource_link","uri":"https://example.com/a","name":"A"}]}`:                                        {"A https://example.com/a", "", ""},
		`{"content":[{"type":"text","text":"a","annotations":{"audience":["user"]}}]}`:                                           {"a", "", ""},
	} {
		for _, form := range []string{"servlet", "hyper"} {
			out, err := answered(t, form, output, false)
			var parts []string
			for _, p := range out.Parts {
				parts = append(parts, fmt.Sprintf("%s %s %s %s", p.Type, p.MIME, p.Name, p.Data))
			}
			if err != nil || out.Text != want.text || string(out.Data) != want.data || strings.Join(parts, ";") != want.parts || (out.Data != nil) != (out.Kind == "json") {
				t.Errorf("%s: %+v, %v", output, out, err)
			}
		}
	}
}

// A text that is JSON stays text unless the tool declares an output schema.
func TestAnswerAsData(t *testing.T) {
	for _, c := range []struct {
		form, output, text, data string
		declares                 bool
	}{
		{"servlet", `{"content":[{"type":"text","text":"{\"a\": 1}"}]}`, `{"a": 1}`, `{"a":1}`, true},
		{"servlet", `{"content":[{"type":"text","text":"no json"}]}`, `no json`, ``, true},
		{"servlet", `{"content":[{"type":"text","text":"{\"a\":1,\"a\":2}"}]}`, `{"a":1,"a":2}`, ``, true},
		{"command", "{\"a\": 1}\n", `{"a": 1}`, ``, false},
		{"command", "{\"a\": 1}\n", `{"a": 1}`, `{"a":1}`, true},
		{"command", "two\nlines\r\n", "two\nlines", ``, true},
		{"command", "bytes \xff\x00", "bytes \uFFFD\x00", ``, false},
		{"command", "", "", ``, true},
		{"exports", "text\n", "text\n", ``, false},
		{"exports", "[1, 2]", "[1, 2]", `[1,2]`, true},
	} {
		out, err := answered(t, c.form, c.output, c.declares)
		if err != nil || out.Text != c.text || string(out.Data) != c.data {
			t.Errorf("%+v: %+v, %v", c, out, err)
		}
	}
}

// An answer that the form does not allow is E_TOOL_OUTPUT; an error that the module
// reports is E_TOOL with its message.
func TestBadAnswer(t *testing.T) {
	many := `{"content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text","text":""},`, 1001), ",") + `]}`
	for _, output := range []string{
		"", "null", "[]", `"text"`, "text", "{", `{}`, `{"content":null}`, `{"content":{}}`, `{"content":"a"}`, `{"Content":[]}`, many,
		`{"content":[null]}`, `{"content":["a"]}`, `{"content":[[]]}`, `{"content":[{}]}`, `{"content":[{"type":"video"}]}`,
		`{"content":[{"type":"\u001b[2J\u202e"}]}`, `{"content":[{"type":"text"}]}`, `{"content":[{"type":"text","text":5}]}`,
		`{"content":[],"content":[]}`, `{"content":[]} trailing`, `{"content":[],"isError":"yes"}`, `{"content":[],"isError":1}`,
		`{"content":[{"type":"image","data":"aGk="}]}`, `{"content":[{"type":"image","data":"hi!","mimeType":"image/png"}]}`,
		`{"content":[{"type":"image","data":"","mimeType":"image/png"}]}`, `{"content":[{"type":"image","data":"aGk=","mimeType":"text/html"}]}`,
		`{"content":[{"type":"image","data":"aGk=","mimeType":"image/png,evil"}]}`, `{"content":[{"type":"image","data":"aGk=","mimeType":"image/\r\nx"}]}`,
		`{"content":[{"type":"resource"}]}`, `{"content":[{"type":"resource","resource":{}}]}`, `{"content":[{"type":"resource","resource":"a"}]}`,
		`{"content":[{"type":"text","text":"\ud800"}]}`, "{\"content\":[{\"type\":\"text\",\"text\":\"\xff\"}]}",
		strings.Repeat("[", 100_000), `{"structuredContent":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
	} {
		out, err := answered(t, "servlet", output, true)
		if err == nil {
			t.Errorf("%.80q gave %+v", output, out)
			continue
		}
		wants(t, err, fault.ToolOutput)
		if len(err.Error()) > 1000 {
			t.Errorf("%.80q: a message of %d bytes", output, len(err.Error()))
		}
	}
	for output, word := range map[string]string{
		`{"content":[{"type":"text","text":"no such city"}],"isError":true}`:                          "no such city",
		`{"content":[{"type":"text","text":"\u001b[31mred\u202e"}],"isError":true}`:                   `\u001b[31mred\u202e`,
		`{"content":[],"isError":true}`:                                                               "without a message",
		`{"isError":true}`:                                                                            "without a message",
		`{"isError":true,"structuredContent":{"why":"x"}}`:                                            `{"why":"x"}`,
		`{"content":[{"type":"text","text":"` + strings.Repeat("long ", 5000) + `"}],"isError":true}`: "long long",
	} {
		out, err := answered(t, "hyper", output, true)
		wants(t, err, fault.Tool, word)
		if len(err.Error()) > 5000 || out.Fuel != 7 {
			t.Errorf("%.60q: %d bytes, fuel %d", output, len(err.Error()), out.Fuel)
		}
	}
}

// Golem makes an output or a fault with a code from every answer of a module. The text of
// the output is at most about three times as long as the answer.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"a"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"structuredContent":{"a":1}}`)
	f.Add(`{"isError":true,"content":[{"type":"resource","resource":{"uri":"a","blob":"aGk="}}]}`)
	f.Add("plain text\n")
	f.Fuzz(func(t *testing.T, output string) {
		for _, form := range []string{"servlet", "hyper", "command", "exports"} {
			out, err := answered(t, form, output, true)
			if err != nil {
				if c := fault.Of(err, "").Code; c != fault.ToolOutput && c != fault.Tool {
					t.Fatalf("%s: %v", form, err)
				}
				continue
			}
			if len(out.Data) > 0 {
				if _, err := tool.Canonical(out.Data); err != nil || out.Kind != "json" {
					t.Fatalf("%s: data %q: %v", form, out.Data, err)
				}
			}
			for _, p := range out.Parts {
				if strings.ContainsAny(p.MIME, ",; \r\n") || len(p.Data) == 0 {
					t.Fatalf("part %+v", p)
				}
			}
			if len(out.Text) > 3*len(output)+10 {
				t.Fatalf("%d bytes became %d", len(output), len(out.Text))
			}
		}
	})
}
