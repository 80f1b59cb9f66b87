package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

type shout struct {
	Text  string   `json:"text" jsonschema:"what to say"`
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
		Tool("crash", "has a defect", func(in struct{ N []int }) (int, error) { return in.N[0], nil }),
	}
}

// S0-15..17: a function with a struct argument is a tool.
func TestCalls(t *testing.T) {
	for _, c := range []struct{ name, args, want, err string }{
		{"shout", `{"text":"hi","how":"loud"}`, "HI", ""},
		{"shout", `{"text":"hi","how":"quiet"}`, "", "cannot whisper"},
		{"shout", `{"text":"hi","loud":true}`, "", "unknown field"},
		{"shout", `{"text":`, "", "arguments of shout"},
		{"add", `{"A":1,"B":2.5}`, `{"total":3.5}`, ""},
		{"none", `{}`, "", "there is no tool none"},
		{"shout", `{"text":"hi","how":"loud"} {}`, "", "more than one JSON value"},
		{"shout", ``, "", ""},
		{"crash", `{}`, "", "crash crashed: runtime error: index out of range"},
	} {
		got, err := Test(c.name, c.args, tools()...)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s %s: %q, %v; want %q, %q", c.name, c.args, got, err, c.want, c.err)
		}
	}
}

func TestDescribe(t *testing.T) {
	list := tools()
	list[0].Risk, list[0].NeedsApproval = "destructive", true
	var out bytes.Buffer
	if err := run(context.Background(), []string{"x", "describe"}, nil, &out, list[:2]); err != nil {
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

type (
	loop  struct{ Next *loop }
	ring  struct{ *ring }
	left  struct{ Name string }
	right struct{ Name string }
	twice struct {
		A int `json:"B"`
		B int
	}
)

func TestWhatHasNoSchema(t *testing.T) {
	for name, f := range map[string]*Function{
		"no struct": Tool("x", "", func(string) (string, error) { return "", nil }),
		"recursive": Tool("x", "", func(loop) (string, error) { return "", nil }),
		"channel":   Tool("x", "", func(struct{ C chan int }) (string, error) { return "", nil }),
		"keys":      Tool("x", "", func(struct{ M map[int]int }) (string, error) { return "", nil }),
		"embedded":  Tool("x", "", func(ring) (string, error) { return "", nil }),
		"twice":     Tool("x", "", func(twice) (string, error) { return "", nil }),
		"two of it": Tool("x", "", func(struct {
			left
			right
		}) (string, error) {
			return "", nil
		}),
		"enum": Tool("x", "", func(struct {
			N int `enum:"1,2"`
		}) (string, error) {
			return "", nil
		}),
		"own JSON": Tool("x", "", func(time.Time) (string, error) { return "", nil }),
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
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := Call(ended, "a", map[string]any{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call after the end: %v", err)
	}
	if _, err := Call(context.Background(), "a", func() {}); err == nil {
		t.Error("a function has JSON")
	}
}

// A tool that calls back is tested with a function in golem's place.
func TestStandIn(t *testing.T) {
	ask := ToolContext("ask", "asks", func(ctx context.Context, in struct{ Q string }) (string, error) {
		return Call(ctx, "critic", map[string]string{"input": in.Q})
	})
	golem := func(name, args string) (string, error) {
		if name != "critic" || args != `{"input":"?"}` {
			return "", &Error{Code: "E_TOOL_INPUT", Message: name + args}
		}
		return "!", nil
	}
	if got, err := TestWith(golem, "ask", `{"Q":"?"}`, ask); got != "!" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	var refused *Error
	if _, err := TestWith(golem, "ask", `{"Q":"x"}`, ask); !errors.As(err, &refused) || refused.Code != "E_TOOL_INPUT" {
		t.Errorf("%v", err)
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
