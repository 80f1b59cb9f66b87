package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

type shout struct {
	Text  string   `json:"text" doc:"what to say"`
	How   string   `json:"how" enum:"loud,quiet"`
	Times *int     `json:"times"`
	Tags  []string `json:"tags,omitempty"`
}

func speak(in shout) (string, error) {
	if in.How == "quiet" {
		return "", errors.New("cannot whisper")
	}
	return strings.ToUpper(in.Text), nil
}

type sum struct {
	Total float64 `json:"total"`
}

func tools() []*Function {
	return []*Function{
		Tool("shout", "says it", speak),
		Tool("add", "adds", func(in struct{ A, B float64 }) (sum, error) { return sum{in.A + in.B}, nil }),
	}
}

// S0-15..17: a function with a struct argument is a tool, its schema inferred.
func TestCalls(t *testing.T) {
	for _, c := range []struct{ name, args, want, err string }{
		{"shout", `{"text":"hi","how":"loud"}`, "HI", ""},
		{"shout", `{"text":"hi","how":"quiet"}`, "", "cannot whisper"},
		{"shout", `{"text":"hi","loud":true}`, "", "unknown field"},
		{"shout", `{"text":`, "", "arguments of shout"},
		{"add", `{"A":1,"B":2.5}`, `{"total":3.5}`, ""},
		{"none", `{}`, "", "there is no tool none"},
	} {
		got, err := Test(c.name, c.args, tools()...)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s %s: %q, %v; want %q, %q", c.name, c.args, got, err, c.want, c.err)
		}
	}
}

func TestDescribe(t *testing.T) {
	list := tools()
	list[0].Risk, list[0].Ask = "destructive", true
	var out bytes.Buffer
	if err := run(context.Background(), []string{"x", "describe"}, nil, &out, list); err != nil {
		t.Fatal(err)
	}
	want := `{"tools":[{"name":"shout","description":"says it","inputSchema":{"additionalProperties":false,"properties":{` +
		`"how":{"enum":["loud","quiet"],"type":"string"},"tags":{"items":{"type":"string"},"type":"array"},"text":{"description":"what to say","type":"string"},"times":{"type":"integer"}},` +
		`"required":["text","how"],"type":"object"},"risk":"destructive","needs_approval":true},` +
		`{"name":"add","description":"adds","inputSchema":{"additionalProperties":false,"properties":{"A":{"type":"number"},"B":{"type":"number"}},"required":["A","B"],"type":"object"},` +
		`"outputSchema":{"additionalProperties":false,"properties":{"total":{"type":"number"}},"required":["total"],"type":"object"}}]}` + "\n"
	if out.String() != want {
		t.Errorf("got  %swant %s", out.String(), want)
	}
}

type loop struct{ Next *loop }

func TestWhatHasNoSchema(t *testing.T) {
	for name, f := range map[string]*Function{
		"no struct": Tool("x", "", func(string) (string, error) { return "", nil }),
		"recursive": Tool("x", "", func(loop) (string, error) { return "", nil }),
		"channel":   Tool("x", "", func(struct{ C chan int }) (string, error) { return "", nil }),
		"keys":      Tool("x", "", func(struct{ M map[int]int }) (string, error) { return "", nil }),
	} {
		if _, err := Test("x", "{}", f); err == nil || !strings.Contains(err.Error(), "tool x:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCallWithoutGolem(t *testing.T) {
	if _, err := Call(context.Background(), "a", map[string]any{}); err == nil {
		t.Error("there is somebody to call")
	}
	if _, ok := Config("a"); ok {
		t.Error("there is a configuration")
	}
	Log("nobody %s", "hears")
	if _, err := Call(context.Background(), "a", func() {}); err == nil {
		t.Error("a function has JSON")
	}
}

func FuzzCall(f *testing.F) {
	f.Add(`{"text":"a","how":"loud"}`)
	f.Fuzz(func(t *testing.T, args string) {
		out, err := Test("shout", args, tools()...)
		if err == nil && !json.Valid([]byte(strings.TrimSpace(args))) && !strings.Contains(args, "}") {
			t.Errorf("%q gives %q", args, out)
		}
	})
}
