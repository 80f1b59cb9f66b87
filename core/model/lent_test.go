package model

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
)

// pageFunction is a doer that answers as a function of a page does.
type pageFunction struct {
	body string // a stream of events
	err  error
	got  string
}

func (p *pageFunction) Do(r *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(r.Body)
	p.got = string(data)
	if err != nil || p.err != nil {
		return nil, p.err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(p.body))}, nil
}

// The answers of lent models have the same limits as those of providers, and a model
// that is not lent gives an error that says so.
func TestLentModels(t *testing.T) {
	f := &pageFunction{body: `data: {"choices":[{"index":0,"delta":{"content":"","tool_calls":[{"index":0,"type":"function","function":{"name":"find","arguments":"{}"}}]}}]}` + "\n\ndata: [DONE]\n\n"}
	c := Config{Lent: map[string]HTTPDoer{"page:local": f, "device:": f}}
	for name, want := range map[string]fault.Code{"page:lokal": fault.Platform, "device:x": fault.Model, "page:": fault.Model} {
		if _, err := Open(name, c); fault.Of(err, "").Code != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"page:local", "device:"} {
		if _, err := Open(name, Config{}); fault.Of(err, "").Code != fault.Platform {
			t.Errorf("%s where none is lent: %v", name, err)
		}
		if _, err := Open(name, Config{Lent: map[string]HTTPDoer{}}); fault.Of(err, "").Code != fault.Platform {
			t.Errorf("%s where it is not lent: %v", name, err)
		}
		m, err := Open(name, c)
		if err != nil {
			t.Fatal(err)
		}
		r := Request{Worker: "main", Turn: 1, Messages: []Message{{Role: User, Text: "hi"}}, Tools: []tool.Spec{{Name: "find"}}}
		turn, err := m.Generate(t.Context(), r, nil)
		if err != nil || len(turn.Calls) != 1 || turn.Calls[0].Name != "find" || turn.Finish != "tool_calls" || turn.Usage.Unpriced != (name == "page:local") {
			t.Errorf("%s: %+v, %v", name, turn, err)
		}
		if !strings.Contains(f.got, `"content":"hi"`) || !strings.Contains(f.got, `"name":"find"`) {
			t.Errorf("the function is given %s", f.got)
		}
	}
	f.err = fault.New(fault.Model, "page:local failed in the page: gone")
	m, err := Open("page:local", c)
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	_, err = WithRetry(m, RetryPolicy{}, func(Retry) { tries++ }).Generate(t.Context(), Request{Messages: []Message{{Role: User, Text: "hi"}}}, nil)
	if got := fault.Of(err, ""); got.Message != "page:local failed in the page: gone" || tries > 0 {
		t.Errorf("a function that throws: %v after %d retries", err, tries)
	}
}
