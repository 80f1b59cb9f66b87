package wasmtool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool"
)

// SECURITY 7 and 16: golem's messages about a module are short and have no control
// characters, whatever names the module and its description contain, because they go to
// a terminal and to a model.
func TestMessagesAreShortText(t *testing.T) {
	long := "\x1b[2J\u202e\u200b\u0085" + strings.Repeat("n", 60_000)
	quoted, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	key := string(quoted)
	documents := map[string]string{
		"a key twice":       `{` + key + `:1,` + key + `:2}`,
		"a name":            `{"tools":[{"name":` + key + `}]}`,
		"a risk":            `{"tools":[{"name":"a","risk":` + key + `}]}`,
		"an exec":           `{"tools":[{"name":"a","exec":` + key + `}]}`,
		"a timeout":         `{"tools":[{"name":"a","timeout":` + key + `}]}`,
		"a key in a tool":   `{"tools":[{"name":"a",` + key + `:1}]}`,
		"a wrong value":     `{"tools":[{"name":"a","stateful":` + key + `}]}`,
		"a type":            `{"tools":[{"name":"a","inputSchema":{"type":` + key + `}}]}`,
		"a pattern":         `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"pattern":"(` + key[1:] + `}}}}]}`,
		"a reference":       `{"tools":[{"name":"a","inputSchema":{"type":"object","$ref":` + key + `}}]}`,
		"a required":        `{"tools":[{"name":"a","inputSchema":{"type":"object","required":` + key + `}}]}`,
		"a property":        `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{` + key + `:7}}}]}`,
		"a key in a schema": `{"tools":[{"name":"a","inputSchema":{"type":"object",` + key + `:{` + key + `:0,` + key + `:0}}}]}`,
		"nonsense":          long,
		"a number":          `{"tools":` + strings.Repeat("9", 60_000) + `}`,
	}
	check := func(what string, err error) {
		t.Helper()
		if err == nil {
			return
		}
		f := fault.Of(err, fault.Tool)
		for _, words := range []string{f.Message, f.Hint} {
			if len(words) > 1_200 || strings.ContainsFunc(words, func(r rune) bool { return unicode.Is(unicode.C, r) && r != '\n' }) {
				t.Errorf("%s: %d bytes: %.300q", what, len(words), words)
			}
		}
	}
	for what, doc := range documents {
		m := library(t, says(doc)).Module(source("a.wasm", module(t, "servlet"), ""))
		_, err := m.Describe(t.Context(), wasmtool.Describing{Run: true})
		check("told: "+what, err)
		_, err = wasmtool.ParseSidecar([]byte(doc), "a.tools.yaml")
		check("sidecar: "+what, err)
		_, err = wasmtool.Pack(module(t, "servlet"), []byte(doc), "a.tools.yaml")
		check("packed: "+what, err)
		b := &wasmtool.Bound{Module: library(t, says(doc)).Module(source("a.wasm", module(t, "servlet"), ""))}
		_, err = b.Tool(wasmtool.Description{Name: "a"}).Call(t.Context(), tool.Call{Args: tool.ReadArguments([]byte("{}"))})
		check("answered: "+what, err)
	}
	for what, answer := range map[string]string{
		"an error":    fmt.Sprintf(`{"isError":true,"content":[{"type":"text","text":%s}]}`, key),
		"a type":      fmt.Sprintf(`{"content":[{"type":%s,"text":""}]}`, key),
		"a MIME type": fmt.Sprintf(`{"content":[{"type":"image","mimeType":%s,"data":""}]}`, key),
	} {
		b := &wasmtool.Bound{Module: library(t, says(answer)).Module(source("a.wasm", module(t, "servlet"), ""))}
		_, err := b.Tool(wasmtool.Description{Name: "a"}).Call(t.Context(), tool.Call{Args: tool.ReadArguments([]byte("{}"))})
		if err == nil {
			t.Errorf("%s: no error", what)
		}
		if what == "an error" { // the module's own message, up to 4096 bytes
			err = nil
		}
		check("answered with "+what, err)
	}
	p := wasmtool.Policy{Hosts: []string{"example.com"}}
	for what, r := range map[string]wasmtool.HTTPRequest{
		"an address": {URL: "https://" + long}, "a scheme": {URL: long[:50] + "://example.com"}, "a host": {URL: "https://" + strings.Repeat("n", 5000) + ".com/"},
		"a method": {URL: "https://example.com", Method: long}, "a header": {URL: "https://example.com", Header: map[string]string{long: ""}},
		"a header's value": {URL: "https://example.com", Header: map[string]string{"A": long}}, "an own header": {URL: "https://example.com", Header: map[string]string{"Sec-" + strings.Repeat("n", 5000): ""}},
	} {
		_, err := p.Request(r)
		if err == nil {
			t.Errorf("%s is allowed", what)
		}
		check("asked: "+what, err)
	}
	check("an entry", wasmtool.CheckHost(long))
	check("an export", wasmtool.NotCallable(long, false))
	check("an export of another type", wasmtool.NotCallable(long, true))
	check("an import", wasmtool.NotOffered(long, long))
}
